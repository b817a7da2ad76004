import FixedPoint
public import Motion

/// An exercise of one joint: sets of repetitions, from one sensor on the limb or two on either side
/// of the joint.
public struct Exercise: Hashable, Sendable {
  /// The sets in order, at least one.
  public var sets: [ExerciseSet]
  /// Movements out and back that did not reach the least excursion.
  public var partialRepetitions: Int
  /// The mean of the repetitions' excursions, in thousandths of a degree.
  public var meanRangeMillidegrees: Int64
  /// The largest of the repetitions' excursions, in thousandths of a degree.
  public var largestRangeMillidegrees: Int64
  /// The number of sensors: one gives the angles of a segment, two those of the joint.
  public var sensorCount: Int
  /// Whether nothing speaks against the figures.
  public var isGood: Bool
  /// The quality of the samples: with two sensors, those of the distal one.
  public var quality: SignalQuality

  /// Repetitions that reached the least excursion, at least 1.
  public var repetitions: Int { sets.reduce(0) { $0 + $1.repetitions } }

  /// Microseconds from the beginning of the first repetition to the end of the last, rests included.
  public var duration: Int64 {
    ExcursionCounter<SensorPosition>.elapsed(
      from: sets.first?.start ?? 0, to: sets.last?.end ?? 0)
  }

  /// The mean time from the beginning of a repetition to that of the next in its set, in
  /// microseconds; `nil` if no set has two.
  public var tempo: Int64? {
    let count = sets.reduce(0) { $0 + $1.repetitions - 1 }
    guard count > 0 else { return nil }
    return Self.sum(sets.map { ($0.start, $0.lastStart) }).roundedDivision(by: Int64(count))
  }

  /// The mean rest between two sets in microseconds; `nil` for one set.
  public var rest: Int64? {
    guard sets.count > 1 else { return nil }
    return Self.sum(zip(sets, sets.dropFirst()).map { ($0.end, $1.start) })
      .roundedDivision(by: Int64(sets.count - 1))
  }

  /// The sum of spans of time, clamped to Int64.
  private static func sum(_ spans: [(Int64, Int64)]) -> Int64 {
    spans.reduce(0) { sum, span in
      let length = ExcursionCounter<SensorPosition>.elapsed(from: span.0, to: span.1)
      let (total, overflow) = sum.addingReportingOverflow(length)
      return overflow ? .max : total
    }
  }
}

/// Why an exercise was not measured.
public enum ExerciseRefusal: Error, Hashable, Sendable {
  /// The stream is unusable, or an accelerometer alone was moved too fast.
  case stream(SignalQuality.Refusal)
  /// The sensor sent nothing for this many milliseconds of the exercise.
  case dropout(milliseconds: Int64)
  /// The limb turned about the vertical, which gravity does not show.
  case verticalAxis
  /// The limb moved about several axes, so two segments have no one angle between them.
  case severalAxes
  /// No movement reached the least excursion.
  ///
  /// The largest was of so many degrees, and so many movements went out and back.
  case noRepetition(degrees: Int64, partial: Int)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .verticalAxis: "verticalAxis"
    case .severalAxes: "severalAxes"
    case .noRepetition: "noRepetition"
    }
  }

  fileprivate init(_ refusal: RangeOfMotionRefusal) {
    switch refusal {
    case .stream(let reason): self = .stream(reason)
    case .dropout(let milliseconds): self = .dropout(milliseconds: milliseconds)
    case .verticalAxis: self = .verticalAxis
    case .severalAxes: self = .severalAxes
    }
  }
}

extension Exercise {
  /// Measures the exercise in a recording of one sensor on the moving limb.
  ///
  /// The limb is at its start, and still, when the recording begins. The angles are those of the
  /// segment against the vertical, in the plane of its movement or any other; the sensor may be worn
  /// in any orientation. Throws if no repetition reached the least excursion, if more than a
  /// twentieth of the exercise was not recorded, or if an accelerometer alone was moved too fast.
  /// Cost: four passes over the samples.
  public static func measure(
    _ samples: [MotionSample], rule: RepetitionRule = RepetitionRule()
  ) throws(ExerciseRefusal) -> Exercise {
    let (inclinations, quality) = InclinationFilter.smooth(samples)
    if case .refused(let refusal) = quality.signal.verdict { throw .stream(refusal) }
    var counter = ExcursionCounter<SensorPosition>(rule)
    for inclination in inclinations {
      counter.add(SensorPosition(up: inclination.up), at: inclination.time)
    }
    if counter.sets.isEmpty, quality.usesGyroscope,
      SegmentMovement.isVerticalTurn(samples, inclinations)
    {
      throw .verticalAxis
    }
    return try Exercise(counter, samples: samples, quality: quality, sensorCount: 1)
  }

  /// Measures the exercise of a joint in the recordings of two sensors, one on either side of it.
  ///
  /// Sensors and refusals are those of ``RangeOfMotion/measure(proximal:distal:end:joint:)``.
  public static func measure(
    proximal: [MotionSample], distal: [MotionSample], rule: RepetitionRule = RepetitionRule()
  ) throws(ExerciseRefusal) -> Exercise {
    let lower: SegmentMovement
    let angles: JointAngleSeries
    do {
      let upper = try SegmentMovement(proximal, end: nil)
      lower = try SegmentMovement(distal, end: nil)
      angles = try RangeOfMotion.jointAngles(upper, lower)
    } catch {
      throw ExerciseRefusal(error)
    }
    var counter = ExcursionCounter<JointPosition>(rule)
    for point in angles.points { counter.add(JointPosition(angle: point.angle), at: point.time) }
    return try Exercise(counter, samples: distal, quality: lower.quality, sensorCount: 2)
  }

  private init<Position>(
    _ counter: ExcursionCounter<Position>, samples: [MotionSample], quality: InclinationQuality,
    sensorCount: Int
  ) throws(ExerciseRefusal) {
    guard let start = counter.sets.first?.start, let end = counter.sets.last?.end else {
      throw .noRepetition(
        degrees: counter.reached.roundedDivision(by: 1_000_000), partial: counter.partials)
    }
    try Self.refuseSilence(samples, in: start...end)
    let steadiness = quality.usesGyroscope ? 0 : Self.unsteadiness(samples, in: counter.sets)
    guard steadiness <= Steadiness.refused else { throw .stream(.shaken) }
    self.init(
      sets: counter.sets, partialRepetitions: counter.partials,
      meanRangeMillidegrees: counter.sum.roundedDivision(by: Int64(counter.repetitions) * 1_000),
      largestRangeMillidegrees: counter.largest.roundedDivision(by: 1_000),
      sensorCount: sensorCount,
      isGood: quality.signal.verdict == .good && steadiness < Steadiness.good,
      quality: quality.signal)
  }

  /// The unsteadiness while the limb moved; a rest between sets would hide it.
  private static func unsteadiness(_ samples: [MotionSample], in sets: [ExerciseSet]) -> Int {
    var steadiness = Steadiness()
    for sample in samples where sets.contains(where: { ($0.start...$0.end).contains(sample.time) })
    {
      steadiness.add(sample.acceleration)
    }
    return steadiness.thousandths ?? 0
  }

  /// Refuses gaps that make up more than a twentieth of `range`, as they lose repetitions.
  private static func refuseSilence(
    _ samples: [MotionSample], in range: ClosedRange<Int64>
  ) throws(ExerciseRefusal) {
    var lost: UInt64 = 0
    var last = range.lowerBound
    for time in samples.map(\.time) where range.contains(time) && time > last {
      let silence = UInt64(bitPattern: time &- last)
      if silence > UInt64(RangeOfMotion.longestSilence) { lost += silence }
      last = time
    }
    let length = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    if lost > length / 20 { throw .dropout(milliseconds: Int64(clamping: lost / 1_000)) }
  }
}
