/// A pulse oximeter's two numbers, which always come together.
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

  /// Reads the two SFLOATs, naming them after the `pair` that they are.
  init(from reader: inout ByteReader, _ pair: String) throws(GATTError) {
    saturation = try reader.sfloat("\(pair) SpO2")
    pulseRate = try reader.sfloat("\(pair) pulse rate")
  }

  func encode(into writer: inout ByteWriter) {
    writer.sfloat(saturation)
    writer.sfloat(pulseRate)
  }
}

/// How far a pulse oximeter trusts its measurement (`Measurement Status`).
///
/// Source: Pulse Oximeter Service 1.0.1, table 3.4. Bits 0…4 are reserved.
public struct PulseOximetryStatus: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The measurement goes on.
  public static let measurementOngoing = PulseOximetryStatus(rawValue: 1 << 5)
  /// An early estimate.
  public static let earlyEstimate = PulseOximetryStatus(rawValue: 1 << 6)
  /// Checked by the device.
  public static let validated = PulseOximetryStatus(rawValue: 1 << 7)
  /// Fully qualified.
  public static let fullyQualified = PulseOximetryStatus(rawValue: 1 << 8)
  /// Stored earlier and sent now.
  public static let fromStorage = PulseOximetryStatus(rawValue: 1 << 9)
  /// Made up, to demonstrate the device.
  public static let demonstration = PulseOximetryStatus(rawValue: 1 << 10)
  /// Made up, to test the device.
  public static let testing = PulseOximetryStatus(rawValue: 1 << 11)
  /// The device calibrates itself.
  public static let calibrationOngoing = PulseOximetryStatus(rawValue: 1 << 12)
  /// There is no measurement.
  public static let unavailable = PulseOximetryStatus(rawValue: 1 << 13)
  /// The measurement is questionable.
  public static let questionable = PulseOximetryStatus(rawValue: 1 << 14)
  /// The measurement is invalid.
  public static let invalid = PulseOximetryStatus(rawValue: 1 << 15)
}
