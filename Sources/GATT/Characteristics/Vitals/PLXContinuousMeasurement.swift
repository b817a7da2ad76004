/// `PLX Continuous Measurement` (2A5F): what a pulse oximeter shows while it is worn.
///
/// ```
/// flags u8  0 fast pair · 1 slow pair · 2 measurement status · 3 device and sensor status
///           4 pulse amplitude index
/// SpO2, pulse rate SFLOAT [fast SpO2, pulse rate] [slow SpO2, pulse rate]
/// [measurement status u16] [device and sensor status u24] [amplitude SFLOAT]
/// ```
/// It has no time stamp: it is of the moment at which it arrives.
/// Source: Pulse Oximeter Service 1.0.1 §3.3.
public struct PLXContinuousMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A5F)

  /// Saturation and pulse, averaged as the device usually does.
  public var oximetry: PulseOximetry
  /// The same with a fast response.
  public var fast: PulseOximetry?
  /// The same with a slow response.
  public var slow: PulseOximetry?
  /// How far the device trusts the measurement.
  public var status: PulseOximetryStatus?
  /// What is the matter with the device and its sensor.
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
    fast = flags.contains(.fast) ? try PulseOximetry(from: &reader, "fast") : nil
    slow = flags.contains(.slow) ? try PulseOximetry(from: &reader, "slow") : nil
    status =
      flags.contains(.status)
      ? PulseOximetryStatus(rawValue: try reader.u16("measurement status")) : nil
    condition =
      flags.contains(.condition)
      ? PulseOximeterCondition(rawValue: try reader.u24("device and sensor status")) : nil
    pulseAmplitudeIndex =
      flags.contains(.amplitude) ? try reader.sfloat("pulse amplitude index") : nil
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
