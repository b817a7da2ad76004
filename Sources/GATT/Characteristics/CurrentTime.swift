/// `Current Time` (2A2B): date, time, weekday and the reason of the last adjustment, in 10 bytes.
///
/// Written to set the clock of a scale or cuff; some devices also send their own time with it.
/// Source: GATT Specification Supplement, Current Time.
public struct CurrentTime: Characteristic {
  public static let uuid = BluetoothUUID(0x2A2B)

  /// Date and time of day, local, without a zone.
  public var dateTime: DateTime
  /// The day of the week; `nil` if the device does not know it or sends a reserved number.
  public var weekday: Weekday?
  /// The fraction of the second in 1/256 s.
  public var fraction: UInt8
  /// The reason of the last adjustment; empty for a plain reading.
  public var adjustReason: AdjustReason

  /// Makes a time without validation.
  public init(
    dateTime: DateTime, weekday: Weekday?, fraction: UInt8 = 0, adjustReason: AdjustReason = []
  ) {
    self.dateTime = dateTime
    self.weekday = weekday
    self.fraction = fraction
    self.adjustReason = adjustReason
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    dateTime = try DateTime(from: &reader)
    weekday = Weekday(rawValue: try reader.u8("day of week"))
    fraction = try reader.u8("fractions256")
    adjustReason = AdjustReason(rawValue: try reader.u8("adjust reason"))
  }

  public func encode(into writer: inout ByteWriter) {
    dateTime.encode(into: &writer)
    writer.append([weekday?.rawValue ?? 0, fraction, adjustReason.rawValue])
  }
}

extension CurrentTime {
  /// A day of the week by its number in the specification, Monday first.
  public enum Weekday: UInt8, Hashable, Sendable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday
  }

  /// The reason of a clock's last adjustment.
  public struct AdjustReason: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Set manually.
    public static let manual = AdjustReason(rawValue: 1 << 0)
    /// Set from an external reference.
    public static let externalReference = AdjustReason(rawValue: 1 << 1)
    /// The time zone changed.
    public static let timeZone = AdjustReason(rawValue: 1 << 2)
    /// Daylight-saving time began or ended.
    public static let daylightSaving = AdjustReason(rawValue: 1 << 3)
  }
}
