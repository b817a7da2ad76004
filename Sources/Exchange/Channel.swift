import Care
package import CareStore
import Digests
import Foundation

extension RowStream {
  /// Whether its rows are long: they come last, and wait where many boxes speak at once.
  package var isLong: Bool { self == .hours || self == .attachments }
}

/// The name of a channel: one box's store and one centre's store with a common past.
package struct ChannelID: Hashable, Sendable, Comparable {
  /// 128 random bits that the box made, in hex digits.
  package let text: String

  /// Makes a name of 16 bytes.
  package init(bytes: [UInt8]) { text = bytes.prefix(16).hexString }

  /// Reads a name; `nil` for anything but 32 hex digits.
  package init?(text: String) {
    guard text.utf8.count == 32, [UInt8](hex: text)?.hexString == text else { return nil }
    self.text = text
  }

  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }
}

/// A part of the rows that travels in order, by itself.
package struct StreamKey: Hashable, Sendable, Comparable {
  /// Which rows of the stream.
  package enum Part: Hashable, Sendable {
    /// All of them.
    case whole
    /// Those that concern a person.
    case person(String)
    /// The changes of the samples that the box delivered.
    case delivered
  }

  package let stream: RowStream
  package let part: Part

  /// Makes a key.
  package init(_ stream: RowStream, _ part: Part = .whole) {
    (self.stream, self.part) = (stream, part)
  }

  /// The keys of what a centre has for a box with these people, in the order in which it asks.
  static func down(_ stream: RowStream, people: Set<String>) -> [StreamKey] {
    guard stream != .marks else { return [StreamKey(.marks)] }
    guard !people.isEmpty else { return [] }
    let keys = people.sorted().map { StreamKey(stream, .person($0)) }
    return stream == .quick ? keys + [StreamKey(.quick, .delivered)] : keys
  }

  /// All keys of what a centre has for a box with these people.
  static func down(people: Set<String>) -> [StreamKey] {
    RowStream.allCases.flatMap { down($0, people: people) }
  }

  /// The key as one text.
  package var text: String {
    switch part {
    case .whole: stream.rawValue
    case .person(let person): stream.rawValue + "/person/" + person
    case .delivered: stream.rawValue + "/delivered"
    }
  }

  /// Reads ``text``; `nil` for anything else.
  package init?(text: String) {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard let stream = parts.first.flatMap({ RowStream(rawValue: String($0)) }) else { return nil }
    switch parts.count {
    case 1: self.init(stream)
    case 2 where parts[1] == "delivered": self.init(stream, .delivered)
    case 3 where parts[1] == "person" && !parts[2].isEmpty:
      self.init(stream, .person(String(parts[2])))
    default: return nil
    }
  }

  package static func < (a: Self, b: Self) -> Bool { a.text < b.text }
}

/// The digest of all batches of a key so far, in their order: equal at both ends if nothing is
/// missing at either.
package struct Chain: Hashable, Sendable {
  /// 16 bytes in hex digits.
  package let text: String

  private init(of parts: [String]) {
    text = SHA256.digest(of: Array(parts.joined(separator: "\u{0}").utf8)).prefix(16).hexString
  }

  /// The chain before the first batch.
  package init(_ channel: ChannelID, _ key: StreamKey) { self.init(of: [channel.text, key.text]) }

  /// The chain after another batch.
  package func after(_ digest: String) -> Chain { Chain(of: [text, digest]) }

  /// Reads a chain; `nil` for anything but 32 hex digits.
  package init?(text: String) {
    guard let id = ChannelID(text: text) else { return nil }
    self.text = id.text
  }
}

/// A batch that was sent and may still arrive.
package struct SentBatch: Hashable, Sendable, Codable {
  /// The number of its last row.
  package var last: Int64
  package var digest: String
  /// The numbers of its rows, by name.
  package var rows: [RowName: Int64]
}

/// The sender's side of a key.
package struct Outgoing: Hashable, Sendable, Codable {
  /// The last number that the other side has acknowledged.
  package var acknowledged: Int64 = 0
  package var chain: Chain
  /// The batches that nobody has acknowledged; written before they are sent.
  package var sent: [SentBatch] = []
  /// The number up to which nothing else is to be sent.
  package var passed: Int64 = 0

  /// The most batches that are remembered.
  static let mostSent = 4

  init(_ channel: ChannelID, _ key: StreamKey) { chain = Chain(channel, key) }

  /// The batch that led to a chain.
  func sent(leadingTo chain: Chain) -> SentBatch? {
    sent.first { self.chain.after($0.digest) == chain }
  }

  mutating func acknowledge(_ batch: SentBatch) {
    chain = chain.after(batch.digest)
    (acknowledged, sent) = (batch.last, [])
  }
}

/// The receiver's side of a key.
package struct Incoming: Hashable, Sendable, Codable {
  /// The number of the last row, of the sender's.
  package var last: Int64 = 0
  package var chain: Chain
  /// The batch that came last, with the answer to it.
  package var latest: Latest?

  /// A batch that came, and what was answered.
  package struct Latest: Hashable, Sendable, Codable {
    /// The chain before it.
    package var base: Chain
    package var digest: String
    package var refused: [RowName: RowRefusal]
  }

  init(_ channel: ChannelID, _ key: StreamKey) { chain = Chain(channel, key) }

  mutating func take(_ batch: Batch, refused: [RowName: RowRefusal]) {
    latest = Latest(base: chain, digest: batch.digest, refused: refused)
    (last, chain) = (batch.last, chain.after(batch.digest))
  }
}

/// A row that the other side did not take, or that may not leave yet.
package struct ParkedRow: Hashable, Sendable, Codable {
  /// Its number when it was refused: another one is a new row.
  package var number: Int64
  package var reason: RowRefusal
  /// How many batches had been taken of this side's when it was offered last.
  package var taken = 0
  /// The session in which it was offered last.
  package var session = 0
  /// How often it was offered in vain.
  package var tries = 0
}

// MARK: - Coding

/// A value that is one text.
protocol TextCodable: Codable, CodingKeyRepresentable {
  var text: String { get }
  init?(text: String)
}

extension TextCodable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Self(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(Self.self)")
    }
    self = value
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  package var codingKey: any CodingKey { TextKey(stringValue: text) }

  package init?(codingKey: some CodingKey) { self.init(text: codingKey.stringValue) }
}

private struct TextKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension ChannelID: TextCodable {}
extension StreamKey: TextCodable {}
extension Chain: TextCodable {}
