extension RangeOfMotion {
  /// A limb held still at the end of its movement.
  public struct Hold: Hashable, Sendable {
    /// Microdegrees that a limb may sway while it counts as held: 3°, what a goniometer's readings of
    /// the same limb scatter by (standard error 1.6° to 3.4°).
    static let corridor: Int64 = 3_000_000
    /// The shortest hold in microseconds: the turning point of a slow movement is below the corridor
    /// for less.
    static let shortest: Int64 = 1_000_000

    /// The time of the first sample of the hold, in microseconds.
    public var startTime: Int64
    /// The time of the last sample of the hold, in microseconds.
    public var endTime: Int64
    /// The mean angle, in thousandths of a degree.
    public var meanMillidegrees: Int64
    /// The standard deviation of the angle, in thousandths of a degree.
    public var deviationMillidegrees: Int64

    /// How long the limb was held, in seconds.
    public var duration: Double { Double(endTime - startTime) / 1_000_000 }
    /// The mean angle in degrees.
    public var mean: Double { Double(meanMillidegrees) / 1_000 }
    /// The standard deviation of the angle in degrees.
    public var deviation: Double { Double(deviationMillidegrees) / 1_000 }
  }
}
