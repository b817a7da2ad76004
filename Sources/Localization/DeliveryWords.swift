package import Outlets

// How the end of an attempt to reach somebody reads: the words of the other side, and what to do.

extension DeliveryFault: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .unknownHost(let host): LocalizedText("delivery.unknownHost", ["host": .verbatim(host)])
    case .unreachable(let host): LocalizedText("delivery.unreachable", ["host": .verbatim(host)])
    case .blocked: "delivery.blocked"
    case .certificate(let host, let detail):
      LocalizedText(
        "delivery.certificate", ["host": .verbatim(host), "detail": .verbatim(detail)])
    case .noEncryption(let host): LocalizedText("delivery.noEncryption", ["host": .verbatim(host)])
    case .credentials(let detail):
      LocalizedText("delivery.credentials", ["detail": .verbatim(detail)])
    case .client(let detail): LocalizedText("delivery.client", ["detail": .verbatim(detail)])
    case .busy(let detail): LocalizedText("delivery.busy", ["detail": .verbatim(detail)])
    case .full(let detail): LocalizedText("delivery.full", ["detail": .verbatim(detail)])
    case .message(let detail): LocalizedText("delivery.message", ["detail": .verbatim(detail)])
    case .gone: "delivery.gone"
    case .unexpected(let detail):
      LocalizedText("delivery.unexpected", ["detail": .verbatim(detail)])
    case .timeout: "delivery.timeout"
    case .takenOver(let name):
      LocalizedText("delivery.takenOver", ["name": .verbatim(name)])
    case .noMailServer: "delivery.noMailServer"
    case .noTopic: "delivery.noTopic"
    case .folder(let path, let detail):
      LocalizedText("delivery.folder", ["path": .verbatim(path), "detail": .verbatim(detail)])
    }
  }
}

extension DeliveryResult: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .delivered: "delivery.delivered"
    case .later(let fault, _), .refused(let fault): fault.localized
    case .unknown(let fault):
      LocalizedText("delivery.unknown", ["reason": .text(fault.localized)])
    }
  }
}

extension DeliveryResult {
  /// Its name for programs.
  package var state: String {
    switch self {
    case .delivered: "delivered"
    case .later: "later"
    case .refused: "refused"
    case .unknown: "unknown"
    }
  }
}
