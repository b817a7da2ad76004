/// `Blood Pressure Measurement` (2A35), and `Intermediate Cuff Pressure` (2A36) in the same layout.
///
/// ```
/// flags u8  0 kPa · 1 time stamp · 2 pulse rate · 3 user ID · 4 measurement status
/// systolic, diastolic, mean arterial SFLOAT
/// [time stamp 7] [pulse rate SFLOAT] [user ID u8] [measurement status u16]
/// ```
/// An intermediate frame has the cuff pressure as `systolic` and not-a-number as the other two.
/// Source: Blood Pressure Service 1.1 §3.1 and §3.2.
public struct BloodPressureMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A35)
  /// The UUID of the pressure during inflation and deflation.
  public static let intermediateUUID = BluetoothUUID(0x2A36)

  /// The unit of the three pressures.
  public var unit: Unit
  /// The systolic pressure, or the cuff pressure in an intermediate frame.
  public var systolic: MedicalFloat
  /// The diastolic pressure.
  public var diastolic: MedicalFloat
  /// The mean arterial pressure; many cuffs send not-a-number or zero.
  public var meanArterial: MedicalFloat
  /// The time on the cuff's clock.
  public var timeStamp: DateTime?
  /// The pulse in beats a minute.
  public var pulseRate: MedicalFloat?
  /// The index of the user on the cuff; `nil` if not sent or unknown.
  public var userIndex: UInt8?
  /// The measurement's status.
  public var status: Status?

  /// Makes a measurement.
  public init(
    unit: Unit = .millimetresOfMercury, systolic: MedicalFloat, diastolic: MedicalFloat,
    meanArterial: MedicalFloat, timeStamp: DateTime? = nil, pulseRate: MedicalFloat? = nil,
    userIndex: UInt8? = nil, status: Status? = nil
  ) {
    self.unit = unit
    self.systolic = systolic
    self.diastolic = diastolic
    self.meanArterial = meanArterial
    self.timeStamp = timeStamp
    self.pulseRate = pulseRate
    self.userIndex = userIndex
    self.status = status
  }

  /// A unit of pressure.
  public enum Unit: Hashable, Sendable, CaseIterable {
    /// mmHg.
    case millimetresOfMercury
    /// kPa.
    case kilopascals
  }
}

extension BloodPressureMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let kilopascals = Flags(rawValue: 1 << 0)
    static let timeStamp = Flags(rawValue: 1 << 1)
    static let pulseRate = Flags(rawValue: 1 << 2)
    static let user = Flags(rawValue: 1 << 3)
    static let status = Flags(rawValue: 1 << 4)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    unit = flags.contains(.kilopascals) ? .kilopascals : .millimetresOfMercury
    systolic = try reader.sfloat("systolic")
    diastolic = try reader.sfloat("diastolic")
    meanArterial = try reader.sfloat("mean arterial pressure")
    timeStamp = try reader.announced(flags.contains(.timeStamp), DateTime.init(from:))
    pulseRate = try reader.sfloat("pulse rate", if: flags.contains(.pulseRate))
    userIndex = try reader.userIndex(flags.contains(.user))
    status = try reader.u16("measurement status", if: flags.contains(.status))
      .map(Status.init(rawValue:))
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = unit == .kilopascals ? .kilopascals : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if pulseRate != nil { flags.insert(.pulseRate) }
    if userIndex != nil { flags.insert(.user) }
    if status != nil { flags.insert(.status) }
    writer.u8(flags.rawValue)
    writer.sfloat(systolic)
    writer.sfloat(diastolic)
    writer.sfloat(meanArterial)
    timeStamp?.encode(into: &writer)
    if let pulseRate { writer.sfloat(pulseRate) }
    if let userIndex { writer.u8(userIndex) }
    if let status { writer.u16(status.rawValue) }
  }
}

// MARK: - Status

extension BloodPressureMeasurement {
  /// Disturbances of a blood pressure measurement.
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
    /// The pulse rate is above the device's range.
    public static let pulseAboveRange = Status(rawValue: 1 << 3)
    /// The pulse rate is below the device's range.
    public static let pulseBelowRange = Status(rawValue: 1 << 4)
    /// The cuff is not at heart level.
    public static let improperPosition = Status(rawValue: 1 << 5)
  }
}
