import FixedPoint
public import Motion

/// A walk over a known distance: time, speed, cadence.
///
/// From the steps alone, time is good to about a step (0.5 s), which is 5 % of ten metres; a caller
/// who knows when the person passed the marks gives these times instead.
public struct TimedWalk: Hashable, Sendable {
  /// The walk, from its first step or the caller's mark to its last.
  public var walk: Walk
  /// The distance that the caller stated, in millimetres.
  public var distance: Int64
  /// What the samples were worth.
  public var quality: SignalQuality

  /// The speed in millimetres a second.
  public var speed: Int64 { distance.scaled(by: 1_000_000, over: max(walk.duration, 1)) }
  /// The mean length of a step in millimetres; `nil` where none was counted.
  public var stepLength: Int64? { walk.steps > 0 ? distance / Int64(walk.steps) : nil }

  /// The distances in millimetres that can be walked: 1 m to 10 km, as in ResearchKit.
  public static let distances: ClosedRange<Int64> = 1_000...10_000_000

  /// Measures a walk of `distance` millimetres in a recording of one sensor, worn anywhere.
  ///
  /// `start` and `end` are when the person passed the marks (microseconds); where they are not known
  /// the first and the last step stand for them. Throws where nobody walked ten steps, the sensor was
  /// silent for a twentieth of the walk, or what was stated cannot be.
  public static func measure(
    _ samples: [MotionSample], distance: Int64, start: Int64? = nil, end: Int64? = nil
  ) throws(WalkRefusal) -> Self {
    guard distances.contains(distance) else { throw .distance(millimetres: distance) }
    let course = try WalkCourse(samples)
    let walking = try course.walking()
    let (first, last) = (start ?? walking.lowerBound, end ?? walking.upperBound)
    guard first < last, !last.subtractingReportingOverflow(first).overflow else {
      throw .backwards
    }
    let walk = Walk(course, in: first..<last)
    guard walk.steps > 0 else { throw .noWalk }
    try course.refuseSilence(in: first..<last)
    return Self(walk: walk, distance: distance, quality: course.quality)
  }
}
