public import Foundation

/// How long an event lasts.
public enum EventDuration: Hashable, Sendable {
  /// From local midnight to one second before the next.
  case allDay
  /// So many seconds, at least 0.
  case seconds(Double)
}

/// The step from one occurrence to the next, in calendar units, none negative, at least one positive.
public struct Interval: Hashable, Sendable {
  /// Whole years.
  public var years = 0
  /// Whole months.
  public var months = 0
  /// Whole weeks.
  public var weeks = 0
  /// Whole days.
  public var days = 0
  /// Hours, absolute: 24 hours across a change of clocks is not a day.
  public var hours = 0
  /// Minutes, absolute.
  public var minutes = 0
  /// Seconds, absolute.
  public var seconds = 0

  /// Makes an interval; what is left out is 0.
  public init(
    years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0, hours: Int = 0,
    minutes: Int = 0, seconds: Int = 0
  ) {
    self.years = years
    self.months = months
    self.weeks = weeks
    self.days = days
    self.hours = hours
    self.minutes = minutes
    self.seconds = seconds
  }
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
}
