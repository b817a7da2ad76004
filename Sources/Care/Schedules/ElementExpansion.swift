import Foundation

/// The occurrences of one element.
struct ElementExpansion {
  let element: ScheduleElement
  /// How many occurrences there are, before the element's end or, for an open one, the year 10000.
  let count: Int
  private let steps: AnchoredSteps

  init(_ element: ScheduleElement) {
    self.element = element
    steps = AnchoredSteps(element)
    let end = element.end ?? ScheduleElement.dates.upperBound
    count = steps.firstIndex(near: end) { $0 >= end }
  }

  /// The start of occurrence `n`.
  func start(_ n: Int) -> Date { steps.start(n) }

  /// The end of the occurrence that starts at `start`.
  func end(_ start: Date) -> Date {
    switch element.duration {
    case .allDay: steps.nextMidnight(after: start) - 1
    case .seconds(let seconds): start + seconds
    }
  }

  /// How many occurrences start before `date`, or at it if `orAt` is true.
  func count(before date: Date, orAt: Bool = false) -> Int {
    let index = steps.firstIndex(near: date) { orAt ? $0 > date : $0 >= date }
    return min(index, count)
  }

  /// The occurrences that start before `to` and end at `from` or after.
  func indices(from: Date, to: Date) -> Range<Int> {
    let length: Double =
      switch element.duration {
      case .allDay: 86_400
      case .seconds(let seconds): seconds
      }
    let first = steps.firstIndex(near: from - length) { end($0) >= from }
    let last = count(before: to)
    return min(first, last)..<last
  }
}

/// The starts that an element counts from its own start: `start + n × interval`, in its calendar.
///
/// Starts never decrease with `n`, so the first one past a date is found by bisection between two
/// bounds that the interval's shortest and longest possible length give: a handful of calendar
/// steps, however far away the date is.
struct AnchoredSteps {
  private let origin: Date
  private let interval: Interval
  private let isAllDay: Bool
  private let calendar: Calendar
  private let shortest: Double
  private let longest: Double
  /// How far changes of clocks and the snap to midnight can move a start from the position that the
  /// interval's length gives, in seconds.
  ///
  /// Samoa once skipped a day; four days cover every case.
  private let slack: Double
  /// Beyond every date of a schedule; products of it and the interval fit an `Int`.
  private let lastIndex: Int

  init(_ element: ScheduleElement) {
    origin = element.start
    interval = element.interval
    isAllDay = element.duration == .allDay
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = element.timeZone
    self.calendar = calendar
    shortest = interval.shortest
    longest = interval.longest
    slack = interval.isAbsolute && !isAllDay ? 0 : 4 * 86_400
    let span = ScheduleElement.dates.upperBound.timeIntervalSince(element.start)
    lastIndex = Int((span + slack) / shortest) + 2
  }

  /// The start of occurrence `n`, for an all-day element snapped to its local midnight.
  func start(_ n: Int) -> Date {
    let date = n == 0 ? origin : stepped(min(n, lastIndex))
    return isAllDay ? calendar.startOfDay(for: date) : date
  }

  private func stepped(_ n: Int) -> Date {
    guard !interval.isAbsolute else {
      let hours = interval.hours * n
      return origin + Double((hours * 60 + interval.minutes * n) * 60 + interval.seconds * n)
    }
    let step = DateComponents(
      year: interval.years * n, month: interval.months * n, day: interval.days * n,
      hour: interval.hours * n, minute: interval.minutes * n, second: interval.seconds * n,
      weekOfYear: interval.weeks * n)
    return calendar.date(byAdding: step, to: origin) ?? .distantFuture
  }

  /// The first local midnight after `start`.
  func nextMidnight(after start: Date) -> Date {
    let tomorrow = calendar.date(byAdding: .day, value: 1, to: start) ?? .distantFuture
    return calendar.startOfDay(for: tomorrow)
  }

  /// The first index whose start satisfies `isPast`, which must hold from some date on.
  ///
  /// - Parameters:
  ///   - date: The date at which `isPast` changes, within a second.
  ///   - isPast: Whether a start is past the wanted date.
  /// - Returns: The index, never below 0.
  func firstIndex(near date: Date, where isPast: (Date) -> Bool) -> Int {
    let last = Double(lastIndex)
    let span = date.timeIntervalSince(origin)
    // Clamped as a Double, in this order: neither a far date nor NaN may trap on its way to an Int.
    var low = Int(min(last, max(0, (span - slack) / longest - 2)))
    var high = Int(min(last, max(0, (span + slack) / shortest + 2)))
    while low < high {
      let middle = low + (high - low) / 2
      if isPast(start(middle)) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
