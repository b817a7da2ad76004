public import Foundation

/// When a task is due: one or more elements, merged by start.
public struct Schedule: Hashable, Sendable {
  /// The elements, sorted by start; those that start together keep their order.
  public let elements: [ScheduleElement]

  /// Merges elements.
  ///
  /// - Throws: ``ScheduleError/noElements`` for an empty list.
  public init(_ elements: [ScheduleElement]) throws(ScheduleError) {
    guard !elements.isEmpty else { throw .noElements }
    self.init(sorting: elements)
  }

  /// Merges the elements of several schedules; there is at least one, since every schedule has one.
  public init(_ first: Schedule, _ others: Schedule...) {
    self.init(sorting: first.elements + others.flatMap(\.elements))
  }

  init(sorting elements: [ScheduleElement]) {
    self.elements = elements.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  /// The start of the earliest element.
  public var startDate: Date { elements.map(\.start).min() ?? .distantPast }

  /// The latest end of its elements; `nil` if one of them is open.
  public var endDate: Date? {
    let ends = elements.compactMap(\.end)
    return ends.count == elements.count ? ends.max() : nil
  }

  /// How many occurrences it has; `nil` if an element is open.
  public var count: Int? {
    guard endDate != nil else { return nil }
    return elements.reduce(0) { $0 + ElementExpansion($1).count }
  }
}

// MARK: - Common schedules

extension Schedule {
  /// Every day at a time of day, beginning on the local day of `start`, even if that time of the
  /// day has passed.
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
  /// - Throws: ``ScheduleError`` if a date is then outside 1900…9999.
  public func offset(by amount: Interval) throws(ScheduleError) -> Schedule {
    var moved: [ScheduleElement] = []
    for element in elements { moved.append(try element.offset(by: amount)) }
    return try Schedule(moved)
  }

  /// The same schedule without the days of pauses.
  package func pausing(_ pauses: [StepSelection.Pause]) -> Schedule {
    guard !pauses.isEmpty else { return self }
    return Schedule(
      sorting: elements.map { $0.selecting($0.selection.pausing(pauses)) ?? $0 })
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

// MARK: - Coding

/// A schedule is coded as the list of its elements.
extension Schedule: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode([ScheduleElement].self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(elements)
  }
}

// MARK: - Errors

/// Why a schedule is invalid, or cannot be expanded.
public enum ScheduleError: Error, Hashable, Sendable {
  /// A schedule needs at least one element.
  case noElements
  /// An element's interval is zero, or one of its units is negative.
  case intervalNotForward
  /// An element's interval is longer than 1000 years.
  case intervalTooLong
  /// The end is not after the start.
  case endNotAfterStart
  /// A duration is negative, not a number, or longer than 100 years.
  case durationOutOfRange
  /// A date is before 1900 or after 9999.
  case dateOutOfRange
  /// A time of day or weekday that no clock or calendar has.
  case noSuchTime
  /// The span has more occurrences than one answer holds.
  case tooManyOccurrences(limit: Int)
}
