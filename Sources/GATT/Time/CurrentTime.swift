/// `Current Time` (2A2B): a clock with its weekday and why it was last set, in 10 bytes.
///
/// Scales and cuffs are told the time by a write of this, and some announce theirs with it.
/// Source: GATT Specification Supplement, Current Time.
public struct CurrentTime: Characteristic {
  public static let uuid = BluetoothUUID(0x2A2B)

  /// Date and time of day, local, without a zone.
  public var dateTime: DateTime
  /// The day of the week; `nil` where the device does not know it, or sends a reserved number.
  public var weekday: Weekday?
  /// The fraction of the second in 1/256 s.
  public var fraction: UInt8
  /// Why the clock was last set; empty for a plain reading.
  public var adjustReason: AdjustReason

  /// Makes a reading of a clock; nothing is checked.
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

  /// Why a clock was last set.
  public struct AdjustReason: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Someone set it by hand.
    public static let manual = AdjustReason(rawValue: 1 << 0)
    /// Another clock set it.
    public static let externalReference = AdjustReason(rawValue: 1 << 1)
    /// The zone changed.
    public static let timeZone = AdjustReason(rawValue: 1 << 2)
    /// Daylight-saving time began or ended.
    public static let daylightSaving = AdjustReason(rawValue: 1 << 3)
  }
}
