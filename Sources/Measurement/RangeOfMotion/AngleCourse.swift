/// An angle followed over time without ever jumping round the circle.
struct AngleCourse: Hashable, Sendable {
  /// A whole turn in microdegrees.
  static let turn: Int64 = 360_000_000

  /// The first angle in microdegrees, -180° to 180°; the others go on from it.
  private(set) var first: Int64?
  /// The newest angle.
  private(set) var last: Int64?
  /// The smallest and the largest angle so far.
  private(set) var lowest: Int64 = 0
  private(set) var highest: Int64 = 0

  /// Takes the next direction in microdegrees, of which whole turns mean nothing.
  mutating func add(_ angle: Int64) {
    guard let previous = last else {
      first = angle
      last = angle
      lowest = angle
      highest = angle
      return
    }
    let next = previous + Self.principal(angle - previous)
    last = next
    lowest = min(lowest, next)
    highest = max(highest, next)
  }

  /// The angle without whole turns, -180° to 180°.
  static func principal(_ angle: Int64) -> Int64 {
    let rest = angle % turn
    return rest > turn / 2 ? rest - turn : rest < -turn / 2 ? rest + turn : rest
  }
}
