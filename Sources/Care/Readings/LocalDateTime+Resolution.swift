public import Foundation

extension LocalDateTime {
  /// The instant at which clocks in `timeZone` show this.
  ///
  /// A time that a change of clocks leaves out is resolved forward (02:30 becomes 03:30), one that
  /// comes twice to its first instance.
  ///
  /// - Returns: `nil` where it is no real date and time: month 13, February 30, an unknown day.
  public func resolved(in timeZone: TimeZone) -> Date? {
    guard secondsSince1970 != nil else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.date(
      from: DateComponents(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second))
  }

  /// What clocks in `timeZone` show at `date`, to the second.
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

extension Date {
  /// The instant that `text` names: an RFC 3339 time with an offset, or a date or time without one,
  /// which is read in `timeZone` as ``LocalDateTime/resolved(in:)`` does.
  ///
  /// - Returns: `nil` for anything else, and for a date or time that is not real.
  public init?(_ text: String, in timeZone: TimeZone) {
    if let local = LocalDateTime(text) {
      guard let date = local.resolved(in: timeZone) else { return nil }
      self = date
    } else {
      self.init(rfc3339: text)
    }
  }
}

extension TimeZone {
  /// The zone of an IANA name: `Europe/Berlin`, `UTC`.
  ///
  /// - Returns: `nil` for other names: abbreviations such as `PST` and offsets such as `GMT+3`
  ///   keep no calendar.
  public init?(iana name: String) {
    guard name.contains("/") || name == "UTC" || name == "GMT" else { return nil }
    self.init(identifier: name)
  }
}
