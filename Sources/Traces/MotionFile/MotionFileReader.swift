public import Measurement

/// Reads a motion file (CSV with a header) in blocks, in constant memory.
///
/// Columns `t` (s) and `x,y,z` or `ax,ay,az`, optionally `gx,gy,gz` (deg/s); others are ignored. A
/// blank line is passed over; a row whose numbers cannot be read is an error with its line.
public struct MotionFileReader {
  private let columns: MotionColumns
  private let scale: Scale
  private var lines: LineReader

  /// Whether the file has a gyroscope's columns.
  public var hasAngularRate: Bool { columns.hasAngularRate }

  /// How many bytes have been read.
  public var bytesRead: Int { lines.bytesRead }

  /// Micro-g for billionths of the file's unit, as a ratio.
  private struct Scale {
    var numerator: Int64
    var denominator: Int64
  }

  /// Reads the header.
  ///
  /// - Throws: ``TraceError`` where a column is missing or named twice.
  public init(_ stream: any ByteStream, unit: MotionUnit = .g) throws(TraceError) {
    lines = LineReader(stream, limit: 1 << 16)
    scale = Scale(numerator: unit.ratio.numerator, denominator: unit.ratio.denominator)
    guard let header = try lines.next() else {
      throw TraceError(
        file: stream.name, reason: "the file is empty; a motion file begins with its columns' names"
      )
    }
    do {
      columns = try MotionColumns(header: header)
    } catch {
      throw TraceError(file: stream.name, line: 1, reason: error.reason)
    }
  }

  /// The next block of at most `limit` samples; empty after the last.
  public mutating func next(upTo limit: Int = 4096) throws(TraceError) -> [MotionSample] {
    var block: [MotionSample] = []
    block.reserveCapacity(limit)
    while block.count < limit, let line = try lines.nextRange() {
      guard !line.isEmpty else { continue }
      do {
        block.append(try sample(lines.bytes.span, in: line))
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, reason: error.reason)
      }
    }
    return block
  }

  private func sample(
    _ bytes: Span<UInt8>, in line: Range<Int>
  ) throws(LineProblem) -> MotionSample {
    var values: InlineArray<7, Int64> = .init(repeating: 0)
    var start = line.lowerBound
    for column in columns.slots.indices {
      guard start <= line.upperBound else { throw Self.short(columns, at: column) }
      var end = start
      while end < line.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
      let slot = columns.slots[column]
      if slot >= 0 {
        guard let value = DecimalField.billionths(bytes, in: start..<end) else {
          throw Self.unreadable(bytes, in: start..<end, slot: slot)
        }
        values[slot] = value
      }
      start = end + 1
    }
    return MotionSample(
      time: values[0] / 1000,
      acceleration: Vector3(
        x: try Self.scaled(values[1], scale), y: try Self.scaled(values[2], scale),
        z: try Self.scaled(values[3], scale)),
      angularRate: columns.hasAngularRate
        ? Vector3(
          x: try Self.scaled(values[4], Self.milli), y: try Self.scaled(values[5], Self.milli),
          z: try Self.scaled(values[6], Self.milli)) : nil)
  }

  /// Thousandths for billionths.
  private static let milli = Scale(numerator: 1, denominator: 1_000_000)

  /// `value` times `scale`, rounded half away from zero.
  @inline(__always)
  private static func scaled(_ value: Int64, _ scale: Scale) throws(LineProblem) -> Int32 {
    let (product, overflow) = value.multipliedReportingOverflow(by: scale.numerator)
    let half = product < 0 ? -(scale.denominator / 2) : scale.denominator / 2
    let (sum, carried) = product.addingReportingOverflow(half)
    guard !overflow, !carried, let scaled = Int32(exactly: sum / scale.denominator) else {
      throw LineProblem("\(Double(value) / 1e9) is more than any sensor measures; check --unit")
    }
    return scaled
  }

  private static func short(_ columns: MotionColumns, at column: Int) -> LineProblem {
    let missing = columns.slots[column...].first { $0 >= 0 } ?? 0
    return LineProblem(
      "the row has \(column) columns and ends before ‘\(MotionColumns.names[missing])’; the file may"
        + " be cut off")
  }

  private static func unreadable(
    _ bytes: Span<UInt8>, in range: Range<Int>, slot: Int
  ) -> LineProblem {
    let text = String(decoding: range.prefix(40).map { bytes[$0] }, as: UTF8.self)
    return LineProblem(
      "‘\(text)’ in column ‘\(MotionColumns.names[slot])’ is no number that a sensor gives")
  }
}
