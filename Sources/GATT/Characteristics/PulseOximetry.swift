// MARK: - Spot-check

/// `PLX Spot-Check Measurement` (2A5E): one finished measurement of a pulse oximeter.
///
/// ```
/// flags u8  0 time stamp · 1 measurement status · 2 device and sensor status
///           3 pulse amplitude index · 4 device clock is not set
/// SpO2, pulse rate SFLOAT
/// [time stamp 7] [measurement status u16] [device and sensor status u24] [amplitude SFLOAT]
/// ```
/// Source: Pulse Oximeter Service 1.0.1 §3.2.
public struct PLXSpotCheckMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A5E)

  /// Saturation and pulse.
  public var oximetry: PulseOximetry
  /// The time on the device's clock.
  public var timeStamp: DateTime?
  /// The measurement's status.
  public var status: PulseOximetryStatus?
  /// The status of the device and its sensor.
  public var condition: PulseOximeterCondition?
  /// The pulse amplitude index in %: the ratio of the pulsating to the steady blood flow.
  public var pulseAmplitudeIndex: MedicalFloat?
  /// Whether the device's clock has never been set; the time stamp is then meaningless.
  public var isClockUnset: Bool

  /// Makes a measurement.
  public init(
    oximetry: PulseOximetry, timeStamp: DateTime? = nil, status: PulseOximetryStatus? = nil,
    condition: PulseOximeterCondition? = nil, pulseAmplitudeIndex: MedicalFloat? = nil,
    isClockUnset: Bool = false
  ) {
    self.oximetry = oximetry
    self.timeStamp = timeStamp
    self.status = status
    self.condition = condition
    self.pulseAmplitudeIndex = pulseAmplitudeIndex
    self.isClockUnset = isClockUnset
  }
}

extension PLXSpotCheckMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let timeStamp = Flags(rawValue: 1 << 0)
    static let status = Flags(rawValue: 1 << 1)
    static let condition = Flags(rawValue: 1 << 2)
    static let amplitude = Flags(rawValue: 1 << 3)
    static let clockUnset = Flags(rawValue: 1 << 4)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    oximetry = try PulseOximetry(from: &reader, "spot-check")
    timeStamp = try reader.announced(flags.contains(.timeStamp), DateTime.init(from:))
    status = try reader.u16("measurement status", if: flags.contains(.status))
      .map(PulseOximetryStatus.init(rawValue:))
    condition = try reader.u24("device and sensor status", if: flags.contains(.condition))
      .map(PulseOximeterCondition.init(rawValue:))
    pulseAmplitudeIndex = try reader.sfloat(
      "pulse amplitude index", if: flags.contains(.amplitude))
    isClockUnset = flags.contains(.clockUnset)
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = isClockUnset ? .clockUnset : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if status != nil { flags.insert(.status) }
    if condition != nil { flags.insert(.condition) }
    if pulseAmplitudeIndex != nil { flags.insert(.amplitude) }
    writer.u8(flags.rawValue)
    oximetry.encode(into: &writer)
    timeStamp?.encode(into: &writer)
    if let status { writer.u16(status.rawValue) }
    if let condition { writer.u24(condition.rawValue) }
    if let pulseAmplitudeIndex { writer.sfloat(pulseAmplitudeIndex) }
  }
}

// MARK: - Continuous

/// `PLX Continuous Measurement` (2A5F): the running values of a pulse oximeter while it is worn.
///
/// ```
/// flags u8  0 fast pair · 1 slow pair · 2 measurement status · 3 device and sensor status
///           4 pulse amplitude index
/// SpO2, pulse rate SFLOAT [fast SpO2, pulse rate] [slow SpO2, pulse rate]
/// [measurement status u16] [device and sensor status u24] [amplitude SFLOAT]
/// ```
/// It has no time stamp: the time of arrival is the time of measurement.
/// Source: Pulse Oximeter Service 1.0.1 §3.3.
public struct PLXContinuousMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A5F)

  /// Saturation and pulse, averaged as the device usually does.
  public var oximetry: PulseOximetry
  /// Saturation and pulse with a fast response.
  public var fast: PulseOximetry?
  /// Saturation and pulse with a slow response.
  public var slow: PulseOximetry?
  /// The measurement's status.
  public var status: PulseOximetryStatus?
  /// The status of the device and its sensor.
  public var condition: PulseOximeterCondition?
  /// The pulse amplitude index in %.
  public var pulseAmplitudeIndex: MedicalFloat?

  /// Makes a measurement.
  public init(
    oximetry: PulseOximetry, fast: PulseOximetry? = nil, slow: PulseOximetry? = nil,
    status: PulseOximetryStatus? = nil, condition: PulseOximeterCondition? = nil,
    pulseAmplitudeIndex: MedicalFloat? = nil
  ) {
    self.oximetry = oximetry
    self.fast = fast
    self.slow = slow
    self.status = status
    self.condition = condition
    self.pulseAmplitudeIndex = pulseAmplitudeIndex
  }
}

extension PLXContinuousMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let fast = Flags(rawValue: 1 << 0)
    static let slow = Flags(rawValue: 1 << 1)
    static let status = Flags(rawValue: 1 << 2)
    static let condition = Flags(rawValue: 1 << 3)
    static let amplitude = Flags(rawValue: 1 << 4)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    oximetry = try PulseOximetry(from: &reader, "normal")
    fast = try reader.announced(flags.contains(.fast)) { reader throws(GATTError) in
      try PulseOximetry(from: &reader, "fast")
    }
    slow = try reader.announced(flags.contains(.slow)) { reader throws(GATTError) in
      try PulseOximetry(from: &reader, "slow")
    }
    status = try reader.u16("measurement status", if: flags.contains(.status))
      .map(PulseOximetryStatus.init(rawValue:))
    condition = try reader.u24("device and sensor status", if: flags.contains(.condition))
      .map(PulseOximeterCondition.init(rawValue:))
    pulseAmplitudeIndex = try reader.sfloat(
      "pulse amplitude index", if: flags.contains(.amplitude))
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = []
    if fast != nil { flags.insert(.fast) }
    if slow != nil { flags.insert(.slow) }
    if status != nil { flags.insert(.status) }
    if condition != nil { flags.insert(.condition) }
    if pulseAmplitudeIndex != nil { flags.insert(.amplitude) }
    writer.u8(flags.rawValue)
    oximetry.encode(into: &writer)
    fast?.encode(into: &writer)
    slow?.encode(into: &writer)
    if let status { writer.u16(status.rawValue) }
    if let condition { writer.u24(condition.rawValue) }
    if let pulseAmplitudeIndex { writer.sfloat(pulseAmplitudeIndex) }
  }
}

// MARK: - Shared fields

/// A pulse oximeter's two values, which are always sent together.
public struct PulseOximetry: Hashable, Sendable {
  /// Saturation of the peripheral blood with oxygen (SpO2) in %.
  public var saturation: MedicalFloat
  /// The pulse in beats a minute.
  public var pulseRate: MedicalFloat

  /// Makes a pair.
  public init(saturation: MedicalFloat, pulseRate: MedicalFloat) {
    self.saturation = saturation
    self.pulseRate = pulseRate
  }

  /// Reads the two SFLOATs; `pair` is the prefix of their field names.
  init(from reader: inout ByteReader, _ pair: String) throws(GATTError) {
    saturation = try reader.sfloat("\(pair) SpO2")
    pulseRate = try reader.sfloat("\(pair) pulse rate")
  }

  func encode(into writer: inout ByteWriter) {
    writer.sfloat(saturation)
    writer.sfloat(pulseRate)
  }
}

/// The status of a pulse oximeter's measurement (`Measurement Status`).
///
/// Source: Pulse Oximeter Service 1.0.1, table 3.4. Bits 0…4 are reserved.
public struct PulseOximetryStatus: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The measurement is in progress.
  public static let measurementOngoing = PulseOximetryStatus(rawValue: 1 << 5)
  /// An early estimate.
  public static let earlyEstimate = PulseOximetryStatus(rawValue: 1 << 6)
  /// Checked by the device.
  public static let validated = PulseOximetryStatus(rawValue: 1 << 7)
  /// Fully qualified.
  public static let fullyQualified = PulseOximetryStatus(rawValue: 1 << 8)
  /// Stored earlier and sent now.
  public static let fromStorage = PulseOximetryStatus(rawValue: 1 << 9)
  /// Synthetic data for demonstration.
  public static let demonstration = PulseOximetryStatus(rawValue: 1 << 10)
  /// Synthetic data for testing.
  public static let testing = PulseOximetryStatus(rawValue: 1 << 11)
  /// The device is calibrating.
  public static let calibrationOngoing = PulseOximetryStatus(rawValue: 1 << 12)
  /// The measurement is unavailable.
  public static let unavailable = PulseOximetryStatus(rawValue: 1 << 13)
  /// The measurement is questionable.
  public static let questionable = PulseOximetryStatus(rawValue: 1 << 14)
  /// The measurement is invalid.
  public static let invalid = PulseOximetryStatus(rawValue: 1 << 15)
}

/// The status of a pulse oximeter and its sensor (`Device and Sensor Status`, 24 bits).
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
  /// Signal processing is irregular.
  public static let signalProcessingIrregularity = PulseOximeterCondition(rawValue: 1 << 2)
  /// The signal is inadequate.
  public static let inadequateSignal = PulseOximeterCondition(rawValue: 1 << 3)
  /// The signal is poor.
  public static let poorSignal = PulseOximeterCondition(rawValue: 1 << 4)
  /// Perfusion at the sensor's site is low.
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
