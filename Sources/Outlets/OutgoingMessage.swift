import Care
import Digests

/// The name of what leaves: it follows from what that is, so that sending it again is no second one.
public struct ItemID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// 32 lower-case hexadecimal digits, which every channel takes as a name.
  public let text: String

  /// The name of what these parts describe, in their order: kind, person, task, occurrence, channel.
  public init(of parts: [String]) {
    var bytes: [UInt8] = []
    for part in parts {
      // Lengths keep `["ab", "c"]` and `["a", "bc"]` apart.
      bytes += Array(String(part.utf8.count).utf8) + [0x3A] + Array(part.utf8)
    }
    text = SHA256.digest(of: bytes).prefix(16).hexString
  }

  /// Reads a name; `nil` for what is none.
  public init?(_ text: String) {
    // In lower case alone: an item has one name.
    guard let bytes = [UInt8](hex: text), bytes.count == 16, bytes.hexString == text else {
      return nil
    }
    self.text = text
  }

  public var description: String { text }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = ItemID(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "this is no name of an item"))
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  public static func < (one: Self, other: Self) -> Bool { one.text < other.text }
}

/// A message to one person, as every channel takes it.
public struct OutgoingMessage: Hashable, Sendable {
  public var id: ItemID
  /// One line, in the language of the reader; without a name or a value unless the plan allows them,
  /// since a locked telephone shows it.
  public var title: String
  /// Lines, likewise.
  public var body: String
  public var urgency: Urgency
  /// The links by which it is answered, the likeliest first; none if the settings do not say where
  /// telephones reach the page.
  public var links: [TapLink]

  /// How soon it must be seen.
  public enum Urgency: String, Hashable, Sendable, CaseIterable {
    /// It waits for a digest.
    case low
    case normal
    /// It rings in quiet hours, too.
    case urgent
  }

  /// Makes a message.
  public init(
    id: ItemID, title: String, body: String, urgency: Urgency = .normal, links: [TapLink] = []
  ) {
    self.id = id
    self.title = title
    self.body = body
    self.urgency = urgency
    self.links = links
  }
}

extension String {
  /// One line of it: control characters and line breaks, which would begin a further header, are spaces.
  var oneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator, .surrogate: " "
          default: scalar
          }
        }))
  }

  /// Its beginning in at most so many bytes of UTF-8, with an ellipsis if something is left out.
  package func shortened(toBytes most: Int) -> String {
    guard utf8.count > most else { return self }
    let ellipsis = "…"
    var kept = ""
    var bytes = ellipsis.utf8.count
    for character in self {
      bytes += character.utf8.count
      guard bytes <= most else { break }
      kept.append(character)
    }
    return kept + ellipsis
  }
}
