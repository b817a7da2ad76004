/// An amount of calendar units: the step from one occurrence to the next, or an offset.
///
/// As a step no unit may be negative and at least one must be positive, which
/// ``ScheduleElement/init(start:end:interval:duration:targets:text:timeZone:selection:)`` checks. An offset
/// may be negative.
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

extension Interval {
  private static let day: Double = 86_400

  /// The shortest time that it can last, in seconds, apart from changes of clocks.
  var shortest: Double { length(ofYear: 365 * Self.day, month: 28 * Self.day) }

  /// The longest time that it can last, in seconds, apart from changes of clocks.
  var longest: Double { length(ofYear: 366 * Self.day, month: 31 * Self.day) }

  /// How long it lasts on average over 400 years, in seconds.
  var mean: Double { length(ofYear: 365.2425 * Self.day, month: 30.436875 * Self.day) }

  private func length(ofYear year: Double, month: Double) -> Double {
    let calendarUnits =
      Double(years) * year + Double(months) * month + Double(weeks) * 7 * Self.day
      + Double(days) * Self.day
    return calendarUnits + Double(hours) * 3600 + Double(minutes) * 60 + Double(seconds)
  }

  /// Whether it has no calendar unit, so that every step lasts the same.
  var isAbsolute: Bool { years == 0 && months == 0 && weeks == 0 && days == 0 }

  /// Checks that it is a step.
  func validate() throws(ScheduleError) {
    let numbers = [years, months, weeks, days, hours, minutes, seconds]
    guard numbers.allSatisfy({ $0 >= 0 }), shortest > 0 else { throw .intervalNotForward }
    guard longest <= 1000 * 366 * Self.day else { throw .intervalTooLong }
  }
}

/// An interval is coded as the units that it has: `{"days":1}`.
extension Interval: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case years, months, weeks, days, hours, minutes, seconds

    var part: WritableKeyPath<Interval, Int> {
      switch self {
      case .years: \.years
      case .months: \.months
      case .weeks: \.weeks
      case .days: \.days
      case .hours: \.hours
      case .minutes: \.minutes
      case .seconds: \.seconds
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    for key in container.allKeys {
      self[keyPath: key.part] = try container.decode(Int.self, forKey: key)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    for key in CodingKeys.allCases where self[keyPath: key.part] != 0 {
      try container.encode(self[keyPath: key.part], forKey: key)
    }
  }
}
