public import Foundation

extension Schedule {
  /// Every day at a time of day, beginning on the local day of `start`, even where that time of it
  /// has passed.
  ///
  /// - Throws: ``ScheduleError``.
  public static func daily(
    hour: Int, minute: Int = 0, start: Date, end: Date? = nil,
    duration: EventDuration = .seconds(3600), targets: [TargetValue] = [], text: String? = nil,
    timeZone: TimeZone
  ) throws(ScheduleError) -> Schedule {
    let first = try date(hour: hour, minute: minute, onDayOf: start, daysLater: 0, in: timeZone)
    return try Schedule([
      ScheduleElement(
        start: first, end: end, interval: Interval(days: 1), duration: duration, targets: targets,
        text: text, timeZone: timeZone)
    ])
  }

  /// Every week on a weekday (1 is Sunday) at a time of day, beginning with the first such weekday
  /// on or after the local day of `start`.
  ///
  /// - Throws: ``ScheduleError``.
  public static func weekly(
    weekday: Int, hour: Int, minute: Int = 0, start: Date, end: Date? = nil,
    duration: EventDuration = .seconds(3600), targets: [TargetValue] = [], text: String? = nil,
    timeZone: TimeZone
  ) throws(ScheduleError) -> Schedule {
    guard (1...7).contains(weekday) else { throw .noSuchTime }
    let today = gregorian(timeZone).component(.weekday, from: start)
    let first = try date(
      hour: hour, minute: minute, onDayOf: start, daysLater: (weekday - today + 7) % 7,
      in: timeZone)
    return try Schedule([
      ScheduleElement(
        start: first, end: end, interval: Interval(weeks: 1), duration: duration,
        targets: targets, text: text, timeZone: timeZone)
    ])
  }

  /// Breakfast at 07:30, lunch at 12:00 and dinner at 17:30, an hour each.
  ///
  /// - Throws: ``ScheduleError``.
  public static func mealTimesEachDay(
    start: Date, end: Date? = nil, targets: [TargetValue] = [], timeZone: TimeZone
  ) throws(ScheduleError) -> Schedule {
    func meal(_ hour: Int, _ minute: Int, _ text: String) throws(ScheduleError) -> Schedule {
      try daily(
        hour: hour, minute: minute, start: start, end: end, targets: targets, text: text,
        timeZone: timeZone)
    }
    return Schedule(
      try meal(7, 30, "Breakfast"), try meal(12, 0, "Lunch"), try meal(17, 30, "Dinner"))
  }

  /// The same schedule, later (or earlier, for a negative amount) by calendar units of each
  /// element's own zone.
  ///
  /// - Throws: ``ScheduleError`` where that leaves 1900…9999.
  public func offset(by amount: Interval) throws(ScheduleError) -> Schedule {
    var moved: [ScheduleElement] = []
    for element in elements { moved.append(try element.offset(by: amount)) }
    return try Schedule(moved)
  }

  private static func date(
    hour: Int, minute: Int, onDayOf start: Date, daysLater: Int, in timeZone: TimeZone
  ) throws(ScheduleError) -> Date {
    guard (0...23).contains(hour), (0...59).contains(minute) else { throw .noSuchTime }
    let calendar = gregorian(timeZone)
    var day = calendar.dateComponents([.era, .year, .month, .day], from: start)
    day.day = (day.day ?? 1) + daysLater
    day.hour = hour
    day.minute = minute
    guard let date = calendar.date(from: day) else { throw .noSuchTime }
    return date
  }

  private static func gregorian(_ timeZone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar
  }
}

extension ScheduleElement {
  /// The same element, later (or earlier, for a negative amount) by calendar units of its zone.
  ///
  /// - Throws: ``ScheduleError`` where that leaves 1900…9999.
  public func offset(by amount: Interval) throws(ScheduleError) -> ScheduleElement {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let components = DateComponents(
      year: amount.years, month: amount.months, day: amount.days, hour: amount.hours,
      minute: amount.minutes, second: amount.seconds, weekOfYear: amount.weeks)
    func moved(_ date: Date) throws(ScheduleError) -> Date {
      guard let date = calendar.date(byAdding: components, to: date) else { throw .dateOutOfRange }
      return date
    }
    var movedEnd: Date?
    if let end { movedEnd = try moved(end) }
    return try ScheduleElement(
      start: try moved(start), end: movedEnd, interval: interval, duration: duration,
      targets: targets, text: text, timeZone: timeZone)
  }
}
