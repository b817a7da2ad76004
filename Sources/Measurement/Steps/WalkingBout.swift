/// A stretch of walking without a break.
public struct WalkingBout: Hashable, Sendable {
  /// When it began, in microseconds of the samples' own time: half a step before the first step.
  public var begin: Int64
  /// When it ended, likewise: half a step after the last step.
  public var end: Int64
  /// The steps taken.
  public var steps: Int

  /// Makes a bout.
  public init(begin: Int64, end: Int64, steps: Int) {
    self.begin = begin
    self.end = end
    self.steps = steps
  }

  /// The mean cadence in steps a minute, rounded; `nil` for a bout that took no time.
  public var cadence: Int? {
    let (duration, overflow) = end.subtractingReportingOverflow(begin)
    guard !overflow, duration > 0 else { return nil }
    return (steps * 60_000_000 + Int(duration / 2)) / Int(duration)
  }
}
