public import Motion

/// The six-minute walk: how far somebody gets in 360 s, with what cadence and heart rate.
///
/// After the ATS statement (Am J Respir Crit Care Med 2002; 166:111): resting is allowed while the
/// clock runs on.
public struct SixMinuteWalk: Hashable, Sendable {
  /// Steps in the six minutes.
  public var steps: Int
  /// Steps in each of the six minutes.
  public var stepsByMinute: [Int]
  /// How often the person stopped for 5 s or more before going on.
  public var rests: Int
  /// When the six minutes began, in microseconds of the samples' own time.
  public var start: Int64
  /// How far; `nil` where nothing was stated that it could be estimated from.
  public var distance: WalkDistance?
  /// The heart rate over the six minutes; `nil` where none was heard.
  public var heartRate: HeartRateSummary?
  /// What the samples were worth.
  public var quality: SignalQuality

  /// Microseconds that the walk lasts.
  public static let duration: Int64 = 360_000_000
  /// Microseconds without a step that are a rest.
  public static let rest: Int64 = 5_000_000
  /// Microseconds by which a recording may end early: what a radio holds back of the last block.
  public static let tolerance: Int64 = 1_000_000

  /// Measures the walk in a recording of one sensor, worn anywhere.
  ///
  /// The six minutes begin at `start` (microseconds), else with the first step. Heart rates share the
  /// samples' clock. Throws where nobody walked, the recording ends early, or the sensor was silent
  /// for more than a twentieth of the time.
  public static func measure(
    _ samples: [MotionSample], start: Int64? = nil, heartRates: [HeartRateSample] = [],
    distance: WalkDistance.Basis? = nil
  ) throws(WalkRefusal) -> Self {
    let course = try WalkCourse(samples)
    let firstStep = try course.walking().lowerBound
    let start = start ?? firstStep
    let (end, overflow) = start.addingReportingOverflow(duration)
    guard !overflow, course.end >= end - tolerance else {
      throw .tooShort(seconds: max(course.end &- start, 0) / 1_000_000)
    }
    try course.refuseSilence(in: start..<end)
    let steps = course.steps(in: start..<end)
    guard !steps.isEmpty else { throw .noWalk }
    let minutes = (0..<6 as Range<Int64>).map { minute in
      let begin = start + minute * 60_000_000
      return steps.count { (begin..<begin + 60_000_000).contains($0.time) }
    }
    let pauses = zip(steps, steps.dropFirst()).map { $1.time - $0.time }
    return Self(
      steps: steps.count, stepsByMinute: minutes, rests: pauses.count { $0 >= rest }, start: start,
      distance: distance.map { WalkDistance(steps: steps.count, basis: $0) },
      heartRate: HeartRateSummary(heartRates, in: start..<end), quality: course.quality)
  }
}
