/// What a device's own clock shows: a date and time of day without a zone.
///
/// Sensors send local time and never say where (`Date Time`, GATT Specification Supplement §3.70).
/// It becomes an instant only with a zone, which the plan gives. Fields are kept as sent; whether
/// they are a real date is asked when they are resolved.
public struct LocalDateTime: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year as sent, 0 where the device does not know it.
  public var year: Int
  /// The month, 1…12, 0 where the device does not know it.
  public var month: Int
  /// The day of the month, 1…31, 0 where the device does not know it.
  public var day: Int
  /// The hour, 0…23.
  public var hour: Int
  /// The minute, 0…59.
  public var minute: Int
  /// The second, 0…59.
  public var second: Int

  /// Makes a reading of a device's clock.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  public static func < (a: LocalDateTime, b: LocalDateTime) -> Bool {
    (a.year, a.month, a.day, a.hour, a.minute, a.second)
      < (b.year, b.month, b.day, b.hour, b.minute, b.second)
  }

  /// The RFC 3339 form without an offset: `2022-02-14T16:41:58`.
  public var description: String {
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
  }
}
