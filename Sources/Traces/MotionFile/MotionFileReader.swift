public import Measurement

/// Reads a motion file (CSV with a header) in blocks, in constant memory.
///
/// Columns `t` (s) and `x,y,z` or `ax,ay,az`, optionally `gx,gy,gz` (deg/s); others are ignored. A
/// blank line is passed over; a row whose numbers cannot be read is an error with its line.
public struct MotionFileReader {
  /// Whether the file has a gyroscope's columns.
  public let hasAngularRate: Bool
  private let columns: Columns
  private let unit: MotionUnit
  private var lines: LineReader

  /// How many bytes have been read.
  public var bytesRead: Int { lines.bytesRead }

  private struct Columns {
    var time: Int
    var acceleration: [Int]
    var angularRate: [Int]
  }

  /// Reads the header.
  ///
  /// - Throws: ``TraceError`` where a column is missing or named twice.
  public init(_ stream: any ByteStream, unit: MotionUnit = .g) throws(TraceError) {
    lines = LineReader(stream, limit: 1 << 16)
    self.unit = unit
    guard var header = try lines.next() else {
      throw TraceError(
        file: stream.name, reason: "the file is empty; a motion file begins with its columns' names"
      )
    }
    if header.starts(with: [0xEF, 0xBB, 0xBF]) { header.removeFirst(3) }
    let names = header.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self).lowercased().filter { !" \"\t".contains($0) }
    }
    do {
      columns = try Self.columns(of: names)
    } catch {
      throw TraceError(file: stream.name, line: 1, reason: error.reason)
    }
    hasAngularRate = !columns.angularRate.isEmpty
  }

  private static func columns(of names: [String]) throws(LineProblem) -> Columns {
    func position(_ name: String) throws(LineProblem) -> Int? {
      guard let first = names.firstIndex(of: name) else { return nil }
      guard names.lastIndex(of: name) == first else {
        throw LineProblem("there are two columns ‘\(name)’")
      }
      return first
    }
    func group(_ group: [String]) throws(LineProblem) -> [Int]? {
      var positions: [Int] = []
      for name in group {
        guard let index = try position(name) else { return nil }
        positions.append(index)
      }
      return positions
    }
    let plain = try group(["x", "y", "z"])
    guard let time = try position("t"), let acceleration = try group(["ax", "ay", "az"]) ?? plain
    else {
      throw LineProblem(
        "a motion file needs the columns t and x,y,z (or ax,ay,az); this one has"
          + " ‘\(names.joined(separator: ",").prefix(100))’")
    }
    return Columns(
      time: time, acceleration: acceleration, angularRate: try group(["gx", "gy", "gz"]) ?? [])
  }

  /// The next block of at most `limit` samples; empty after the last.
  public mutating func next(upTo limit: Int = 4096) throws(TraceError) -> [MotionSample] {
    var block: [MotionSample] = []
    block.reserveCapacity(limit)
    while block.count < limit, let line = try lines.next() {
      guard !line.isEmpty else { continue }
      do {
        block.append(try sample(line))
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, reason: error.reason)
      }
    }
    return block
  }

  private func sample(_ line: [UInt8]) throws(LineProblem) -> MotionSample {
    let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    func number(_ column: Int, _ name: String) throws(LineProblem) -> Int64 {
      guard column < fields.count else {
        throw LineProblem(
          "the row has \(fields.count) columns and ends before ‘\(name)’; the file may be cut off")
      }
      guard let value = DecimalField.billionths(fields[column]) else {
        let text = String(decoding: fields[column].prefix(40), as: UTF8.self)
        throw LineProblem("‘\(text)’ in column ‘\(name)’ is no number that a sensor gives")
      }
      return value
    }
    let ratio = unit.ratio
    func acceleration(_ axis: Int) throws(LineProblem) -> Int32 {
      try Self.scale(
        try number(columns.acceleration[axis], ["x", "y", "z"][axis]), ratio.numerator,
        ratio.denominator)
    }
    let vector = Vector3(
      x: try acceleration(0), y: try acceleration(1), z: try acceleration(2))
    var rate: Vector3?
    if hasAngularRate {
      func angle(_ axis: Int) throws(LineProblem) -> Int32 {
        try Self.scale(
          try number(columns.angularRate[axis], ["gx", "gy", "gz"][axis]), 1, 1_000_000)
      }
      rate = Vector3(x: try angle(0), y: try angle(1), z: try angle(2))
    }
    return MotionSample(
      time: try number(columns.time, "t") / 1000, acceleration: vector, angularRate: rate)
  }

  /// `value * numerator / denominator`, rounded half away from zero.
  private static func scale(
    _ value: Int64, _ numerator: Int64, _ denominator: Int64
  ) throws(LineProblem) -> Int32 {
    let (product, overflow) = value.multipliedReportingOverflow(by: numerator)
    let half = product < 0 ? -(denominator / 2) : denominator / 2
    let (sum, carried) = product.addingReportingOverflow(half)
    guard !overflow, !carried, let scaled = Int32(exactly: sum / denominator) else {
      throw LineProblem("\(Double(value) / 1e9) is more than any sensor measures; check --unit")
    }
    return scaled
  }
}
