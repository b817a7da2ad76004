import Foundation

/// Splits a stream into lines in constant memory.
///
/// Lines end with LF or CR LF; a last line without an end counts. A line longer than the limit is
/// an error, so that a file without line ends cannot fill the memory.
struct LineReader {
  /// How much is read at a time.
  private static let blockSize = 1 << 17

  /// The current block; ``nextRange()`` gives the range of a line in it.
  private(set) var bytes: [UInt8] = []
  private(set) var lineNumber = 0
  private(set) var bytesRead = 0
  /// Whether the line that was read last is the file's last one, and has no end.
  private(set) var isOpenEnded = false
  private var stream: any ByteStream
  /// Where in ``bytes`` the next line begins.
  private(set) var position = 0
  private var isAtEnd = false
  private let limit: Int

  /// The stream's name for errors.
  var name: String { stream.name }

  /// Reads `stream`, refusing lines of more than `limit` bytes.
  init(_ stream: any ByteStream, limit: Int = 1 << 20) {
    self.stream = stream
    self.limit = limit
  }

  /// The next line without its end, or `nil` after the last.
  mutating func next() throws(TraceError) -> [UInt8]? {
    try nextRange().map { Array(bytes[$0]) }
  }

  /// Where in ``bytes`` the next line is, without its end; `nil` after the last.
  mutating func nextRange() throws(TraceError) -> Range<Int>? {
    var searched = position
    while true {
      if let end = Self.lineEnd(in: bytes.span, from: searched) {
        defer { position = end + 1 }
        return try finished(position..<end)
      }
      searched = bytes.count - position
      guard try fill() else {
        guard position < bytes.count else { return nil }
        defer { position = bytes.count }
        isOpenEnded = true
        return try finished(position..<bytes.count)
      }
    }
  }

  /// Skips lines that were read in place.
  mutating func pass(to position: Int, lines: Int) {
    self.position = position
    lineNumber += lines
  }

  private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") { return index }
      index += 1
    }
    return nil
  }

  private mutating func finished(_ line: Range<Int>) throws(TraceError) -> Range<Int> {
    lineNumber += 1
    try check(length: line.count, line: lineNumber)
    let hasReturn = !line.isEmpty && bytes[line.upperBound - 1] == UInt8(ascii: "\r")
    return hasReturn ? line.lowerBound..<(line.upperBound - 1) : line
  }

  private func check(length: Int, line: Int) throws(TraceError) {
    guard length <= limit else {
      throw TraceError(file: name, line: line, .longLine(limit: limit))
    }
  }

  /// Keeps the rest of the block and appends the next one.
  private mutating func fill() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    try check(length: bytes.count - position, line: lineNumber + 1)
    let block = try stream.read(upTo: Self.blockSize)
    isAtEnd = block.isEmpty
    guard !isAtEnd else { return false }
    bytesRead += block.count
    bytes.removeSubrange(0..<position)
    bytes.append(contentsOf: block)
    position = 0
    return true
  }
}
