/// `Date Time` (2A08): the time on a device's own clock, local and without a zone, in 7 bytes.
///
/// The fields are stored as sent, even if they form no valid date: a measurement with a wrong clock
/// is still a measurement. Source: GATT Specification Supplement, Date Time.
public struct DateTime: Characteristic {
  public static let uuid = BluetoothUUID(0x2A08)

  /// The year, 1582…9999; 0 if the device does not know it.
  public var year: UInt16
  /// The month, 1…12; 0 if the device does not know it.
  public var month: UInt8
  /// The day of the month, 1…31; 0 if the device does not know it.
  public var day: UInt8
  /// The hour, 0…23.
  public var hour: UInt8
  /// The minute, 0…59.
  public var minute: UInt8
  /// The second, 0…59.
  public var second: UInt8

  /// Makes a date and time without validation.
  public init(
    year: UInt16, month: UInt8, day: UInt8, hour: UInt8 = 0, minute: UInt8 = 0, second: UInt8 = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    try reader.require(7, "date time")
    year = try reader.u16("year")
    month = try reader.u8("month")
    day = try reader.u8("day")
    hour = try reader.u8("hours")
    minute = try reader.u8("minutes")
    second = try reader.u8("seconds")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.u16(year)
    writer.append([month, day, hour, minute, second])
  }

  /// Whether the device knows the date: year, month and day are not 0.
  public var isKnown: Bool {
    year != 0 && month != 0 && day != 0
  }

  /// Whether this is a date of the Gregorian calendar and a time of day.
  ///
  /// A wrong clock can show a valid date, such as 1970-01-04.
  public var isValid: Bool {
    isKnown && month <= 12 && day <= daysInMonth && hour < 24 && minute < 60 && second < 60
  }

  private var daysInMonth: UInt8 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    default: 31
    }
  }
}

extension DateTime: CustomStringConvertible {
  /// The RFC 3339 form without an offset: `2022-02-14T16:41:58`.
  public var description: String {
    func padded(_ value: some BinaryInteger, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
  }
}
