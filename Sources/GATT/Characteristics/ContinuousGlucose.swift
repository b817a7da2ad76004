/// `CGM Measurement` (2AA7): one value of a continuous glucose sensor, or several in one frame.
///
/// ```
/// size u8, flags u8  0 trend · 1 quality · 5 warnings · 6 calibration and temperature · 7 status
/// concentration SFLOAT, time offset u16
/// [warnings u8] [calibration u8] [status u8] [trend SFLOAT] [quality SFLOAT] [CRC u16]
/// ```
/// The concentration is in mg/dL, the offset in minutes since the session's start. Source:
/// Continuous Glucose Monitoring Service 1.0.1 §3.1.
public struct ContinuousGlucoseMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2AA7)

  /// The values, oldest first; never empty in a frame that was read.
  public var records: [Record]

  /// Makes a frame.
  public init(records: [Record]) {
    self.records = records
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    records = [try Record(from: &reader)]
    // A record that is too short for its own size, or for any record, is none.
    while reader.next.map({ $0 >= Record.leastSize && $0 <= reader.remaining }) ?? false {
      records.append(try Record(from: &reader))
    }
  }

  public func encode(into writer: inout ByteWriter) {
    for record in records { record.encode(into: &writer) }
  }

  /// One value.
  public struct Record: Hashable, Sendable {
    /// The concentration in mg/dL.
    public var concentration: MedicalFloat
    /// Minutes since the session's start.
    public var timeOffset: UInt16
    /// The sensor's own state: status in the low byte, then calibration, then warnings.
    public var annunciation: Annunciation
    /// Which bytes of ``annunciation`` are sent, as the three high flags.
    public var annunciationFlags: UInt8
    /// Change in mg/dL a minute.
    public var trend: MedicalFloat?
    /// The sensor's own opinion of the value in %.
    public var quality: MedicalFloat?
    /// Whether it ends with a checksum, which was right.
    public var hasChecksum: Bool

    /// Makes a value.
    public init(
      concentration: MedicalFloat, timeOffset: UInt16, annunciation: Annunciation = [],
      trend: MedicalFloat? = nil, quality: MedicalFloat? = nil, hasChecksum: Bool = false
    ) {
      self.concentration = concentration
      self.timeOffset = timeOffset
      self.annunciation = annunciation
      let raw = annunciation.rawValue
      annunciationFlags =
        (raw & 0xFF != 0 ? 0x80 : 0) | (raw & 0xFF00 != 0 ? 0x40 : 0) | (raw >> 16 != 0 ? 0x20 : 0)
      self.trend = trend
      self.quality = quality
      self.hasChecksum = hasChecksum
    }
  }

  /// The state that a sensor reports of itself (§3.1.1.5).
  public struct Annunciation: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// The session has ended.
    public static let sessionStopped = Annunciation(rawValue: 1 << 0)
    /// The battery is low.
    public static let batteryLow = Annunciation(rawValue: 1 << 1)
    /// The sensor is of another kind than the device expects.
    public static let wrongSensorType = Annunciation(rawValue: 1 << 2)
    /// The sensor has a fault.
    public static let sensorMalfunction = Annunciation(rawValue: 1 << 3)
    /// The device has an alert of its own.
    public static let deviceAlert = Annunciation(rawValue: 1 << 4)
    /// The device has a fault.
    public static let deviceFault = Annunciation(rawValue: 1 << 5)
    /// The clocks of the device and its client must be set.
    public static let timeSynchronizationNeeded = Annunciation(rawValue: 1 << 8)
    /// Calibration is not allowed now.
    public static let calibrationNotAllowed = Annunciation(rawValue: 1 << 9)
    /// Calibration is recommended.
    public static let calibrationRecommended = Annunciation(rawValue: 1 << 10)
    /// Calibration is required.
    public static let calibrationRequired = Annunciation(rawValue: 1 << 11)
    /// The sensor is too warm.
    public static let temperatureTooHigh = Annunciation(rawValue: 1 << 12)
    /// The sensor is too cold.
    public static let temperatureTooLow = Annunciation(rawValue: 1 << 13)
    /// The value is higher than the device measures.
    public static let resultTooHigh = Annunciation(rawValue: 1 << 23)
    /// The value is lower than the device measures.
    public static let resultTooLow = Annunciation(rawValue: 1 << 22)
  }
}

extension ContinuousGlucoseMeasurement.Record {
  /// The bytes of a record without any field that a flag announces.
  fileprivate static let leastSize = 6

  fileprivate init(from reader: inout ByteReader) throws(GATTError) {
    let size = Int(try reader.u8("size"))
    guard size >= Self.leastSize else {
      throw .invalid(
        field: "size",
        reason: "\(size) bytes are fewer than the \(Self.leastSize) of every record")
    }
    let content = [UInt8(size)] + (try reader.bytes(size - 1, "record"))
    var record = ByteReader(content.dropFirst())
    let flags = try record.u8("flags")
    concentration = try record.sfloat("glucose concentration")
    timeOffset = try record.u16("time offset")
    annunciationFlags = flags & 0xE0
    var status: UInt32 = 0
    if flags & 0x20 != 0 { status |= UInt32(try record.u8("warnings")) << 16 }
    if flags & 0x40 != 0 { status |= UInt32(try record.u8("calibration and temperature")) << 8 }
    if flags & 0x80 != 0 { status |= UInt32(try record.u8("status")) }
    annunciation = .init(rawValue: status)
    trend = flags & 0x01 != 0 ? try record.sfloat("trend") : nil
    quality = flags & 0x02 != 0 ? try record.sfloat("quality") : nil
    hasChecksum = try EndToEndChecksum.isAtEnd(of: content, after: record)
    reader.pass(over: record.remaining - (hasChecksum ? EndToEndChecksum.length : 0))
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    var record = ByteWriter()
    record.u8(
      annunciationFlags | (trend == nil ? 0 : 0x01) | (quality == nil ? 0 : 0x02))
    record.sfloat(concentration)
    record.u16(timeOffset)
    for (flag, shift) in [(UInt8(0x20), UInt32(16)), (0x40, 8), (0x80, 0)]
    where annunciationFlags & flag != 0 {
      record.u8(UInt8(truncatingIfNeeded: annunciation.rawValue >> shift))
    }
    if let trend { record.sfloat(trend) }
    if let quality { record.sfloat(quality) }
    let size = record.bytes.count + 1 + (hasChecksum ? 2 : 0)
    let content = [UInt8(truncatingIfNeeded: size)] + record.bytes
    writer.append(content)
    if hasChecksum { writer.u16(EndToEndChecksum.of(content)) }
  }
}

/// `CGM Session Start Time` (2AAA): the time from which the offsets of the measurements count.
///
/// ```
/// date and time 7, time zone s8 (quarters of an hour), daylight saving u8, [CRC u16]
/// ```
/// Source: Continuous Glucose Monitoring Service 1.0.1 §3.5.
public struct ContinuousGlucoseSessionStart: Characteristic {
  public static let uuid = BluetoothUUID(0x2AAA)

  /// The time on the clock of the place.
  public var time: DateTime
  /// The offset of the zone in quarters of an hour; -128 if unknown.
  public var timeZone: Int8
  /// The daylight-saving time; 255 if unknown.
  public var daylightSaving: UInt8
  /// Whether it ends with a checksum, which was right.
  public var hasChecksum: Bool

  /// Makes a start.
  public init(
    time: DateTime, timeZone: Int8 = -128, daylightSaving: UInt8 = 255, hasChecksum: Bool = false
  ) {
    self.time = time
    self.timeZone = timeZone
    self.daylightSaving = daylightSaving
    self.hasChecksum = hasChecksum
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let content = reader
    try reader.require(9, "session start time")
    time = try DateTime(from: &reader)
    timeZone = try reader.s8("time zone")
    daylightSaving = try reader.u8("daylight saving")
    hasChecksum = try EndToEndChecksum.isAtEnd(of: content.unread, after: reader)
    if hasChecksum { reader.dropLast(EndToEndChecksum.length) }
  }

  public func encode(into writer: inout ByteWriter) {
    var content = ByteWriter()
    time.encode(into: &content)
    content.u8(UInt8(bitPattern: timeZone))
    content.u8(daylightSaving)
    writer.append(content.bytes)
    if hasChecksum { writer.u16(EndToEndChecksum.of(content.bytes)) }
  }
}

/// The end-to-end checksum of health profiles: CRC-16 with x¹⁶+x¹²+x⁵+1, low bits first, from FFFF.
///
/// Source: Continuous Glucose Monitoring Service 1.0.1 §3.11.
enum EndToEndChecksum {
  /// Its length in bytes.
  static let length = 2

  /// Whether `bytes` end with their checksum.
  ///
  /// - Parameters:
  ///   - bytes: All bytes that it covers, and its own.
  ///   - fields: The reader behind the last field.
  /// - Returns: Whether the last two bytes are the checksum of those before them.
  /// - Throws: ``GATTError/invalid(field:reason:)`` if only a checksum can follow the fields, and it is
  ///   that of other bytes.
  static func isAtEnd(
    of bytes: some Collection<UInt8>, after fields: ByteReader
  ) throws(GATTError) -> Bool {
    guard fields.remaining >= length else { return false }
    var last = ByteReader(Array(bytes.suffix(length)))
    if try last.u16("checksum") == of(bytes.dropLast(length)) { return true }
    guard fields.remaining > length else {
      throw .invalid(field: "checksum", reason: "the bytes before it give another one")
    }
    return false
  }

  static func of(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var checksum: UInt16 = 0xFFFF
    for byte in bytes {
      checksum ^= UInt16(byte)
      for _ in 0..<8 {
        checksum = checksum & 1 == 0 ? checksum >> 1 : checksum >> 1 ^ 0x8408
      }
    }
    return checksum
  }
}
