public import Motion

/// The six-minute walk: distance, steps and heart rate in 360 s.
///
/// After the ATS statement (Am J Respir Crit Care Med 2002; 166:111): the person may rest, and the
/// clock runs on.
public struct SixMinuteWalk: Hashable, Sendable {
  /// Steps in the six minutes.
  public var steps: Int
  /// Steps in each of the six minutes.
  public var stepsByMinute: [Int]
  /// How often the person stopped for 5 s or more before going on.
  public var rests: Int
  /// When the six minutes began, in microseconds on the samples' clock.
  public var start: Int64
  /// The distance; `nil` without a basis.
  public var distance: WalkDistance?
  /// The heart rate over the six minutes; `nil` without readings.
  public var heartRate: HeartRateSummary?
  /// The quality of the samples.
  public var quality: SignalQuality

  /// The duration of the walk in microseconds.
  public static let duration: Int64 = 360_000_000
  /// The shortest rest: microseconds without a step.
  public static let rest: Int64 = 5_000_000
  /// Microseconds by which a recording may end early: the last block of samples may be delayed.
  public static let tolerance: Int64 = 1_000_000

  /// Measures the walk in a recording of one sensor on `segment`, `nil` if nobody stated where.
  ///
  /// The six minutes begin at `start` (microseconds), by default with the first step. Heart rates
  /// use the samples' clock. Throws if there is no walk, if the recording ends early, or if more
  /// than a twentieth of the time was not recorded.
  public static func measure(
    _ samples: [MotionSample], on segment: Segment? = nil, start: Int64? = nil,
    heartRates: [HeartRateSample] = [],
    distance: WalkDistance.Basis? = nil
  ) throws(WalkRefusal) -> Self {
    let recording = try WalkRecording(samples, on: segment)
    let firstStep = try recording.walking().lowerBound
    let start = start ?? firstStep
    let (end, overflow) = start.addingReportingOverflow(duration)
    guard !overflow, recording.end >= end - tolerance else {
      throw .tooShort(seconds: max(recording.end &- start, 0) / 1_000_000)
    }
    try recording.refuseSilence(in: start..<end)
    let steps = recording.steps(in: start..<end)
    guard !steps.isEmpty else { throw .noWalk }
    let minutes = (0..<6 as Range<Int64>).map { minute in
      let begin = start + minute * 60_000_000
      return steps.count { (begin..<begin + 60_000_000).contains($0.time) }
    }
    let pauses = zip(steps, steps.dropFirst()).map { $1.time - $0.time }
    return Self(
      steps: steps.count, stepsByMinute: minutes, rests: pauses.count { $0 >= rest }, start: start,
      distance: distance.map { WalkDistance(steps: steps.count, basis: $0) },
      heartRate: HeartRateSummary(heartRates, in: start..<end), quality: recording.quality)
  }
}

/// The distance of a walk and its basis.
///
/// A body-worn sensor cannot measure a distance; it is computed from the caller's basis.
public struct WalkDistance: Hashable, Sendable {
  /// The basis of a distance.
  public enum Basis: Hashable, Sendable {
    /// A step length in millimetres, measured before: an estimate, accurate to a tenth at best, as
    /// a tired person's steps grow shorter.
    case stepLength(Int64)
    /// The number of laps counted, their length, and the part walked of the last one, in
    /// millimetres.
    case laps(count: Int, length: Int64, rest: Int64)
  }

  /// The distance in millimetres, at least zero, clamped to Int64.
  public var millimetres: Int64
  /// Its basis.
  public var basis: Basis

  /// Whether it is an estimate, and must be shown as one.
  public var isEstimate: Bool {
    if case .stepLength = basis { true } else { false }
  }

  /// The distance of `steps` on this basis.
  init(steps: Int, basis: Basis) {
    self.basis = basis
    switch basis {
    case .stepLength(let length):
      millimetres = Self.product(Int64(steps), length)
    case .laps(let count, let length, let rest):
      let (sum, overflow) = Self.product(Int64(count), length)
        .addingReportingOverflow(max(rest, 0))
      millimetres = overflow ? .max : sum
    }
  }

  private static func product(_ count: Int64, _ length: Int64) -> Int64 {
    let (product, overflow) = max(count, 0).multipliedReportingOverflow(by: max(length, 0))
    return overflow ? .max : product
  }
}
