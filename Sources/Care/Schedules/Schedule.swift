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

// MARK: - Schedule element

/// How long an event lasts.
public enum EventDuration: Hashable, Sendable {
  /// From local midnight to one second before the next.
  case allDay
  /// So many seconds, at least 0.
  case seconds(Double)

  /// The longest duration in seconds: 100 years.
  package static let longest = 100.0 * 366 * 86_400
}

/// One repeating line of a schedule, expanded in its own time zone.
public struct ScheduleElement: Hashable, Sendable {
  /// The first occurrence's start.
  public let start: Date
  /// No occurrence starts at or after this; `nil` for an open end.
  public let end: Date?
  /// The step between occurrences, counted from `start` (never from the occurrence before).
  public let interval: Interval
  /// How long each occurrence lasts.
  public let duration: EventDuration
  /// The values that each occurrence should reach.
  public let targets: [TargetValue]
  /// The text to show instead of the time.
  public let text: String?
  /// The zone of its calendar, independent of the machine's.
  public let timeZone: TimeZone
  /// Which of its steps are occurrences.
  public let selection: StepSelection

  /// Makes an element; an occurrence lasts one hour by default.
  ///
  /// - Throws: ``ScheduleError`` if the interval does not move forward, `end` is not after
  ///   `start`, a date is outside 1900…9999 or a duration outside 0 s…100 years.
  public init(
    start: Date, end: Date? = nil, interval: Interval, duration: EventDuration = .seconds(3600),
    targets: [TargetValue] = [], text: String? = nil, timeZone: TimeZone,
    selection: StepSelection = StepSelection()
  ) throws(ScheduleError) {
    try interval.validate()
    for date in [start, end ?? start] {
      // A range of dates contains NaN, so that is checked first.
      guard date.timeIntervalSince1970.isFinite, Self.dates.contains(date) else {
        throw .dateOutOfRange
      }
    }
    if let end, end <= start { throw .endNotAfterStart }
    if case .seconds(let seconds) = duration {
      guard (0...EventDuration.longest).contains(seconds) else { throw .durationOutOfRange }
    }
    self.start = start
    self.end = end
    self.interval = interval
    self.duration = duration
    self.targets = targets
    self.text = text
    self.timeZone = timeZone
    self.selection = selection
  }

  /// The dates of a schedule: 1900-01-01 to 9999-12-31, UTC.
  ///
  /// Nothing occurs outside.
  static let dates =
    Date(
      timeIntervalSince1970: -2_208_988_800)...Date(
      timeIntervalSince1970: 253_402_300_799)
}

extension ScheduleElement {
  /// The same element with other targets.
  package func withTargets(_ targets: [TargetValue]) -> ScheduleElement? {
    try? ScheduleElement(
      start: start, end: end, interval: interval, duration: duration, targets: targets,
      text: text, timeZone: timeZone, selection: selection)
  }

  /// The same element that leaves out other steps.
  package func selecting(_ selection: StepSelection) -> ScheduleElement? {
    try? ScheduleElement(
      start: start, end: end, interval: interval, duration: duration, targets: targets,
      text: text, timeZone: timeZone, selection: selection)
  }

  /// The elements, which end after so many occurrences of all of them together; exceptions count.
  ///
  /// - Returns: Those that have one; `nil` where there are not so many.
  package static func ending(
    _ elements: [ScheduleElement], after count: Int
  ) -> [ScheduleElement]? {
    guard count > 0 else { return nil }
    let expansions = elements.map(ElementExpansion.init)
    var steps = elements.map { _ in 0 }
    var starts = expansions.map { $0.start(0) }
    var (left, passed) = (count, 0)
    // The fifth weekday or last day of every twelfth month is the rarest that is selected.
    while passed < (count + 1) * 400,
      let next = starts.indices.min(by: { starts[$0] < starts[$1] })
    {
      let date = starts[next]
      guard date < expansions[next].limit else { return nil }
      if !elements[next].leavesOut(date, forCounting: true) { left -= 1 }
      passed += 1
      steps[next] += 1
      starts[next] = expansions[next].start(steps[next])
      if left == 0 {
        let end = starts.min() ?? date + 1
        return elements.compactMap { $0.ending(at: elements.count == 1 ? end : date + 1) }
      }
    }
    return nil
  }

  /// The same element with another end; `nil` if nothing of it is before.
  private func ending(at end: Date) -> ScheduleElement? {
    guard start < end else { return nil }
    return try? ScheduleElement(
      start: start, end: end, interval: interval, duration: duration, targets: targets,
      text: text, timeZone: timeZone, selection: selection)
  }

  /// The element of a person who is in another zone from a day on: steps of the calendar keep the
  /// clock's time and no day has an occurrence twice or none; steps of hours go on as they are.
  ///
  /// - Parameter stay: The zone, and its first local day.
  /// - Returns: The part before that day, and the part from it on, each if it has an occurrence.
  package func moved(by stay: Stay) -> [ScheduleElement] {
    guard !interval.isAbsolute, let border = stay.from.midnight(in: timeZone),
      end.map({ $0 > border }) ?? true
    else { return [self] }
    func clock(_ date: Date, in zone: TimeZone) -> Date? {
      LocalDateTime(date, in: timeZone).resolved(in: zone)
    }
    // On the clock of GMT, which is never changed, the steps are those of every zone.
    guard let first = clock(start, in: .gmt), let day = stay.from.midnight(in: .gmt),
      let plain = try? ScheduleElement(
        start: first, interval: interval, duration: .seconds(0), timeZone: .gmt),
      let steps = try? Schedule([plain]).occurrences(
        from: max(day, first), to: max(day, first) + interval.longest + 1),
      let next = steps.first(where: { $0.start >= day })?.start,
      let begin = LocalDateTime(next, in: .gmt).resolved(in: stay.timeZone)
    else { return [self] }
    let before =
      start < border
      ? try? ScheduleElement(
        start: start, end: border, interval: interval, duration: duration, targets: targets,
        text: text, timeZone: timeZone, selection: selection) : nil
    let after = try? ScheduleElement(
      start: begin, end: end.flatMap { clock($0, in: stay.timeZone) }, interval: interval,
      duration: duration, targets: targets, text: text, timeZone: stay.timeZone,
      selection: selection.anchored(CalendarDate(start, in: timeZone)))
    return [before, after].compactMap(\.self)
  }

  /// The same element, later (or earlier, for a negative amount) by calendar units of its zone.
  ///
  /// - Throws: ``ScheduleError`` if a date is then outside 1900…9999.
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
      targets: targets, text: text, timeZone: timeZone, selection: selection)
  }
}

// MARK: - Coding

extension ScheduleElement: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, end, interval, duration, targets, text, timeZone, selection
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      start: container.decode(CodedTime.self, forKey: .start).date,
      end: container.decodeIfPresent(CodedTime.self, forKey: .end)?.date,
      interval: container.decode(Interval.self, forKey: .interval),
      duration: container.decode(EventDuration.self, forKey: .duration),
      targets: container.decodeIfPresent([TargetValue].self, forKey: .targets) ?? [],
      text: container.decodeIfPresent(String.self, forKey: .text),
      timeZone: container.decode(CodedZone.self, forKey: .timeZone).timeZone,
      selection: container.decodeIfPresent(StepSelection.self, forKey: .selection)
        ?? StepSelection())
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(CodedTime(start), forKey: .start)
    try container.encodeIfPresent(end.map(CodedTime.init), forKey: .end)
    try container.encode(interval, forKey: .interval)
    try container.encode(duration, forKey: .duration)
    if !targets.isEmpty { try container.encode(targets, forKey: .targets) }
    try container.encodeIfPresent(text, forKey: .text)
    try container.encode(CodedZone(timeZone), forKey: .timeZone)
    if selection != StepSelection() { try container.encode(selection, forKey: .selection) }
  }
}

/// A duration is coded as `"allDay"` or as its seconds.
extension EventDuration: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let seconds = try? container.decode(Double.self) {
      self = .seconds(seconds)
    } else if try container.decode(String.self) == "allDay" {
      self = .allDay
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a duration is ‘allDay’ or a number of seconds")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .allDay: try container.encode("allDay")
    case .seconds(let seconds): try container.encode(seconds)
    }
  }
}
