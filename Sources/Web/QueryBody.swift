import Care
import CareStore
import Digests
import Foundation
import Interchange
import NIOCore

/// The answer to a query, in parts, with its entity tag.
///
/// A long one is in a file without a name, so that it takes no more memory than a short one, however
/// slowly it is read. What it takes is taken as it is written, and given back with its last copy.
struct QueryBody: Hashable, Sendable {
  /// The parts in memory, none of them long, so that a reader that is slow has one of them in the
  /// channel.
  let parts: [ByteBuffer]
  /// The rest of the body, which follows them.
  private let rest: Rest?
  /// How many bytes it has.
  let count: Int
  /// Half of the SHA-256 of the body, in hex.
  let tag: String
  private let memory: MemoryBudget.Part

  /// The part of a body that is in a file.
  fileprivate struct Rest: Sendable {
    let file: UnnamedFile
    let disk: MemoryBudget.Part
    var count = 0
  }

  fileprivate init(
    parts: [ByteBuffer], rest: Rest?, count: Int, tag: String, memory: MemoryBudget.Part
  ) {
    self.parts = parts
    self.rest = rest
    self.count = count
    self.tag = tag
    self.memory = memory
  }

  /// The most bytes of it that a reader has in memory.
  var countInMemory: Int { rest == nil ? count : 2 * BodyWriter.part }

  /// How many bytes of it are in a file.
  var countInFile: Int { rest?.count ?? 0 }

  /// Reads the parts in order; those of the file when it is their turn.
  struct Reader {
    let body: QueryBody
    private var next = 0
    private var place = 0

    init(_ body: QueryBody) { self.body = body }

    /// Reads the next part.
    ///
    /// - Returns: `nil` after the last one.
    /// - Throws: `StoreError.notWritten(_:file:)` if the disk fails.
    mutating func part() throws -> ByteBuffer? {
      if next < body.parts.count {
        next += 1
        return body.parts[next - 1]
      }
      guard let rest = body.rest, place < rest.count else { return nil }
      let bytes = try rest.file.read(at: place, count: min(BodyWriter.part, rest.count - place))
      place += bytes.count
      return bytes.isEmpty ? nil : ByteBuffer(bytes: bytes)
    }
  }

  static func == (one: QueryBody, other: QueryBody) -> Bool {
    one.count == other.count && one.tag == other.tag
  }

  func hash(into hasher: inout Hasher) { hasher.combine(tag) }

  /// The body, which is all in memory, as a server-sent event: a short one in one piece.
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
  static let part = 64 << 10

  /// Where the rest of a long body goes.
  struct Spool: Sendable {
    /// The room on the disk.
    var disk: MemoryBudget
    var makeFile: @Sendable () throws -> UnnamedFile
    /// The bytes that stay in memory.
    var most = longestStreamed
    /// The least that a file counts for: there are not many.
    static let least = 1 << 20
  }

  /// The most bytes of this body.
  let most: Int
  private var parts: [ByteBuffer] = []
  private var rest: QueryBody.Rest?
  private var count = 0
  private var hasElements = false
  private var digest = SHA256.Running()
  private let memory: MemoryBudget.Part
  private let spool: Spool?

  /// Begins a body.
  ///
  /// - Parameters:
  ///   - most: The most bytes that it may have.
  ///   - memory: The memory for it.
  ///   - spool: Where the rest of a long one goes; `nil` for one that is all in memory.
  /// - Throws: ``MemoryExhausted``.
  init(most: Int, memory: MemoryBudget, spool: Spool? = nil) throws(MemoryExhausted) {
    self.most = most
    self.memory = try memory.take(0, for: .everybody)
    self.spool = spool
  }

  /// Writes the next bytes.
  ///
  /// - Throws: ``AnswerTooLong``; ``MemoryExhausted``.
  mutating func write(_ data: some Collection<UInt8>) throws {
    guard data.count <= most - count else { throw AnswerTooLong(most: most) }
    count += data.count
    let bytes = Array(data)
    digest.update(bytes)
    guard try !writeToFile(bytes) else { return }
    try memory.resize(to: count)
    var rest = bytes[...]
    while !rest.isEmpty {
      if parts.last.map({ $0.readableBytes >= Self.part }) ?? true { parts.append(ByteBuffer()) }
      let last = parts.count - 1
      let piece = rest.prefix(Self.part - parts[last].readableBytes)
      parts[last].writeBytes(piece)
      rest = rest.dropFirst(piece.count)
    }
  }

  /// Writes the next bytes of a long body to its file.
  ///
  /// - Returns: `false` for a short one, and where no file can be made.
  private mutating func writeToFile(_ bytes: [UInt8]) throws -> Bool {
    guard let spool, count > spool.most else { return false }
    if rest == nil, let file = try? spool.makeFile() {
      rest = QueryBody.Rest(file: file, disk: try spool.disk.take(Spool.least, for: .everybody))
    }
    guard let file = rest?.file, let disk = rest?.disk else { return false }
    let length = (rest?.count ?? 0) + bytes.count
    try disk.resize(to: max(length, Spool.least))
    try file.append(bytes)
    rest?.count = length
    return true
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
      parts: parts, rest: rest, count: count, tag: digest.finish().prefix(16).hexString,
      memory: memory)
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
