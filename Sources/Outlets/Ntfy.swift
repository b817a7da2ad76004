public import Care
public import Foundation

/// A message as a server of ntfy takes it, by its JSON form.
///
/// Source: docs.ntfy.sh/publish. A server from 2.16 on replaces a message of the same `sequence_id`
/// and cancels one that it has not sent yet; an older one shows it a second time.
public struct NtfyMessage: Hashable, Sendable {
  /// The most bytes of a text; a longer one would become a file.
  static let mostBytes = 4_096
  /// The most buttons of a message.
  static let mostActions = 3

  public var message: OutgoingMessage
  public var topic: NtfyTopic
  /// Whether the server sends it later, unless it is replaced or cancelled until then.
  public var delay: Duration?

  /// The delays that a server takes.
  public static let delays: ClosedRange<Duration> = .seconds(10)...(.seconds(3 * 86_400))

  /// Makes a message to a topic.
  public init(_ message: OutgoingMessage, to topic: NtfyTopic, delay: Duration? = nil) {
    self.message = message
    self.topic = topic
    self.delay = delay
  }

  /// The body of `POST /`.
  public var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let seconds = delay.map {
        min(max($0, Self.delays.lowerBound), Self.delays.upperBound).components.seconds
      }
      return try encoder.encode(
        Body(
          topic: topic.text, title: message.title.oneLine,
          message: message.body.shortened(toBytes: Self.mostBytes),
          priority: priority, tags: message.urgency == .urgent ? ["warning"] : nil,
          click: message.links.first?.text,
          actions: message.links.isEmpty
            ? nil : message.links.prefix(Self.mostActions).map(Action.init),
          delay: seconds.map { "\($0)s" }, sequence: message.id.text))
    }
  }

  /// The path by which `DELETE` takes the message back.
  public var path: String { Self.path(of: message.id, in: topic) }

  /// The path by which `DELETE` takes a message back.
  static func path(of id: ItemID, in topic: NtfyTopic) -> String { "/\(topic.text)/\(id.text)" }

  private var priority: Int {
    switch message.urgency {
    case .low: 2
    case .normal: 3
    case .urgent: 5
    }
  }

  private struct Body: Encodable {
    var topic: String
    var title: String
    var message: String
    var priority: Int
    var tags: [String]?
    var click: String?
    var actions: [Action]?
    var delay: String?
    var sequence: String

    enum CodingKeys: String, CodingKey {
      case topic, title, message, priority, tags, click, actions, delay
      case sequence = "sequence_id"
    }
  }

  /// A button, by which the telephone itself sends the answer.
  ///
  /// Where the telephone shows none, a press on the message opens the page.
  private struct Action: Encodable {
    var action = "http"
    var label: String
    var url: String
    var method = "POST"
    var body: String
    var clear = true

    init(_ link: TapLink) {
      (label, url, body) = (link.label, link.address.text, link.body)
    }
  }

  /// The answer of a server to a message that it took.
  public struct Receipt: Hashable, Sendable {
    public var id: String
    /// Whether the same message again replaces it: the server knows its name.
    public var isReplaceable: Bool
  }

  /// Reads the answer to ``json``; `nil` if it is none of an ntfy server.
  public func receipt(_ answer: Data) -> Receipt? {
    guard let known = try? JSONDecoder().decode(Answer.self, from: answer) else { return nil }
    return Receipt(id: known.id, isReplaceable: known.sequence == message.id.text)
  }

  private struct Answer: Decodable {
    var id: String
    var sequence: String?

    enum CodingKeys: String, CodingKey {
      case id
      case sequence = "sequence_id"
    }
  }
}
