import Foundation

/// Splits a stream into lines in constant memory.
///
/// Lines end with LF or CR LF; a last line without an end counts. A line longer than the limit is
/// an error, so that a file without line ends cannot fill the memory.
struct LineReader {
  private var stream: any ByteStream
  private var block: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private(set) var lineNumber = 0
  private(set) var bytesRead = 0
  private let limit: Int

  /// The stream's name for messages.
  var name: String { stream.name }

  /// Reads `stream`, refusing lines of more than `limit` bytes.
  init(_ stream: any ByteStream, limit: Int = 1 << 20) {
    self.stream = stream
    self.limit = limit
  }

  /// The next line without its end, or `nil` after the last.
  mutating func next() throws(TraceError) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if position == block.count {
        guard try fill() else {
          guard !line.isEmpty else { return nil }
          return finished(line)
        }
      }
      let rest = block[position...]
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? block.endIndex
      guard line.count + (end - position) <= limit else {
        throw TraceError(
          file: name, line: lineNumber + 1,
          reason: "the line is longer than \(limit) bytes; this is no trace or motion file")
      }
      line.append(contentsOf: block[position..<end])
      position = min(end + 1, block.count)
      if end < block.endIndex { return finished(line) }
    }
  }

  private mutating func finished(_ line: [UInt8]) -> [UInt8] {
    lineNumber += 1
    return line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : line
  }

  private mutating func fill() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    block = Array(try stream.read(upTo: 1 << 16))
    bytesRead += block.count
    position = 0
    isAtEnd = block.isEmpty
    return !isAtEnd
  }
}
