import FixedPoint

/// A stretch of walking: how many steps in how long.
public struct Walk: Hashable, Sendable {
  /// Steps taken.
  public var steps: Int
  /// When it began, in microseconds of the samples' own time.
  public var start: Int64
  /// How long it took in microseconds.
  public var duration: Int64

  /// Steps a minute, in thousandths; none where it took no time.
  public var cadence: Int64 {
    Int64(steps).scaled(by: 60_000_000_000, over: max(duration, 1))
  }

  /// The steps that `course` has in `range`.
  init(_ course: WalkCourse, in range: Range<Int64>) {
    steps = course.steps(in: range).count
    start = range.lowerBound
    duration = range.upperBound &- range.lowerBound
  }
}
