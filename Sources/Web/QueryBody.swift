import Care
import Digests
import Foundation
import Interchange
import NIOCore

/// The answer to a query, in parts, with its entity tag.
///
/// Its memory is taken as it is written, and given back with its last copy.
struct QueryBody: Hashable, Sendable {
  /// The parts, none of them long, so that a reader that is slow has one of them in the channel.
  let parts: [ByteBuffer]
  /// How many bytes it has.
  let count: Int
  /// Half of the SHA-256 of the body, in hex.
  let tag: String
  private let memory: MemoryBudget.Part

  fileprivate init(
    parts: [ByteBuffer], count: Int, tag: String, memory: MemoryBudget.Part
  ) {
    self.parts = parts
    self.count = count
    self.tag = tag
    self.memory = memory
  }

  static func == (one: QueryBody, other: QueryBody) -> Bool {
    one.count == other.count && one.tag == other.tag
  }

  func hash(into hasher: inout Hasher) { hasher.combine(tag) }

  /// The body as a server-sent event: a short one in one piece.
  var event: [ByteBuffer] {
    let lineEnd = UInt8(ascii: "\n")
    let lines = parts.map { part in
      guard part.readableBytesView.contains(lineEnd) else { return part }
      // A line end would end the field; JSON has none, other bodies may.
      let lines = part.readableBytesView.split(separator: lineEnd, omittingEmptySubsequences: false)
      return ByteBuffer(bytes: lines.joined(separator: Array("\ndata: ".utf8)))
    }
    var head = ByteBuffer(string: "id: \(tag)\ndata: ")
    guard lines.count > 1 else {
      for var line in lines { head.writeBuffer(&line) }
      head.writeString("\n\n")
      return [head]
    }
    return [head] + lines + [ByteBuffer(string: "\n\n")]
  }
}

/// A body that is being written: by what writes an answer, piece by piece, so that an answer is never
/// there twice.
struct BodyWriter: ~Copyable {
  /// The most bytes of an answer: fifty thousand events.
  static let longest = 16 << 20
  /// The most bytes of an answer that is sent again whenever it changes.
  static let longestStreamed = 256 << 10
  /// The bytes of a part.
  private static let part = 64 << 10

  /// The most bytes of this body.
  let most: Int
  private var parts: [ByteBuffer] = []
  private var count = 0
  private var hasElements = false
  private var digest = SHA256.Running()
  private let memory: MemoryBudget.Part

  /// Begins a body.
  ///
  /// - Throws: ``MemoryExhausted``.
  init(most: Int, memory: MemoryBudget) throws(MemoryExhausted) {
    self.most = most
    self.memory = try memory.take(0, for: .everybody)
  }

  /// Writes the next bytes.
  ///
  /// - Throws: ``AnswerTooLong``; ``MemoryExhausted``.
  mutating func write(_ data: some Collection<UInt8>) throws {
    guard data.count <= most - count else { throw AnswerTooLong(most: most) }
    count += data.count
    try memory.resize(to: count)
    let bytes = Array(data)
    digest.update(bytes)
    var rest = bytes[...]
    while !rest.isEmpty {
      if parts.last.map({ $0.readableBytes >= Self.part }) ?? true { parts.append(ByteBuffer()) }
      let last = parts.count - 1
      let piece = rest.prefix(Self.part - parts[last].readableBytes)
      parts[last].writeBytes(piece)
      rest = rest.dropFirst(piece.count)
    }
  }

  /// Writes an object with one list, `{"events":[…]}`, whose elements `append` adds in any number of
  /// calls.
  mutating func writeList(
    _ name: String, _ append: (inout BodyWriter) throws -> Void
  ) throws {
    hasElements = false
    try write(Array("{\"\(name)\":[".utf8))
    try append(&self)
    try write(Array("]}".utf8))
  }

  /// Adds elements to the list that is being written.
  ///
  /// One that no JSON can say as it is, because a number of it is none, says so in a text; the others
  /// are as they are.
  mutating func append(_ elements: [some Encodable]) throws {
    // An encoder for each would take longer, one for all more memory.
    for start in stride(from: 0, to: elements.count, by: 100) {
      let some = elements[start..<min(start + 100, elements.count)]
      var texts: [Data] = []
      do {
        texts = [Data(try JSONText.of(Array(some)).dropFirst().dropLast())]
      } catch is EncodingError {
        texts = try some.map { try JSONText.sayingAll(of: $0) }
      }
      for text in texts {
        if hasElements { try write([UInt8(ascii: ",")]) }
        hasElements = true
        try write(text)
      }
    }
  }

  /// Ends the body.
  consuming func finish() -> QueryBody {
    QueryBody(
      parts: parts, count: count, tag: digest.finish().prefix(16).hexString, memory: memory)
  }
}

/// An answer has more bytes than one may have.
struct AnswerTooLong: Error, Hashable {
  /// The most bytes.
  var most: Int

  /// Why it is refused, and what to do.
  var fault: Fault {
    most == BodyWriter.longestStreamed
      ? Fault(
        .malformed,
        "The answer has more than \(most >> 10) kB, too much for a stream. Ask for less, or without"
          + " a stream.")
      : Fault(.malformed, "The answer has more than \(most >> 20) MB. Ask for a shorter span.")
  }
}
