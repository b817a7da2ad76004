public import Foundation

/// How long an event lasts.
public enum EventDuration: Hashable, Sendable {
  /// From local midnight to one second before the next.
  case allDay
  /// So many seconds, at least 0.
  case seconds(Double)
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
  /// What each occurrence should reach.
  public let targets: [TargetValue]
  /// What to show instead of the time.
  public let text: String?
  /// The IANA name of the zone whose calendar it keeps, wherever the machine is.
  public let timeZone: TimeZone

  /// Makes an element, one hour long where nothing else is said.
  ///
  /// - Throws: ``ScheduleError`` where the interval does not move forward, `end` is not after
  ///   `start`, a date is outside 1900…9999 or a duration outside 0 s…100 years.
  public init(
    start: Date, end: Date? = nil, interval: Interval, duration: EventDuration = .seconds(3600),
    targets: [TargetValue] = [], text: String? = nil, timeZone: TimeZone
  ) throws(ScheduleError) {
    try interval.validate()
    for date in [start, end ?? start] {
      // A range of dates contains one that is not a number, so that is asked first.
      guard date.timeIntervalSince1970.isFinite, Self.dates.contains(date) else {
        throw .dateOutOfRange
      }
    }
    if let end, end <= start { throw .endNotAfterStart }
    if case .seconds(let seconds) = duration {
      guard (0...100 * 366 * 86_400).contains(seconds) else { throw .durationOutOfRange }
    }
    self.start = start
    self.end = end
    self.interval = interval
    self.duration = duration
    self.targets = targets
    self.text = text
    self.timeZone = timeZone
  }

  /// The dates that a schedule can speak of: 1900-01-01 to 9999-12-31, UTC.
  ///
  /// Nothing occurs outside.
  static let dates =
    Date(
      timeIntervalSince1970: -2_208_988_800)...Date(
      timeIntervalSince1970: 253_402_300_799)
}
