/// What is the matter with a pulse oximeter and its sensor (`Device and Sensor Status`, 24 bits).
///
/// Source: Pulse Oximeter Service 1.0.1, table 3.5. Bits 16…23 are reserved.
public struct PulseOximeterCondition: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The display is not up to date.
  public static let extendedDisplayUpdate = PulseOximeterCondition(rawValue: 1 << 0)
  /// The equipment is broken.
  public static let equipmentMalfunction = PulseOximeterCondition(rawValue: 1 << 1)
  /// The signal's processing is irregular.
  public static let signalProcessingIrregularity = PulseOximeterCondition(rawValue: 1 << 2)
  /// The signal does not suffice.
  public static let inadequateSignal = PulseOximeterCondition(rawValue: 1 << 3)
  /// The signal is poor.
  public static let poorSignal = PulseOximeterCondition(rawValue: 1 << 4)
  /// Little blood flows where the sensor sits.
  public static let lowPerfusion = PulseOximeterCondition(rawValue: 1 << 5)
  /// The signal is erratic.
  public static let erraticSignal = PulseOximeterCondition(rawValue: 1 << 6)
  /// The signal does not pulsate.
  public static let nonpulsatileSignal = PulseOximeterCondition(rawValue: 1 << 7)
  /// The pulse is questionable.
  public static let questionablePulse = PulseOximeterCondition(rawValue: 1 << 8)
  /// The signal is still being analysed.
  public static let signalAnalysisOngoing = PulseOximeterCondition(rawValue: 1 << 9)
  /// Something interferes with the sensor.
  public static let sensorInterference = PulseOximeterCondition(rawValue: 1 << 10)
  /// The sensor is not on the person.
  public static let sensorUnconnectedToUser = PulseOximeterCondition(rawValue: 1 << 11)
  /// The sensor is of an unknown kind.
  public static let unknownSensor = PulseOximeterCondition(rawValue: 1 << 12)
  /// The sensor has moved out of place.
  public static let sensorDisplaced = PulseOximeterCondition(rawValue: 1 << 13)
  /// The sensor is broken.
  public static let sensorMalfunction = PulseOximeterCondition(rawValue: 1 << 14)
  /// The sensor is not plugged in.
  public static let sensorDisconnected = PulseOximeterCondition(rawValue: 1 << 15)
}
