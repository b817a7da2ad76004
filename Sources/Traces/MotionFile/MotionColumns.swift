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
    let text = header.starts(with: [0xEF, 0xBB, 0xBF]) ? header.dropFirst(3) : header[...]
    let names = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self).lowercased().filter { !" \"\t".contains($0) }
    }
    let time = try Self.positions(["t"], in: names)
    let plain = try Self.positions(["x", "y", "z"], in: names)
    let acceleration = try Self.positions(["ax", "ay", "az"], in: names) ?? plain
    guard let time, let acceleration else {
      throw LineProblem(
        "a motion file needs the columns t and x,y,z (or ax,ay,az); this one has"
          + " ‘\(names.joined(separator: ",").prefix(100))’")
    }
    let angularRate = try Self.positions(["gx", "gy", "gz"], in: names) ?? []
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
    _ group: [String], in names: [String]
  ) throws(LineProblem) -> [Int]? {
    var positions: [Int] = []
    for name in group {
      guard let first = names.firstIndex(of: name) else { return nil }
      guard names.lastIndex(of: name) == first else {
        throw LineProblem("there are two columns ‘\(name)’")
      }
      positions.append(first)
    }
    return positions
  }
}
