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
