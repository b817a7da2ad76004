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
  /// What the device's clock showed.
  public var timeStamp: DateTime?
  /// How far the device trusts the measurement.
  public var status: PulseOximetryStatus?
  /// What is the matter with the device and its sensor.
  public var condition: PulseOximeterCondition?
  /// The pulse amplitude index in %: the ratio of the pulsating to the steady blood flow.
  public var pulseAmplitudeIndex: MedicalFloat?
  /// Whether the device's clock has never been set, so that the time stamp means nothing.
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
    timeStamp = flags.contains(.timeStamp) ? try DateTime(from: &reader) : nil
    status =
      flags.contains(.status)
      ? PulseOximetryStatus(rawValue: try reader.u16("measurement status")) : nil
    condition =
      flags.contains(.condition)
      ? PulseOximeterCondition(rawValue: try reader.u24("device and sensor status")) : nil
    pulseAmplitudeIndex =
      flags.contains(.amplitude) ? try reader.sfloat("pulse amplitude index") : nil
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
