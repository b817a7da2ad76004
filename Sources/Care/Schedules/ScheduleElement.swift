public import Foundation

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

  /// Makes an element; an occurrence lasts one hour by default.
  ///
  /// - Throws: ``ScheduleError`` if the interval does not move forward, `end` is not after
  ///   `start`, a date is outside 1900…9999 or a duration outside 0 s…100 years.
  public init(
    start: Date, end: Date? = nil, interval: Interval, duration: EventDuration = .seconds(3600),
    targets: [TargetValue] = [], text: String? = nil, timeZone: TimeZone
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
  func withTargets(_ targets: [TargetValue]) -> ScheduleElement? {
    try? ScheduleElement(
      start: start, end: end, interval: interval, duration: duration, targets: targets,
      text: text, timeZone: timeZone)
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
      targets: targets, text: text, timeZone: timeZone)
  }
}

// MARK: - Coding

extension ScheduleElement: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, end, interval, duration, targets, text, timeZone
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
      timeZone: container.decode(CodedZone.self, forKey: .timeZone).timeZone)
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
