/// Which columns of a motion file hold what.
struct MotionColumns: Sendable {
  /// The names by slot: 0 is the time, 1…3 the acceleration, 4…6 the angular rate.
  static let names = ["t", "x", "y", "z", "gx", "gy", "gz"]

  /// How many columns a header can have before the last that is needed.
  static let most = 64

  /// For each column the slot that it fills, -1 for none.
  private var slots: InlineArray<64, Int8> = .init(repeating: -1)
  /// How many columns there are up to the last that is needed.
  let count: Int
  /// Whether there is a gyroscope.
  let hasAngularRate: Bool

  /// Reads a header.
  init(header: [UInt8]) throws(LineProblem) {
    let header = CSVHeader(header)
    let time = try Self.positions(["t"], in: header)
    let plain = try Self.positions(["x", "y", "z"], in: header)
    let acceleration = try Self.positions(["ax", "ay", "az"], in: header) ?? plain
    guard let time, let acceleration else {
      throw LineProblem(
        "a motion file needs the columns t and x,y,z (or ax,ay,az); this one has"
          + " ‘\(header.summary)’")
    }
    let angularRate = try Self.positions(["gx", "gy", "gz"], in: header) ?? []
    let needed = time + acceleration + angularRate
    count = (needed.max() ?? 0) + 1
    guard count <= Self.most else {
      throw LineProblem(
        "the columns that count are too far to the right; put them among the first \(Self.most)")
    }
    for (slot, column) in needed.enumerated() { slots[column] = Int8(slot) }
    hasAngularRate = !angularRate.isEmpty
  }

  /// The slot that a column fills, -1 for none.
  @inline(__always)
  func slot(_ column: Int) -> Int { Int(slots[column]) }

  private static func positions(
    _ group: [String], in header: CSVHeader
  ) throws(LineProblem) -> [Int]? {
    var positions: [Int] = []
    for name in group {
      guard let position = try header.position(name) else { return nil }
      positions.append(position)
    }
    return positions
  }
}
