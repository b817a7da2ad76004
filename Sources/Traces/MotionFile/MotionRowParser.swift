import Motion

/// Reads the rows of a motion file in place.
struct MotionRowParser: Sendable {
  let columns: MotionColumns
  let unit: MotionUnit

  /// Reads plain rows up to the first row that is not plain or does not end within `bytes`.
  ///
  /// - Returns: The position of that row.
  func plainRows(
    _ bytes: Span<UInt8>, from start: Int, into block: inout [MotionSample], upTo limit: Int
  ) -> Int {
    var position = start
    while block.count < limit, case .sample(let sample, let next) = plainRow(bytes, at: position) {
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
  private func plainRow(_ bytes: Span<UInt8>, at start: Int) -> Row {
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
    guard index < bytes.count, commas >= 0, let sample = plainSample(values) else {
      return .unclear
    }
    return .sample(sample, next: index + 1)
  }

  /// The sample of a row; `nil` for values out of range.
  @inline(__always)
  private func plainSample(_ values: InlineArray<7, Int64>) -> MotionSample? {
    guard case .g = unit else { return try? sample(values) }
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
  func row(_ bytes: Span<UInt8>, in line: Range<Int>) throws(TraceError.Problem) -> MotionSample {
    try checkWidth(bytes, in: line)
    var values: InlineArray<7, Int64> = .init(repeating: 0)
    var start = line.lowerBound
    for column in 0..<columns.count {
      guard start <= line.upperBound else { throw short(at: column) }
      var end = start
      while end < line.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
      let slot = columns.slot(column)
      if slot >= 0 {
        guard let value = DecimalField.billionths(bytes, in: start..<end) else {
          throw Self.unreadable(bytes, in: start..<end, slot: slot)
        }
        values[slot] = value
      }
      start = end + 1
    }
    return try sample(values)
  }

  /// Refuses a row that is longer than the header.
  private func checkWidth(
    _ bytes: Span<UInt8>, in line: Range<Int>
  ) throws(TraceError.Problem) {
    let row = line.map { bytes[$0] }
    try columns.header.check(
      width: row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false))
  }

  private func sample(_ values: InlineArray<7, Int64>) throws(TraceError.Problem) -> MotionSample {
    MotionSample(
      time: values[0] / 1000,
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
    let missing = (column..<columns.count).lazy.map(columns.slot).first { $0 >= 0 } ?? 0
    return .shortRow(columns: column, before: MotionColumns.names[missing])
  }

  private static func unreadable(
    _ bytes: Span<UInt8>, in range: Range<Int>, slot: Int
  ) -> TraceError.Problem {
    let text = String(decoding: range.prefix(40).map { bytes[$0] }, as: UTF8.self)
    return .invalidNumber(text, column: MotionColumns.names[slot])
  }
}
