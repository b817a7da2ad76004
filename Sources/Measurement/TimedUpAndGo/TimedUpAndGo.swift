public import Motion

/// The time to stand up, walk three metres, turn, walk back and sit down again, from one sensor on
/// the thigh.
///
/// The fields are those of Podsiadlo and Richardson 1991 and the instrumented test's subtasks.
/// Durations are in microseconds and add up to the total; the accessors without a unit in their
/// name are seconds.
public struct TimedUpAndGo: Hashable, Sendable {
  /// The parts between standing up and sitting down, which need a gyroscope.
  public struct Walk: Hashable, Sendable {
    /// From standing to the first turn, in microseconds.
    public var walkOutMicroseconds: Int64
    /// The turn at the mark, in microseconds.
    public var turn1Microseconds: Int64
    /// From the first turn to the second, in microseconds.
    public var walkBackMicroseconds: Int64
    /// The turn before the chair, in microseconds.
    public var turn2Microseconds: Int64
    /// The fastest turning about the vertical, averaged over about 0.4 s, in thousandths of a
    /// degree a second.
    public var peakTurnRateMillidegrees: Int64
  }

  /// When the first movement to stand up began, in the samples' microseconds.
  public var startTime: Int64
  /// When the person was seated and still again, in the samples' microseconds.
  public var endTime: Int64
  /// From the start to standing upright, in microseconds.
  public var standMicroseconds: Int64
  /// Walking and turning; `nil` without a gyroscope, or without two turns.
  public var walk: Walk?
  /// From the second turn's end, or where the thigh begins to sink, to the end, in microseconds.
  public var sitMicroseconds: Int64
  /// The quality of the samples.
  public var quality: SignalQuality

  /// From the first movement to stand up to seated and still again, in microseconds.
  public var totalMicroseconds: Int64 { endTime &- startTime }

  /// From the first movement to stand up to seated and still again, in seconds.
  public var total: Double { Self.seconds(totalMicroseconds) }
  /// From the start to standing upright, in seconds.
  public var stand: Double { Self.seconds(standMicroseconds) }
  /// From standing to the first turn, in seconds; `nil` if the turns are unknown.
  public var walkOut: Double? { walk.map { Self.seconds($0.walkOutMicroseconds) } }
  /// The turn at the mark, in seconds; `nil` if the turns are unknown.
  public var turn1: Double? { walk.map { Self.seconds($0.turn1Microseconds) } }
  /// From the first turn to the second, in seconds; `nil` if the turns are unknown.
  public var walkBack: Double? { walk.map { Self.seconds($0.walkBackMicroseconds) } }
  /// The turn before the chair, in seconds; `nil` if the turns are unknown.
  public var turn2: Double? { walk.map { Self.seconds($0.turn2Microseconds) } }
  /// From the second turn, or where the thigh begins to sink, to the end, in seconds.
  public var sit: Double { Self.seconds(sitMicroseconds) }
  /// The fastest turning in degrees a second; `nil` if the turns are unknown.
  public var peakTurnRate: Double? { walk.map { Double($0.peakTurnRateMillidegrees) / 1_000 } }

  private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
}

/// Why a timed up and go was not measured.
public enum TimedUpAndGoRefusal: Error, Hashable, Sendable {
  /// The stream is unusable.
  case stream(SignalQuality.Refusal)
  /// The sensor sent nothing for this many milliseconds in the task.
  case dropout(milliseconds: Int64)
  /// There are no five seconds of walking.
  case noWalk
  /// There is walking, but no sitting still before it.
  case noStandUp
  /// There is no sitting still in the first position after the walk.
  case noSitDown
  /// The number of tasks in the recording if there are several.
  case severalTasks(count: Int)

  /// A short name for scripts: `noSamples`, `rateTooLow`, `dropout`, `noWalk`, `noStandUp`,
  /// `noSitDown`, `severalTasks`.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .noWalk: "noWalk"
    case .noStandUp: "noStandUp"
    case .noSitDown: "noSitDown"
    case .severalTasks: "severalTasks"
    }
  }
}

extension TimedUpAndGo {
  /// Microseconds from the first movement on video to the thigh's first movement: the trunk leans
  /// first.
  ///
  /// This and `trail` are medians over 16 people on video; leaving out any person changes neither
  /// by more than 0.1 s.
  static let lead: Int64 = 300_000
  /// Microseconds from the calm of the thigh to the end on video: the back still leans back.
  private static let trail: Int64 = 260_000
  /// Microseconds between half way up and upright: half of a rise of one second.
  private static let halfRise: Int64 = 500_000

  /// Measures the task in a recording of one sensor on the thigh, such as a telephone in a front
  /// pocket, mounted in any way.
  ///
  /// The task is located in the recording; movement before and after it does not change the result
  /// if it is two and a half seconds of sitting away. Throws if there is no task, several, or a gap
  /// within it. Error of the phases between two movements of the thigh: 0.2 to 0.3 s on average; of
  /// the total: 0.7 s, because on video people begin and finish with movements that the thigh does
  /// not show. Cost: about twenty passes over the samples.
  public static func measure(
    _ samples: [MotionSample]
  ) throws(TimedUpAndGoRefusal) -> TimedUpAndGo {
    let recording = ThighRecording(samples)
    if case .refused(let refusal) = recording.quality.verdict { throw .stream(refusal) }
    let (thigh, trial) = try recording.task()
    for silence in thigh.motion.silences
    where silence.cells.overlaps(trial.cells) {
      throw .dropout(milliseconds: silence.duration / 1_000)
    }
    return TimedUpAndGo(trial, of: thigh, quality: recording.quality)
  }

  /// Converts a trial's cells to times.
  private init(_ trial: UpAndGoTrial, of thigh: ThighSignals, quality: SignalQuality) {
    let time = thigh.motion.time(of:)
    startTime = time(trial.calmBefore) &- Self.lead
    endTime = time(trial.calmAfter) &+ Self.trail
    let upright = time(trial.rise) &+ Self.halfRise
    self.quality = quality
    standMicroseconds = upright &- startTime
    if let turns = TurnPair(of: thigh, in: trial), upright <= time(turns.first.lowerBound) {
      walk = Walk(
        walkOutMicroseconds: time(turns.first.lowerBound) &- upright,
        turn1Microseconds: Int64(turns.first.count) * ResampledMotion.cell,
        walkBackMicroseconds: Int64(turns.second.lowerBound - turns.first.upperBound)
          * ResampledMotion.cell,
        turn2Microseconds: Int64(turns.second.count) * ResampledMotion.cell,
        peakTurnRateMillidegrees: turns.peak)
      sitMicroseconds = endTime &- time(turns.second.upperBound)
    } else {
      sitMicroseconds = endTime &- (time(trial.sink) &- Self.halfRise)
    }
  }
}
