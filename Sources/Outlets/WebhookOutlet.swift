package import Care
package import Foundation
import Interchange

/// Measurements as Standard Webhooks 1.0.0, signed: `measurements.changed`.
///
/// Each item has an id for ever and a revision that grows: a receiver that keeps the greatest revision of
/// each id has every value once, however often a message comes.
package struct WebhookOutlet: DataOutlet {
  private let address: WebAddress
  private let secret: WebhookSecret
  private let send: @Sendable (HTTPRequest) async -> TransferResult
  private let now: @Sendable () -> Date

  // With an id, a device and a long name each, more would be longer than a body may be, and made twice.
  package let mostValues = 60

  /// Makes an outlet.
  ///
  /// - Parameters:
  ///   - address: The receiver's address.
  ///   - secret: What signs.
  ///   - now: The time of an attempt.
  ///   - send: The transport.
  package init(
    to address: WebAddress, secret: WebhookSecret, now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) {
    (self.address, self.secret, self.now, self.send) = (address, secret, now, send)
  }

  package func send(_ batch: [OutletPiece]) async -> OutletAnswer {
    let names = batch.map { "\($0.change.name) \($0.number) \($0.part)" }
    return await post(
      Message(
        type: "measurements.changed",
        data: .init(items: batch.map { Message.Item($0) })),
      id: ItemID(of: ["batch"] + names).text)
  }

  package func test() async -> DeliveryResult {
    await post(
      Message(type: "measurements.test", data: .init(items: [])),
      id: ItemID(of: ["test", String(now().microseconds)]).text
    ).result
  }

  private func post(_ message: Message, id: String) async -> OutletAnswer {
    let date = now()
    var message = message
    message.timestamp = date.rfc3339(in: .gmt)
    guard let body = try? JSONText.of(message), let webhook = Webhook(id: id, body: body) else {
      return OutletAnswer(
        .refused(.message(detail: "it is longer than \(Webhook.mostBytes) bytes")))
    }
    guard let headers = webhook.headers(at: date, secrets: [secret]) else {
      return OutletAnswer(.later(.unexpected(detail: "this machine cannot sign"), after: nil))
    }
    let result = await send(
      HTTPRequest(
        "POST", address, headers: headers.map { .init($0.name, $0.value) }, body: body))
    return OutletAnswer(result.meaning)
  }
}

/// A message of a webhook: the shape that its receivers read.
private struct Message: Encodable {
  var type: String
  var timestamp = ""
  var data: Content

  struct Content: Encodable {
    var items: [Item]
  }

  struct Item: Encodable {
    var id: String
    var revision: Int64
    var quantity: String
    /// `current`, or `removed` with neither person nor values.
    var state: String
    var patient: String?
    /// The start of the hour of a stream, and which part of how many parts this is, from 1.
    var hour: String?
    var part: Int?
    var parts: Int?
    var values: [Value]?

    init(_ piece: OutletPiece) {
      (id, revision) = (piece.change.name, piece.number)
      switch piece.change {
      case .put(let item, _, _):
        (quantity, state, patient) = (item.quantity.rawValue, "current", item.patient)
        hour = item.hour?.rfc3339(in: .gmt)
        if item.hour != nil { (part, parts) = (piece.part + 1, piece.parts) }
        values = piece.samples.map { Value($0, inHour: item.hour != nil) }
      case .remove(let item):
        (quantity, state) = (item.quantity.rawValue, "removed")
      }
    }
  }

  struct Value: Encodable {
    /// Of the pressures of one measurement, which of them it is.
    var quantity: String?
    var value: Double
    var unit: String?
    var time: String
    var end: String?
    var device: String?
    /// How it came about: `passive`, `active`, `manual`; absent in an hour of a stream.
    var provenance: String?
    var corrected: Bool?

    init(_ sample: Sample, inHour: Bool) {
      value = sample.value.data(of: sample.quantity)
      time = sample.start.rfc3339(in: .gmt)
      end = sample.end == sample.start ? nil : sample.end.rfc3339(in: .gmt)
      corrected = sample.corrects == nil ? nil : true
      // Facts that all values of an hour have in common are no news in each of them.
      guard !inHour else { return }
      quantity = sample.quantity.rawValue
      unit = sample.quantity.unit.code
      device = sample.device.address.text
      provenance = sample.provenance.rawValue
    }
  }
}

extension TransferResult {
  /// The meaning of an answer over HTTP, with the other side's words.
  var meaning: DeliveryResult {
    switch self {
    case .taken: .delivered
    case .ended(let result): result
    // A page is the word of a proxy, not of the receiver.
    case .answered(200..<300, _, let body) where body.isPage:
      .later(.unexpected(detail: body.firstLine.oneLine.shortened(toBytes: 200)), after: nil)
    case .answered(let status, let retryAfter, let body):
      DeliveryResult(status: status, retryAfter: retryAfter, detail: body.firstLine)
    }
  }
}

extension Data {
  /// Whether it is HTML or XML.
  fileprivate var isPage: Bool {
    first { $0 != 0x20 && !(0x09...0x0D).contains($0) } == UInt8(ascii: "<")
  }

  /// The first line of an answer.
  var firstLine: String {
    let text = String(decoding: prefix(400), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }
}
