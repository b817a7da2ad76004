/// Why a schedule cannot be.
public enum ScheduleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A schedule needs at least one element.
  case noElements
  /// A step is zero, or one of its units is negative.
  case intervalNotForward
  /// A step is longer than 1000 years.
  case intervalTooLong
  /// The end is not after the start.
  case endNotAfterStart
  /// A duration is negative, not a number, or longer than 100 years.
  case durationOutOfRange
  /// A date is before 1900 or after 9999.
  case dateOutOfRange
  /// A time of day or weekday that no clock or calendar has.
  case noSuchTime
  /// More occurrences were asked for than one answer holds.
  case tooManyOccurrences(limit: Int)

  /// The reason, for people.
  public var description: String {
    switch self {
    case .noElements: "the schedule has no element; give it at least one"
    case .intervalNotForward:
      "the interval must move forward: no unit negative, and at least one greater than 0"
    case .intervalTooLong: "the interval is longer than 1000 years"
    case .endNotAfterStart: "the end is not after the start"
    case .durationOutOfRange: "the duration must be between 0 seconds and 100 years"
    case .dateOutOfRange: "the date is not between the years 1900 and 9999"
    case .noSuchTime: "there is no such time of day or weekday"
    case .tooManyOccurrences(let limit):
      "there are more than \(limit) occurrences in this span; ask for a shorter one"
    }
  }
}
