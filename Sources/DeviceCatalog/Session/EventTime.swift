import Care
public import Foundation

/// A time on a clock that nobody sets, in microseconds: deadlines and pauses are counted on it.
///
/// Only the difference of two times of one run has a meaning.
public struct SteadyTime: Hashable, Comparable, Sendable {
  /// Microseconds since 1970, by a wall clock that was not set since the run began.
  fileprivate var microseconds: Int64

  /// After every other time.
  public static let distantFuture = SteadyTime(microseconds: .max)

  /// Whether `a` is before `b`.
  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// The time that is so many seconds after another one.
  public static func + (time: Self, seconds: TimeInterval) -> Self {
    Self(microseconds: time.microseconds.saturatingSum(seconds.wholeMicroseconds))
  }

  /// The seconds from `b` to `a`.
  public static func - (a: Self, b: Self) -> TimeInterval {
    (Double(a.microseconds) - Double(b.microseconds)) / 1e6
  }

  /// The date of a wall clock that was set forward by so many seconds since the run began.
  public func date(setting: TimeInterval) -> Date {
    Date(microseconds: microseconds.saturatingSum(setting.wholeMicroseconds))
  }
}

/// One time on two clocks: the date, for people and for what is stored, and the steady time, for
/// deadlines.
///
/// While the wall clock is not set, the two pass together.
public struct EventTime: Hashable, Sendable {
  /// The date that the wall clock shows.
  public var date: Date
  /// By how many seconds the wall clock was set forward since the run began; negative if it was set
  /// back.
  public var setting: TimeInterval

  /// Makes a time.
  ///
  /// - Parameters:
  ///   - date: The date that the wall clock shows.
  ///   - setting: By how many seconds it was set forward since the run began.
  public init(_ date: Date, setting: TimeInterval = 0) {
    self.date = date
    self.setting = setting
  }

  /// The time on the clock that nobody sets.
  public var steady: SteadyTime {
    SteadyTime(microseconds: date.microseconds.saturatingSum((-setting).wholeMicroseconds))
  }

  /// A steady time, by the wall clock as it is set now.
  public func at(_ steady: SteadyTime) -> EventTime {
    EventTime(steady.date(setting: setting), setting: setting)
  }

  /// The date of another time, by the wall clock as it is set now.
  public func date(of other: EventTime) -> Date {
    setting == other.setting ? other.date : other.steady.date(setting: setting)
  }
}

extension TimeInterval {
  /// The seconds in microseconds, rounded, or the nearest number that `Int64` has.
  var wholeMicroseconds: Int64 { Int64(saturating: (self * 1e6).rounded()) }
}
