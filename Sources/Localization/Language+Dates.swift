import Care
package import Foundation

extension Language {
  /// A day as people say it: `5 November`, `11月5日`.
  package func dayMonth(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.dayMonth", dateValues(date, in: timeZone))
  }

  /// `5 November 2026`.
  package func dayMonthYear(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.dayMonthYear", dateValues(date, in: timeZone))
  }

  /// `Thu 5 November`.
  package func weekdayDayMonth(_ date: Date, in timeZone: TimeZone) -> String {
    var values = dateValues(date, in: timeZone)
    values["weekday"] = weekday(date, in: timeZone, isShort: code.hasPrefix("en"))
    return text("date.weekdayDayMonth", values)
  }

  /// `November 2026`.
  package func monthYear(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.monthYear", dateValues(date, in: timeZone))
  }

  /// `Nov`.
  package func shortMonth(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.monthShort.\(LocalDateTime(date, in: timeZone).month)")
  }

  /// `Thursday`, or `Thu`.
  package func weekday(_ date: Date, in timeZone: TimeZone, isShort: Bool = false) -> String {
    let day = weekday(of: date, in: timeZone)
    return text(isShort ? "date.weekdayShort.\(day)" : "date.weekday.\(day)")
  }

  /// The day of the week, 1 (Monday) to 7 (Sunday).
  func weekday(of date: Date, in timeZone: TimeZone) -> Int {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    // Foundation counts from Sunday, ISO 8601 from Monday.
    return (calendar.component(.weekday, from: date) + 5) % 7 + 1
  }

  /// The time of day: `07:05`.
  package func time(_ date: Date, in timeZone: TimeZone) -> String {
    String(LocalDateTime(date, in: timeZone).description.dropFirst(11).prefix(5))
  }

  /// The time on the day of `now`, else the time with the day: `07:05`, `07:05, 4 November`.
  package func time(_ date: Date, relativeTo now: Date, in timeZone: TimeZone) -> String {
    let time = time(date, in: timeZone)
    guard date.day(in: timeZone) != now.day(in: timeZone) else { return time }
    return text("date.timeOn", ["time": time, "date": day(date, relativeTo: now, in: timeZone)])
  }

  /// `today`, `yesterday`, or the day, with its year if it is not that of `now`.
  package func day(_ date: Date, relativeTo now: Date, in timeZone: TimeZone) -> String {
    if date.day(in: timeZone) == now.day(in: timeZone) { return text("date.today") }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    if let yesterday = calendar.date(byAdding: .day, value: -1, to: now),
      yesterday.day(in: timeZone) == date.day(in: timeZone)
    {
      return text("date.yesterday")
    }
    let isThisYear =
      LocalDateTime(date, in: timeZone).year == LocalDateTime(now, in: timeZone).year
    return isThisYear ? dayMonth(date, in: timeZone) : dayMonthYear(date, in: timeZone)
  }

  private func dateValues(_ date: Date, in timeZone: TimeZone) -> [String: String] {
    let local = LocalDateTime(date, in: timeZone)
    return [
      "day": String(local.day), "month": text("date.month.\(local.month)"),
      "year": String(local.year), "weekday": weekday(date, in: timeZone),
    ]
  }
}

extension Date {
  /// The local day in ISO 8601: `2026-11-22`.
  package func day(in timeZone: TimeZone) -> String {
    String(LocalDateTime(self, in: timeZone).description.prefix(10))
  }
}
