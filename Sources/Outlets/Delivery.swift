/// How one attempt to deliver ended.
public enum DeliveryResult: Hashable, Sendable, Codable {
  /// The other side has it.
  case delivered
  /// The other side can not take anything now; it may have asked for a delay.
  case later(DeliveryFault, after: Duration?)
  /// The other side will never take this one.
  case refused(DeliveryFault)
  /// The answer was lost: it may have arrived. It is sent again under the same name.
  case unknown(DeliveryFault)
}

/// Why something was not delivered.
public enum DeliveryFault: Error, Hashable, Sendable, Codable {
  /// No server of this name is known.
  case unknownHost(String)
  /// Nothing answers at this address.
  case unreachable(String)
  /// This machine's rules let nothing out: the unit's drop-in is missing.
  case blocked
  /// The certificate is not that of this host, has expired, or is signed by nobody who is known.
  case certificate(host: String, detail: String)
  /// The server offers no encryption.
  case noEncryption(String)
  /// The name, password or token is wrong.
  case credentials(detail: String)
  /// The server does not take this box's key or name, or the box's clock is wrong.
  case client(detail: String)
  /// The other side is busy, or wants fewer messages.
  case busy(detail: String)
  /// The mailbox or the quota is full.
  case full(detail: String)
  /// It does not take this message.
  case message(detail: String)
  /// The endpoint is gone, and wants nothing any more.
  case gone
  /// It answered what no such server answers.
  case unexpected(detail: String)
  /// No answer came in time.
  case timeout
  /// Another client of the broker took this one's name.
  case takenOver(name: String)
  /// The settings name no server that takes mail.
  case noMailServer
  /// The store has what stands for the topic in an export, and not the topic.
  case noTopic
  /// No file can be written into this folder.
  case folder(String, detail: String)
}

extension DeliveryResult {
  /// The same of a request that carried no item: none is to blame, and all of them wait.
  var ofNoItem: DeliveryResult {
    if case .refused(let fault) = self { .later(fault, after: nil) } else { self }
  }

  /// The meaning of an answer over HTTP.
  ///
  /// Only what is wrong with the message itself is refused: a wrong password is mended later, and
  /// everything that waited is sent then. A redirection is not followed, since it could lead anywhere.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - retryAfter: The header `Retry-After` in seconds.
  ///   - detail: The first line of the answer, in the other side's words.
  public init(status: Int, retryAfter: String?, detail: String) {
    let asked = retryAfter.flatMap { Int64($0) }.map { Duration.seconds(min(max($0, 0), 86_400)) }
    let detail = "\(status) \(detail.oneLine.shortened(toBytes: 200))"
    self =
      switch status {
      case 200..<300: .delivered
      case 400, 413, 415, 422: .refused(.message(detail: detail))
      case 401, 403: .later(.credentials(detail: detail), after: asked)
      case 410: .later(.gone, after: asked)
      case 429, 503: .later(.busy(detail: detail), after: asked)
      case 507: .later(.full(detail: detail), after: asked)
      default: .later(.unexpected(detail: detail), after: asked)
      }
  }

  /// The meaning of the last code of SMTP.
  public init(smtp code: Int, detail: String) {
    let detail = "\(code) \(detail.oneLine.shortened(toBytes: 200))"
    self =
      switch code {
      case 200..<300: .delivered
      // The size of this message, which never shrinks (RFC 1870).
      case 552 where detail.contains(#/5\.2\.3|5\.3\.4| size /#): .refused(.message(detail: detail))
      case 452, 552: .later(.full(detail: detail), after: nil)
      // A server that does not know the sender yet wants it again in some minutes.
      case 421, 450, 451: .later(.busy(detail: detail), after: .seconds(300))
      case 530, 534, 535, 538: .later(.credentials(detail: detail), after: nil)
      case 400..<500: .later(.busy(detail: detail), after: nil)
      case 500..<600: .refused(.message(detail: detail))
      default: .later(.unexpected(detail: detail), after: nil)
      }
  }
}
