/// How long a person took to stand up, walk three metres, turn, walk back and sit down again, as one
/// sensor on the thigh saw it.
///
/// Fields are those that clinicians expect (Podsiadlo and Richardson 1991, and the instrumented
/// test's subtasks). Durations are in microseconds and add up to the total; the accessors without a
/// unit in their name are seconds.
public struct TimedUpAndGo: Hashable, Sendable {
  /// What lies between standing up and sitting down, which only a gyroscope can divide.
  public struct Walk: Hashable, Sendable {
    /// From standing to the first turn, in microseconds.
    public var walkOutMicroseconds: Int64
    /// The turn at the mark, in microseconds.
    public var turn1Microseconds: Int64
    /// From the first turn to the second, in microseconds.
    public var walkBackMicroseconds: Int64
    /// The turn before the chair, in microseconds.
    public var turn2Microseconds: Int64
    /// The fastest turning about the vertical, averaged over some 0.4 s, in thousandths of a degree a
    /// second.
    public var peakTurnRateMillidegrees: Int64
  }

  /// When the first movement to stand up began, in the samples' microseconds.
  public var startTime: Int64
  /// When the person was seated and still again, in the samples' microseconds.
  public var endTime: Int64
  /// From the start to standing upright, in microseconds.
  public var standMicroseconds: Int64
  /// Walking and turning; `nil` without a gyroscope, or where it did not see two turns.
  public var walk: Walk?
  /// From the second turn's end, or where the thigh begins to sink, to the end, in microseconds.
  public var sitMicroseconds: Int64
  /// What the samples were worth.
  public var quality: SignalQuality

  /// From the first movement to stand up to seated and still again, in microseconds.
  public var totalMicroseconds: Int64 { endTime &- startTime }

  /// From the first movement to stand up to seated and still again, in seconds.
  public var total: Double { Self.seconds(totalMicroseconds) }
  /// From the start to standing upright, in seconds.
  public var stand: Double { Self.seconds(standMicroseconds) }
  /// From standing to the first turn, in seconds; `nil` where the turns are not known.
  public var walkOut: Double? { walk.map { Self.seconds($0.walkOutMicroseconds) } }
  /// The turn at the mark, in seconds; `nil` where the turns are not known.
  public var turn1: Double? { walk.map { Self.seconds($0.turn1Microseconds) } }
  /// From the first turn to the second, in seconds; `nil` where the turns are not known.
  public var walkBack: Double? { walk.map { Self.seconds($0.walkBackMicroseconds) } }
  /// The turn before the chair, in seconds; `nil` where the turns are not known.
  public var turn2: Double? { walk.map { Self.seconds($0.turn2Microseconds) } }
  /// From the second turn, or where the thigh begins to sink, to the end, in seconds.
  public var sit: Double { Self.seconds(sitMicroseconds) }
  /// The fastest turning in degrees a second; `nil` where the turns are not known.
  public var peakTurnRate: Double? { walk.map { Double($0.peakTurnRateMillidegrees) / 1_000 } }

  private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
}
