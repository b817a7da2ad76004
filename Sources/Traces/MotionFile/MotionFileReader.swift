public import Motion

/// Reads a motion file (CSV with a header) in blocks, in constant memory.
///
/// Columns `t` (s) and `x,y,z` or `ax,ay,az`, optionally `gx,gy,gz` (deg/s); others are ignored.
/// Blank lines are skipped; a row with an unreadable number is an error with its line.
public struct MotionFileReader {
  private let parser: MotionRowParser
  private var lines: LineReader

  /// Whether the file has a gyroscope's columns.
  public var hasAngularRate: Bool { parser.columns.hasAngularRate }

  /// How many bytes have been read.
  public var bytesRead: Int { lines.bytesRead }

  /// Reads the header.
  ///
  /// - Throws: ``TraceError`` if a column is missing or duplicate.
  public init(_ stream: any ByteStream, unit: MotionUnit = .g) throws(TraceError) {
    lines = LineReader(stream, limit: 1 << 16)
    guard let header = try lines.next() else {
      throw TraceError(file: stream.name, .empty(.motion))
    }
    do {
      parser = MotionRowParser(columns: try MotionColumns(header: header), unit: unit)
    } catch {
      throw TraceError(file: stream.name, line: 1, error)
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
        throw TraceError(file: lines.name, line: lines.lineNumber, error)
      }
    }
    return block
  }

  /// Reads plain rows in place, up to the first row that is not plain.
  private mutating func readPlainRows(into block: inout [MotionSample], upTo limit: Int) {
    let before = block.count
    let position = parser.plainRows(
      lines.bytes.span, from: lines.position, into: &block, upTo: limit)
    lines.pass(to: position, lines: block.count - before)
  }
}

// MARK: - Unit

/// The unit of a motion file's acceleration columns.
public enum MotionUnit: Hashable, Sendable {
  /// Standard gravity, 9.80665 m/s².
  case g
  /// Thousandths of it.
  case milliG
  /// Metres a second squared.
  case metresPerSecondSquared
  /// Raw counts of a sensor, `perG` of them to 1 g.
  case counts(perG: Int64)

  /// Reads `g`, `mg`, `m/s2` or `counts:4096`.
  ///
  /// - Returns: `nil` for anything else, and for counts that are not 1…1 000 000 000 to 1 g.
  public init?(_ text: String) {
    switch text {
    case "g": self = .g
    case "mg": self = .milliG
    case "m/s2", "m/s^2", "m/s²": self = .metresPerSecondSquared
    default:
      guard text.hasPrefix("counts:"), let counts = Int64(text.dropFirst(7)),
        (1...1_000_000_000).contains(counts)
      else { return nil }
      self = .counts(perG: counts)
    }
  }

  /// Micro-g for a number of billionths of the unit, as a ratio: `billionths * numerator / denominator`.
  var ratio: (numerator: Int64, denominator: Int64) {
    switch self {
    case .g: (1, 1000)
    case .milliG: (1, 1_000_000)
    // 1 m/s² = 1/9.80665 g, so 10⁻⁹ of it is 10⁻³/9.80665 = 100/980665 micro-g.
    case .metresPerSecondSquared: (100, 980_665)
    case .counts(let perG): (1, 1000 * perG)
    }
  }
}

// MARK: - Columns

/// The meaning of a motion file's columns.
struct MotionColumns: Sendable {
  /// The names by slot: 0 is the time, 1…3 the acceleration, 4…6 the angular rate.
  static let names = ["t", "x", "y", "z", "gx", "gy", "gz"]

  /// The greatest position of a needed column, plus one.
  static let most = 64

  /// The slot of each column, -1 for an ignored one.
  private var slots: InlineArray<64, Int8> = .init(repeating: -1)
  /// The number of columns up to the last needed one.
  let count: Int
  /// The number of the header's columns.
  let width: Int
  /// The file's header.
  let header: CSVHeader
  /// Whether there is a gyroscope.
  let hasAngularRate: Bool

  /// Reads a header.
  init(header: [UInt8]) throws(TraceError.Problem) {
    let header = CSVHeader(header)
    self.header = header
    width = header.names.count
    let time = try Self.positions(["t"], in: header)
    let plain = try Self.positions(["x", "y", "z"], in: header)
    let acceleration = try Self.positions(["ax", "ay", "az"], in: header) ?? plain
    guard let time, let acceleration else {
      throw .noMotionColumns(header: header.summary)
    }
    let angularRate = try Self.positions(["gx", "gy", "gz"], in: header) ?? []
    let needed = time + acceleration + angularRate
    count = (needed.max() ?? 0) + 1
    guard count <= Self.most else { throw .farColumn(limit: Self.most) }
    for (slot, column) in needed.enumerated() { slots[column] = Int8(slot) }
    hasAngularRate = !angularRate.isEmpty
  }

  /// The slot of a column, -1 for an ignored one.
  @inline(__always)
  func slot(_ column: Int) -> Int { Int(slots[column]) }

  private static func positions(
    _ group: [String], in header: CSVHeader
  ) throws(TraceError.Problem) -> [Int]? {
    var positions: [Int] = []
    for name in group {
      guard let position = try header.position(name) else { return nil }
      positions.append(position)
    }
    return positions
  }
}
