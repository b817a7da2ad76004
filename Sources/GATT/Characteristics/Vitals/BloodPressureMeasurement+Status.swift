extension BloodPressureMeasurement {
  /// What disturbed a blood pressure measurement.
  public struct Status: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// The body moved.
    public static let bodyMovement = Status(rawValue: 1 << 0)
    /// The cuff is too loose.
    public static let cuffTooLoose = Status(rawValue: 1 << 1)
    /// The pulse is irregular.
    public static let irregularPulse = Status(rawValue: 1 << 2)
    /// The pulse is faster than the device can measure.
    public static let pulseAboveRange = Status(rawValue: 1 << 3)
    /// The pulse is slower than the device can measure.
    public static let pulseBelowRange = Status(rawValue: 1 << 4)
    /// The cuff is not at the height of the heart.
    public static let improperPosition = Status(rawValue: 1 << 5)
  }
}
