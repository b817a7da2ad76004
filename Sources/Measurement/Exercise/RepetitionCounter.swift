import FixedPoint
public import Motion

/// Counts the repetitions of an exercise in the stream of one sensor on the moving limb, sample by
/// sample.
///
/// Any orientation of the sensor, 10 to 400 Hz, with a gyroscope or, for slow movement, without. A
/// repetition is a movement out from the start and back that reaches the least excursion; it counts
/// once half of the way back is done. ``Exercise/measure(_:rule:)`` counts a complete recording in
/// the same way, with angles that have no lag. All arithmetic is in integers.
///
/// ```swift
/// var counter = RepetitionCounter(rule: RepetitionRule(minimumMillidegrees: 60_000))
/// for sample in samples { counter.add(sample) }
/// print(counter.repetitions, counter.partialRepetitions)
/// ```
/// Memory: less than ten kilobytes for a stream of any length. Cost: about 250 additions and two
/// square roots a sample beside those of ``InclinationFilter``.
public struct RepetitionCounter: Sendable {
  private var filter = InclinationFilter()
  private var counter: ExcursionCounter<SensorPosition>

  /// Makes a counter.
  public init(rule: RepetitionRule = RepetitionRule()) {
    counter = ExcursionCounter(rule)
  }

  /// Repetitions that reached the least excursion.
  public var repetitions: Int { counter.repetitions }
  /// Movements out and back that did not.
  public var partialRepetitions: Int { counter.partials }
  /// The sets so far, the current one last.
  public var sets: [ExerciseSet] { counter.sets }
  /// How far the limb is from its start now, in thousandths of a degree.
  public var excursionMillidegrees: Int64 { counter.excursion.roundedDivision(by: 1_000) }
  /// The quality of the inclinations so far.
  public var quality: InclinationQuality { filter.quality }

  /// Takes the next sample; one whose time is not after the last is ignored.
  public mutating func add(_ sample: MotionSample) {
    let inclination = filter.add(sample)
    counter.add(SensorPosition(up: inclination.up), at: inclination.time)
  }
}
