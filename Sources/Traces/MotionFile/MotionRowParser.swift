import Motion

/// Reads the rows of a motion file in place.
struct MotionRowParser: Sendable {
  let layout: MotionLayout
  let unit: MotionUnit

  private var columns: MotionColumns { layout.columns }

  /// Whether the fast path may be tried: fields between commas, times in seconds.
  var hasPlainRows: Bool { layout.separator == UInt8(ascii: ",") && layout.time == .seconds }

  /// Reads plain rows up to the first row that is not plain or does not end within `bytes`.
  ///
  /// - Returns: The position of that row.
  func plainRows(
    _ bytes: Span<UInt8>, from start: Int, into block: inout [MotionSample], upTo limit: Int
  ) -> Int {
    var position = start
    let columns = columns
    while block.count < limit,
      case .sample(let sample, let next) = plainRow(bytes, at: position, columns)
    {
      block.append(sample)
      position = next
    }
    return position
  }

  /// The result of reading a row on the fast path.
  private enum Row {
    /// A sample; the next row begins at `next`.
    case sample(MotionSample, next: Int)
    /// The row is not plain, or does not end within the bytes.
    case unclear
  }

  /// Reads the row that begins at `start`, if all its numbers are plain.
  @inline(__always)
  private func plainRow(
    _ bytes: Span<UInt8>, at start: Int, _ columns: borrowing MotionColumns
  ) -> Row {
    var values: InlineArray<7, Int64> = .init(repeating: 0)
    var index = start
    var column = 0
    while column < columns.count {
      let slot = columns.slot(column)
      if slot >= 0 {
        guard let value = DecimalField.plain(bytes, at: &index) else { return .unclear }
        values[slot] = value
      } else {
        while index < bytes.count, bytes[index] != UInt8(ascii: ","), bytes[index] >= 0x20 {
          index += 1
        }
      }
      column += 1
      guard index < bytes.count else { return .unclear }
      if column < columns.count {
        guard bytes[index] == UInt8(ascii: ",") else { return .unclear }
        index += 1
      }
    }
    // A row that may be longer than the header is read with care.
    var commas = columns.width - columns.count
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
      if bytes[index] == UInt8(ascii: ",") { commas -= 1 }
      index += 1
    }
    guard index < bytes.count, commas >= 0, let sample = plainSample(values, columns) else {
      return .unclear
    }
    return .sample(sample, next: index + 1)
  }

  /// The sample of a row; `nil` for values out of range.
  @inline(__always)
  private func plainSample(
    _ values: InlineArray<7, Int64>, _ columns: borrowing MotionColumns
  ) -> MotionSample? {
    guard case .g = unit else { return try? sample(values, time: values[0] / 1000) }
    // A division by a constant compiles to a multiplication, so the most common unit has its own path.
    guard let x = Int32(exactly: Self.rounded(values[1], by: 1000)),
      let y = Int32(exactly: Self.rounded(values[2], by: 1000)),
      let z = Int32(exactly: Self.rounded(values[3], by: 1000))
    else { return nil }
    var rate: Vector3?
    if columns.hasAngularRate {
      guard let gx = Int32(exactly: Self.rounded(values[4], by: 1_000_000)),
        let gy = Int32(exactly: Self.rounded(values[5], by: 1_000_000)),
        let gz = Int32(exactly: Self.rounded(values[6], by: 1_000_000))
      else { return nil }
      rate = Vector3(x: gx, y: gy, z: gz)
    }
    return MotionSample(
      time: values[0] / 1000, acceleration: Vector3(x: x, y: y, z: z), angularRate: rate)
  }

  /// Reads any row.
  ///
  /// - Parameters:
  ///   - bytes: The bytes around the row.
  ///   - line: The row without its end.
  ///   - number: How many rows came before it, for a file without times.
  /// - Returns: The sample, its time as the file has it, and whether that is a date without a zone.
  /// - Throws: `TraceError.Problem` for a row that is too short or too long, or no numbers.
  func row(
    _ bytes: Span<UInt8>, in line: Range<Int>, number: Int64
  ) throws(TraceError.Problem) -> (sample: MotionSample, isLocal: Bool) {
    try checkWidth(bytes, in: line)
    var values: InlineArray<7, Int64> = .init(repeating: 0)
    var time: Int64 = 0
    var isLocal = false
    var start = line.lowerBound
    for column in 0..<columns.count {
      guard start <= line.upperBound else { throw short(at: column) }
      let end = fieldEnd(bytes, from: start, in: line)
      switch columns.slot(column) {
      case ..<0: break
      case 0:
        guard let moment = layout.time.read(bytes, in: start..<end, point: layout.point) else {
          throw unreadable(bytes, in: start..<end, column)
        }
        time = moment.microseconds
        isLocal = moment.isLocal
      case let slot:
        guard
          let value = DecimalField.number(
            bytes, in: start..<end, decimals: 9, point: layout.point)
        else { throw unreadable(bytes, in: start..<end, column) }
        values[slot] = value
      }
      start = end + 1
    }
    if case .rate(let millihertz) = layout.time {
      time = number &* 1_000_000_000 / millihertz
      isLocal = true
    }
    return (try sample(values, time: time), isLocal)
  }

  /// The Unix time in microseconds that a row's clock column shows.
  func clock(_ bytes: Span<UInt8>, in line: Range<Int>) -> Int64? {
    guard let clock = layout.clock else { return nil }
    var start = line.lowerBound
    for column in 0...clock.column {
      guard start <= line.upperBound else { return nil }
      let end = fieldEnd(bytes, from: start, in: line)
      if column == clock.column {
        return DecimalField.number(
          bytes, in: start..<end, decimals: clock.decimals, point: layout.point)
      }
      start = end + 1
    }
    return nil
  }

  private func fieldEnd(_ bytes: Span<UInt8>, from start: Int, in line: Range<Int>) -> Int {
    var end = start
    while end < line.upperBound, bytes[end] != layout.separator { end += 1 }
    return end
  }

  /// Refuses a row that is longer than the header.
  private func checkWidth(
    _ bytes: Span<UInt8>, in line: Range<Int>
  ) throws(TraceError.Problem) {
    var count = 1
    var isLonger = false
    for index in line {
      if bytes[index] == layout.separator {
        count += 1
      } else if count > columns.width, bytes[index] > UInt8(ascii: " ") {
        isLonger = true
      }
    }
    if isLonger { throw .longRow(columns: count, header: columns.width) }
  }

  private func sample(
    _ values: InlineArray<7, Int64>, time: Int64
  ) throws(TraceError.Problem) -> MotionSample {
    MotionSample(
      time: time,
      acceleration: Vector3(
        x: try microG(values[1]), y: try microG(values[2]), z: try microG(values[3])),
      angularRate: columns.hasAngularRate
        ? Vector3(
          x: try Self.fit(values[4], Self.rounded(values[4], by: 1_000_000)),
          y: try Self.fit(values[5], Self.rounded(values[5], by: 1_000_000)),
          z: try Self.fit(values[6], Self.rounded(values[6], by: 1_000_000))) : nil)
  }

  /// Billionths of the file's unit in micro-g.
  private func microG(_ value: Int64) throws(TraceError.Problem) -> Int32 {
    let ratio = unit.ratio
    let (product, overflow) = value.multipliedReportingOverflow(by: ratio.numerator)
    return try Self.fit(value, overflow ? .max : Self.rounded(product, by: ratio.denominator))
  }

  /// `value` / `divisor`, rounded half away from zero.
  @inline(__always)
  private static func rounded(_ value: Int64, by divisor: Int64) -> Int64 {
    let half = value < 0 ? -(divisor / 2) : divisor / 2
    let (sum, overflow) = value.addingReportingOverflow(half)
    return overflow ? .max : sum / divisor
  }

  private static func fit(_ value: Int64, _ scaled: Int64) throws(TraceError.Problem) -> Int32 {
    guard let fitting = Int32(exactly: scaled) else {
      throw .numberRange(Double(value) / 1e9)
    }
    return fitting
  }

  private func short(at column: Int) -> TraceError.Problem {
    let missing = (column..<columns.count).first { columns.slot($0) >= 0 } ?? column
    return .shortRow(columns: column, before: columns.name(missing))
  }

  private func unreadable(
    _ bytes: Span<UInt8>, in range: Range<Int>, _ column: Int
  ) -> TraceError.Problem {
    let text = String(decoding: range.prefix(40).map { bytes[$0] }, as: UTF8.self)
    guard columns.slot(column) == 0, case .date = layout.time else {
      return .invalidNumber(text, column: columns.name(column))
    }
    return .invalidTime(text, column: columns.name(column))
  }
}
