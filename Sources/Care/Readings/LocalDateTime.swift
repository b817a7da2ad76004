public import Foundation

/// The time of a device's clock: a date and time of day without a zone.
///
/// Sensors send local time without a zone (`Date Time`, GATT Specification Supplement §3.70). It
/// becomes an instant only with a zone, which the plan gives. Fields are kept as sent; whether they
/// are a real date is checked when they are resolved.
public struct LocalDateTime: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year as sent, 0 if the device does not know it.
  public var year: Int
  /// The month, 1…12, 0 if the device does not know it.
  public var month: Int
  /// The day of the month, 1…31, 0 if the device does not know it.
  public var day: Int
  /// The hour, 0…23.
  public var hour: Int
  /// The minute, 0…59.
  public var minute: Int
  /// The second, 0…59.
  public var second: Int

  /// Makes a local time.
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

// MARK: - Zones

extension LocalDateTime {
  /// The instant at which clocks in `timeZone` show this time.
  ///
  /// A time that a change of clocks skips is resolved forward (02:30 becomes 03:30), a time that
  /// occurs twice to its first occurrence.
  ///
  /// - Returns: `nil` if it is no real date and time: month 13, February 30, an unknown day.
  public func resolved(in timeZone: TimeZone) -> Date? {
    guard secondsSince1970 != nil else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.date(
      from: DateComponents(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second))
  }

  /// The instants at which clocks in `timeZone` show this time, the earliest first.
  ///
  /// - Returns: Two instants if a change of clocks repeats this time, one for any other real time
  ///   (``resolved(in:)``), and none if it is no real date and time.
  public func instants(in timeZone: TimeZone) -> [Date] {
    guard let first = resolved(in: timeZone) else { return [] }
    // Clocks are set back by an hour; by half of one on Lord Howe Island, by two in Antarctica.
    let repeated = [1800.0, 3600, 7200].map(first.addingTimeInterval).first {
      LocalDateTime($0, in: timeZone) == self
    }
    return [first] + (repeated.map { [$0] } ?? [])
  }

  /// The time that clocks in `timeZone` show at `date`, to the second.
  public init(_ date: Date, in timeZone: TimeZone) {
    let offset = Int64(timeZone.secondsFromGMT(for: date))
    let seconds = date.microseconds.flooredDivision(by: 1_000_000).quotient
    let (days, inDay) = (seconds + offset).flooredDivision(by: 86_400)
    self.init(daysSince1970: days, secondOfDay: Int(inDay))
  }

  /// Reads `2026-11-01`, `2026-11-01T09:00` or `2026-11-01T09:00:30`: a date alone is its midnight.
  ///
  /// - Returns: `nil` for anything else, and for a date or time that is not real.
  public init?(_ text: String) {
    let completion =
      switch text.utf8.count {
      case 10: "T00:00:00"
      case 16: ":00"
      default: ""
      }
    self.init(rfc3339: Array((text + completion).utf8)[...])
  }
}

// MARK: - The civil calendar

extension LocalDateTime {
  /// Reads `2026-11-20T07:09:58`, which must be a real date.
  init?(rfc3339 bytes: ArraySlice<UInt8>) {
    let text = Array(bytes)
    guard text.count == 19, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let year = decimal(text[0..<4]), let month = decimal(text[5..<7]),
      let day = decimal(text[8..<10]), let hour = decimal(text[11..<13]),
      let minute = decimal(text[14..<16]), let second = decimal(text[17..<19])
    else { return nil }
    self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard secondsSince1970 != nil else { return nil }
  }

  /// The civil date `days` after 1970-01-01, in the proleptic Gregorian calendar.
  ///
  /// Counts in 400-year eras of 146 097 days that begin in March, so that a leap day ends a year.
  package init(daysSince1970 days: Int64, secondOfDay: Int) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      year: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month: Int(month),
      day: Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1), hour: secondOfDay / 3600,
      minute: secondOfDay / 60 % 60, second: secondOfDay % 60)
  }

  /// Seconds since 1970-01-01T00:00:00 if this were UTC; `nil` if it is no real date and time.
  package var secondsSince1970: Int64? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, (0...23).contains(hour),
      (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    guard day <= Self.days(inMonth: month, of: year) else { return nil }
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let (era, yearOfEra) = shiftedYear.flooredDivision(by: 400)
    let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// How many days a month has, 1…12.
  static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2:
      let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
      return isLeap ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

extension Int64 {
  /// Quotient and remainder, the remainder never negative.
  package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// The number that two or four ASCII digits spell.
func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
  var value = 0
  for digit in digits {
    guard (0x30...0x39).contains(digit) else { return nil }
    value = value * 10 + Int(digit - 0x30)
  }
  return value
}
