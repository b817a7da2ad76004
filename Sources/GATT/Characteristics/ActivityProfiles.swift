// The frames of the running, cycling and fitness-machine profiles.

/// `RSC Measurement` (2A53): flags u8, speed u16, cadence u8, [stride u16], [distance u32].
///
/// Source: Running Speed and Cadence Service 1.0 §3.1.
public enum RunningSpeedAndCadence: FlaggedProfile {
  /// Its fields.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// In 1/256 m/s.
    case speed = "instantaneous speed"
    /// Steps a minute.
    case cadence = "instantaneous cadence"
    /// In cm.
    case strideLength = "instantaneous stride length"
    /// Since the device was reset, in 0.1 m.
    case totalDistance = "total distance"
  }

  public static let uuid = BluetoothUUID(0x2A53)
  public static let flagsWidth = 1
  public static let groups: [FieldGroup<Field>] = [
    FieldGroup(nil, (.speed, .u16), (.cadence, .u8)), FieldGroup(0, (.strideLength, .u16)),
    FieldGroup(1, (.totalDistance, .u32)),
  ]
}

/// `CSC Measurement` (2A5B): flags u8, [wheel revolutions u32, time u16], [crank revolutions u16,
/// time u16].
///
/// Source: Cycling Speed and Cadence Service 1.0 §3.1.
public enum CyclingSpeedAndCadence: FlaggedProfile {
  /// Its fields.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// Since the device was reset.
    case wheelRevolutions = "cumulative wheel revolutions"
    /// Of the last one, in 1/1024 s.
    case wheelTime = "last wheel event time"
    /// Since the device was reset.
    case crankRevolutions = "cumulative crank revolutions"
    /// Of the last one, in 1/1024 s.
    case crankTime = "last crank event time"
  }

  public static let uuid = BluetoothUUID(0x2A5B)
  public static let flagsWidth = 1
  public static let groups: [FieldGroup<Field>] = [
    FieldGroup(0, (.wheelRevolutions, .u32), (.wheelTime, .u16)),
    FieldGroup(1, (.crankRevolutions, .u16), (.crankTime, .u16)),
  ]
}

/// `Cycling Power Measurement` (2A63): flags u16, power s16, and what the flags say.
///
/// Source: Cycling Power Service 1.1 §3.2.
public enum CyclingPower: FlaggedProfile {
  /// Its fields.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// In W.
    case power = "instantaneous power"
    /// In 1/2 %.
    case pedalPowerBalance = "pedal power balance"
    /// In 1/32 N m.
    case accumulatedTorque = "accumulated torque"
    /// Since the device was reset.
    case wheelRevolutions = "cumulative wheel revolutions"
    /// Of the last one, in 1/2048 s.
    case wheelTime = "last wheel event time"
    /// Since the device was reset.
    case crankRevolutions = "cumulative crank revolutions"
    /// Of the last one, in 1/1024 s.
    case crankTime = "last crank event time"
    /// In N.
    case maximumForce = "maximum force magnitude"
    /// In N.
    case minimumForce = "minimum force magnitude"
    /// In 1/32 N m.
    case maximumTorque = "maximum torque magnitude"
    /// In 1/32 N m.
    case minimumTorque = "minimum torque magnitude"
    /// Two numbers of 12 bits, in degrees.
    case extremeAngles = "extreme angles"
    /// In degrees.
    case topDeadSpot = "top dead spot angle"
    /// In degrees.
    case bottomDeadSpot = "bottom dead spot angle"
    /// Since the device was reset, in kJ.
    case accumulatedEnergy = "accumulated energy"
  }

  public static let uuid = BluetoothUUID(0x2A63)
  public static let flagsWidth = 2
  public static let groups: [FieldGroup<Field>] = [
    FieldGroup(nil, (.power, .s16)), FieldGroup(0, (.pedalPowerBalance, .u8)),
    FieldGroup(2, (.accumulatedTorque, .u16)),
    FieldGroup(4, (.wheelRevolutions, .u32), (.wheelTime, .u16)),
    FieldGroup(5, (.crankRevolutions, .u16), (.crankTime, .u16)),
    FieldGroup(6, (.maximumForce, .s16), (.minimumForce, .s16)),
    FieldGroup(7, (.maximumTorque, .s16), (.minimumTorque, .s16)),
    FieldGroup(8, (.extremeAngles, .u24)), FieldGroup(9, (.topDeadSpot, .u16)),
    FieldGroup(10, (.bottomDeadSpot, .u16)), FieldGroup(11, (.accumulatedEnergy, .u16)),
  ]
}

// MARK: - Fitness machines

/// The fields of a fitness machine's data.
///
/// Source: Fitness Machine Service 1.0 §4.4 to 4.9. The first group is present while the bit `More
/// Data` is clear.
public enum FitnessMachineField: String, Hashable, Sendable, CaseIterable {
  /// In 0.01 km/h.
  case speed = "instantaneous speed"
  /// In 0.01 km/h.
  case averageSpeed = "average speed"
  /// Since the session began, in m.
  case totalDistance = "total distance"
  /// In 0.1 %.
  case inclination = "inclination"
  /// In 0.1°.
  case rampAngle = "ramp angle setting"
  /// In 0.1 m on a treadmill, 1 m on a cross trainer.
  case positiveElevation = "positive elevation gain"
  /// In 0.1 m on a treadmill, 1 m on a cross trainer.
  case negativeElevation = "negative elevation gain"
  /// In 0.1 km/min on a treadmill, s per 500 m on a rower.
  case pace = "instantaneous pace"
  /// In 0.1 km/min on a treadmill, s per 500 m on a rower.
  case averagePace = "average pace"
  /// In 0.5 a minute.
  case cadence = "instantaneous cadence"
  /// In 0.5 a minute.
  case averageCadence = "average cadence"
  /// Steps a minute.
  case stepRate = "step per minute"
  /// Steps a minute.
  case averageStepRate = "average step rate"
  /// In 0.1.
  case strideCount = "stride count"
  /// In 0.5 a minute.
  case strokeRate = "stroke rate"
  /// Since the session began.
  case strokeCount = "stroke count"
  /// In 0.5 a minute.
  case averageStrokeRate = "average stroke rate"
  /// Without a unit; 0.1 on a cross trainer.
  case resistance = "resistance level"
  /// In W.
  case power = "instantaneous power"
  /// In W.
  case averagePower = "average power"
  /// Since the session began, in kcal; 0xFFFF if unknown.
  case totalEnergy = "total energy"
  /// In kcal; 0xFFFF if unknown.
  case energyPerHour = "energy per hour"
  /// In kcal; 0xFF if unknown.
  case energyPerMinute = "energy per minute"
  /// A minute.
  case heartRate = "heart rate"
  /// In 0.1.
  case metabolicEquivalent = "metabolic equivalent"
  /// Since the session began, in s.
  case elapsedTime = "elapsed time"
  /// In s.
  case remainingTime = "remaining time"
  /// In N.
  case forceOnBelt = "force on belt"
}

extension FieldGroup<FitnessMachineField> {
  /// The groups with which every machine's frame ends, from energy on.
  fileprivate static func ending(from bit: Int) -> [FieldGroup] {
    [
      FieldGroup(
        bit, (.totalEnergy, .u16), (.energyPerHour, .u16), (.energyPerMinute, .u8)),
      FieldGroup(bit + 1, (.heartRate, .u8)), FieldGroup(bit + 2, (.metabolicEquivalent, .u8)),
      FieldGroup(bit + 3, (.elapsedTime, .u16)), FieldGroup(bit + 4, (.remainingTime, .u16)),
    ]
  }
}

/// `Treadmill Data` (2ACD).
public enum Treadmill: FlaggedProfile {
  public typealias Field = FitnessMachineField
  public static let uuid = BluetoothUUID(0x2ACD)
  public static let flagsWidth = 2
  public static let groups: [FieldGroup<Field>] =
    [
      FieldGroup(0, whenSet: false, (.speed, .u16)), FieldGroup(1, (.averageSpeed, .u16)),
      FieldGroup(2, (.totalDistance, .u24)),
      FieldGroup(3, (.inclination, .s16), (.rampAngle, .s16)),
      FieldGroup(4, (.positiveElevation, .u16), (.negativeElevation, .u16)),
      FieldGroup(5, (.pace, .u8)), FieldGroup(6, (.averagePace, .u8)),
    ] + FieldGroup.ending(from: 7) + [FieldGroup(12, (.forceOnBelt, .s16), (.power, .s16))]
}

/// `Cross Trainer Data` (2ACE).
public enum CrossTrainer: FlaggedProfile {
  public typealias Field = FitnessMachineField
  public static let uuid = BluetoothUUID(0x2ACE)
  public static let flagsWidth = 3
  public static let groups: [FieldGroup<Field>] =
    [
      FieldGroup(0, whenSet: false, (.speed, .u16)), FieldGroup(1, (.averageSpeed, .u16)),
      FieldGroup(2, (.totalDistance, .u24)),
      FieldGroup(3, (.stepRate, .u16), (.averageStepRate, .u16)),
      FieldGroup(4, (.strideCount, .u16)),
      FieldGroup(5, (.positiveElevation, .u16), (.negativeElevation, .u16)),
      FieldGroup(6, (.inclination, .s16), (.rampAngle, .s16)), FieldGroup(7, (.resistance, .s16)),
      FieldGroup(8, (.power, .s16)), FieldGroup(9, (.averagePower, .s16)),
    ] + FieldGroup.ending(from: 10)
}

/// `Rower Data` (2AD1).
public enum Rower: FlaggedProfile {
  public typealias Field = FitnessMachineField
  public static let uuid = BluetoothUUID(0x2AD1)
  public static let flagsWidth = 2
  public static let groups: [FieldGroup<Field>] =
    [
      FieldGroup(0, whenSet: false, (.strokeRate, .u8), (.strokeCount, .u16)),
      FieldGroup(1, (.averageStrokeRate, .u8)), FieldGroup(2, (.totalDistance, .u24)),
      FieldGroup(3, (.pace, .u16)), FieldGroup(4, (.averagePace, .u16)),
      FieldGroup(5, (.power, .s16)), FieldGroup(6, (.averagePower, .s16)),
      FieldGroup(7, (.resistance, .s16)),
    ] + FieldGroup.ending(from: 8)
}

/// `Indoor Bike Data` (2AD2).
public enum IndoorBike: FlaggedProfile {
  public typealias Field = FitnessMachineField
  public static let uuid = BluetoothUUID(0x2AD2)
  public static let flagsWidth = 2
  public static let groups: [FieldGroup<Field>] =
    [
      FieldGroup(0, whenSet: false, (.speed, .u16)), FieldGroup(1, (.averageSpeed, .u16)),
      FieldGroup(2, (.cadence, .u16)), FieldGroup(3, (.averageCadence, .u16)),
      FieldGroup(4, (.totalDistance, .u24)), FieldGroup(5, (.resistance, .s16)),
      FieldGroup(6, (.power, .s16)), FieldGroup(7, (.averagePower, .s16)),
    ] + FieldGroup.ending(from: 8)

  /// Bikes of Life Fitness send the instantaneous cadence before the average one without its flag: their
  /// frames are just that field too long.
  public static func corrected(_ flags: UInt32, of count: Int) -> UInt32 {
    let (cadence, average): (UInt32, UInt32) = (1 << 2, 1 << 3)
    guard flags & average != 0, flags & cadence == 0 else { return flags }
    return count == length(of: flags | cadence) ? flags | cadence : flags
  }
}

/// `Step Counter Activity Summary Data` (2B40), without the header of its parts: flags u8, session u16,
/// part of the session u16, seconds since its beginning u32, number u32, [normal steps u24], [intensive
/// steps u24], [steps on stairs u24], [distance u24], [time worn u24].
///
/// Source: Physical Activity Monitor Service 1.0 §3.7; GATT Specification Supplement.
public enum StepCounterSummary: FlaggedProfile {
  /// Its fields.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// The number of the session.
    case session = "session ID"
    /// The number of its part.
    case part = "sub-session ID"
    /// Since the session began, in s.
    case time = "relative timestamp"
    /// Of the frame.
    case number = "sequence number"
    /// Since the session began.
    case normalSteps = "normal walking steps"
    /// Since the session began.
    case intensiveSteps = "intensity steps"
    /// Since the session began; they are among the others.
    case stairSteps = "floor steps"
    /// Since the session began, in m.
    case distance = "distance"
    /// In s.
    case wornTime = "worn duration"
  }

  public static let uuid = BluetoothUUID(0x2B40)
  public static let flagsWidth = 1
  public static let groups: [FieldGroup<Field>] = [
    FieldGroup(nil, (.session, .u16), (.part, .u16), (.time, .u32), (.number, .u32)),
    FieldGroup(0, (.normalSteps, .u24)), FieldGroup(1, (.intensiveSteps, .u24)),
    FieldGroup(2, (.stairSteps, .u24)), FieldGroup(3, (.distance, .u24)),
    FieldGroup(4, (.wornTime, .u24)),
  ]
}
