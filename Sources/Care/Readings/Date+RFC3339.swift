public import Foundation

extension Date {
  /// The instant that an RFC 3339 date-time names: `2026-11-20T07:09:58-08:00`.
  ///
  /// An offset is required; a fraction is kept to the microsecond.
  ///
  /// - Returns: `nil` for anything else, and for a date that the calendar does not have.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, let local = LocalDateTime(rfc3339: bytes[..<19]) else { return nil }
    var rest = bytes[19...]
    var fraction: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      var scale: Int64 = 100_000
      for digit in digits.prefix(6) {
        fraction += Int64(digit - 0x30) * scale
        scale /= 10
      }
      rest = rest.dropFirst(1 + digits.count)
    }
    guard let offset = Self.offset(rest), let seconds = local.secondsSince1970 else { return nil }
    self.init(microseconds: (seconds - offset) * 1_000_000 + fraction)
  }

  private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) { return 0 }
    let bytes = Array(text)
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      let hours = decimal(bytes[1..<3]), let minutes = decimal(bytes[4..<6]),
      hours < 24, minutes < 60
    else { return nil }
    let seconds = Int64(hours * 3600 + minutes * 60)
    return bytes[0] == UInt8(ascii: "-") ? -seconds : seconds
  }

  /// The RFC 3339 form with the zone's offset at this instant, in whole seconds where it has no
  /// fraction, else to the microsecond.
  public func rfc3339(in timeZone: TimeZone) -> String {
    // Before 1972 a few zones had offsets with seconds, which RFC 3339 cannot write: the local time
    // then shifts with the offset, so that the instant stays what it is.
    let offset = timeZone.secondsFromGMT(for: self) / 60 * 60
    let local = microseconds.addingReportingOverflow(Int64(offset) * 1_000_000)
    guard !local.overflow else { return "out of range" }
    let (days, inDay) = local.partialValue.flooredDivision(by: 86_400_000_000)
    var text = LocalDateTime(daysSince1970: days, secondOfDay: Int(inDay / 1_000_000)).description
    let fraction = inDay % 1_000_000
    if fraction != 0 {
      let digits = String(fraction)
      text += "." + String(repeating: "0", count: 6 - digits.count) + digits
    }
    let minutes = abs(offset) / 60
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
    return text + (offset < 0 ? "-" : "+") + "\(two(minutes / 60)):\(two(minutes % 60))"
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

extension LocalDateTime {
  /// Reads `2026-11-20T07:09:58`, which must be a date that the calendar has.
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

  /// The civil date that lies so many days after 1970-01-01, in the proleptic Gregorian calendar.
  ///
  /// Counts in 400-year eras of 146 097 days that begin in March, so that a leap day ends a year.
  init(daysSince1970 days: Int64, secondOfDay: Int) {
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

  /// Seconds since 1970-01-01T00:00:00 if this were UTC; `nil` where it is no real date and time.
  var secondsSince1970: Int64? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, (0...23).contains(hour),
      (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let (era, yearOfEra) = shiftedYear.flooredDivision(by: 400)
    let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }
}

extension Int64 {
  /// Quotient and remainder, the remainder never negative.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
