/// `Enhanced Blood Pressure Measurement` (2B34).
///
/// ```
/// flags u8  0 kPa · 1 time stamp · 2 pulse rate · 3 user · 4 status · 5 user-facing time · 6 epoch 2000
/// systolic SFLOAT, diastolic SFLOAT, mean arterial SFLOAT
/// [time stamp u32] [pulse rate SFLOAT] [user u8] [status u16] [user-facing time u32]
/// ```
/// Times are seconds since 1900, or 2000 with that flag. Source: Blood Pressure Service 1.1 §3.4, GATT
/// Specification Supplement.
public struct EnhancedBloodPressureMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2B34)

  /// The measurement without its times.
  public var measurement: BloodPressureMeasurement
  /// Seconds since the epoch of the device's base time.
  public var timeStamp: UInt32?
  /// Seconds since the epoch of the time that the device shows.
  public var userFacingTime: UInt32?
  /// Whether seconds count from 2000 instead of 1900.
  public var countsFrom2000: Bool

  /// Makes a measurement; the time of `measurement` is not sent.
  public init(
    measurement: BloodPressureMeasurement, timeStamp: UInt32? = nil,
    userFacingTime: UInt32? = nil, countsFrom2000: Bool = true
  ) {
    self.measurement = measurement
    self.measurement.timeStamp = nil
    self.timeStamp = timeStamp
    self.userFacingTime = userFacingTime
    self.countsFrom2000 = countsFrom2000
  }

  /// Seconds since 1970 of the time that the device shows, or of its base time; `nil` without one.
  public var secondsSince1970: Int64? {
    // From 1900 to 1970 there are 70 years with 17 leap days, from 1970 to 2000 30 with 7.
    let epoch: Int64 = countsFrom2000 ? 946_684_800 : -2_208_988_800
    return (userFacingTime ?? timeStamp).map { Int64($0) + epoch }
  }
}

extension EnhancedBloodPressureMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let kilopascals = Flags(rawValue: 1 << 0)
    static let timeStamp = Flags(rawValue: 1 << 1)
    static let pulseRate = Flags(rawValue: 1 << 2)
    static let user = Flags(rawValue: 1 << 3)
    static let status = Flags(rawValue: 1 << 4)
    static let userFacingTime = Flags(rawValue: 1 << 5)
    static let from2000 = Flags(rawValue: 1 << 6)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    measurement = BloodPressureMeasurement(
      unit: flags.contains(.kilopascals) ? .kilopascals : .millimetresOfMercury,
      systolic: try reader.sfloat("systolic"), diastolic: try reader.sfloat("diastolic"),
      meanArterial: try reader.sfloat("mean arterial pressure"))
    timeStamp = try reader.u32("time stamp", if: flags.contains(.timeStamp))
    measurement.pulseRate = try reader.sfloat("pulse rate", if: flags.contains(.pulseRate))
    measurement.userIndex = try reader.userIndex(flags.contains(.user))
    measurement.status = try reader.u16("measurement status", if: flags.contains(.status))
      .map(BloodPressureMeasurement.Status.init(rawValue:))
    userFacingTime = try reader.u32("user-facing time", if: flags.contains(.userFacingTime))
    countsFrom2000 = flags.contains(.from2000)
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = measurement.unit == .kilopascals ? .kilopascals : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if measurement.pulseRate != nil { flags.insert(.pulseRate) }
    if measurement.userIndex != nil { flags.insert(.user) }
    if measurement.status != nil { flags.insert(.status) }
    if userFacingTime != nil { flags.insert(.userFacingTime) }
    if countsFrom2000 { flags.insert(.from2000) }
    writer.u8(flags.rawValue)
    writer.sfloat(measurement.systolic)
    writer.sfloat(measurement.diastolic)
    writer.sfloat(measurement.meanArterial)
    if let timeStamp { writer.u32(timeStamp) }
    if let pulseRate = measurement.pulseRate { writer.sfloat(pulseRate) }
    if let userIndex = measurement.userIndex { writer.u8(userIndex) }
    if let status = measurement.status { writer.u16(status.rawValue) }
    if let userFacingTime { writer.u32(userFacingTime) }
  }
}
