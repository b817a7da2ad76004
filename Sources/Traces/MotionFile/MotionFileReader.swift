public import Motion

/// Reads a motion file (CSV with a header) in blocks, in constant memory.
///
/// Columns `t` (s) and `x,y,z` or `ax,ay,az`, optionally `gx,gy,gz` (deg/s); others are ignored. A
/// blank line is passed over; a row whose numbers cannot be read is an error with its line.
public struct MotionFileReader {
  private let parser: MotionRowParser
  private var lines: LineReader

  /// Whether the file has a gyroscope's columns.
  public var hasAngularRate: Bool { parser.columns.hasAngularRate }

  /// How many bytes have been read.
  public var bytesRead: Int { lines.bytesRead }

  /// Reads the header.
  ///
  /// - Throws: ``TraceError`` where a column is missing or named twice.
  public init(_ stream: any ByteStream, unit: MotionUnit = .g) throws(TraceError) {
    lines = LineReader(stream, limit: 1 << 16)
    guard let header = try lines.next() else {
      throw TraceError(
        file: stream.name, reason: "the file is empty; a motion file begins with its columns' names"
      )
    }
    do {
      parser = MotionRowParser(columns: try MotionColumns(header: header), unit: unit)
    } catch {
      throw TraceError(file: stream.name, line: 1, reason: error.reason)
    }
  }

  /// The next block of at most `limit` samples; empty after the last.
  public mutating func next(upTo limit: Int = 4096) throws(TraceError) -> [MotionSample] {
    var block: [MotionSample] = []
    block.reserveCapacity(limit)
    while block.count < limit {
      readPlainRows(into: &block, upTo: limit)
      guard block.count < limit, let line = try lines.nextRange() else { break }
      guard !line.isEmpty else { continue }
      do {
        block.append(try parser.row(lines.bytes.span, in: line))
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, reason: error.reason)
      }
    }
    return block
  }

  /// Reads rows where they lie, up to the first that needs a closer look.
  private mutating func readPlainRows(into block: inout [MotionSample], upTo limit: Int) {
    let before = block.count
    let position = parser.plainRows(
      lines.bytes.span, from: lines.position, into: &block, upTo: limit)
    lines.pass(to: position, lines: block.count - before)
  }
}
