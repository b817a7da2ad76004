import FixedPoint

/// The course of one body's weight through its weighings, as the evidence follows it.
public struct Course: Hashable, Sendable {
  /// One for each weighing.
  public var points: [Point]

  /// Where the weight is on the day of a weighing, with all weighings up to it.
  public struct Point: Hashable, Sendable {
    /// The local calendar day, as of the weighing.
    public var day: Int
    /// The weight in g.
    public var weight: Int
    /// The standard deviation in g of a weighing on that day.
    public var deviation: Int
  }

  /// Follows the weighings of one body, oldest first.
  public init(of weighings: [Weighing]) {
    points = []
    guard let first = weighings.first else { return }
    points.reserveCapacity(weighings.count)
    var estimate = Estimate(first: first)
    var day = first.day
    for (place, weighing) in weighings.enumerated() {
      for _ in 0..<min(max(weighing.day.subtractingReportingOverflow(day).partialValue, 0), 400) {
        estimate.advance()
      }
      day = max(day, weighing.day)
      if place > 0 { estimate.learn(weighing) }
      points.append(
        Point(
          day: day, weight: Int(estimate.level >> 8), deviation: Int(estimate.deviation)))
    }
  }
}
