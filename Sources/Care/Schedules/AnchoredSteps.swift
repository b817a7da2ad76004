import Foundation

/// The starts that an element counts from its own start: `start + n × interval`, in its calendar.
///
/// Starts never decrease with `n`, so the first one past a date is found by bisection between two
/// bounds that the interval's shortest and longest possible length give: a handful of steps,
/// however far away the date is.
struct AnchoredSteps {
  private let origin: Date
  private let zonedOrigin: ZonedTime
  private let interval: Interval
  private let isAllDay: Bool
  private let zone: ZoneOffsets
  private let shortest: Double
  private let longest: Double
  private let mean: Double
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
    zone = .of(element.timeZone)
    let time = origin.timeIntervalSinceReferenceDate
    let offset =
      zone.span(at: time)?.offset ?? Double(element.timeZone.secondsFromGMT(for: origin))
    zonedOrigin = ZonedTime(time: time, offset: offset)
    shortest = interval.shortest
    longest = interval.longest
    mean = interval.mean
    slack = interval.isAbsolute && !isAllDay ? 0 : 4 * 86_400
    let span = ScheduleElement.dates.upperBound.timeIntervalSince(element.start)
    lastIndex = Int(saturating: (span + slack) / shortest) + 2
  }

  /// The start of occurrence `n`, for an all-day element snapped to its local midnight.
  func start(_ n: Int) -> Date {
    let date = n == 0 ? origin : stepped(min(n, lastIndex))
    return isAllDay ? midnight(before: date) : date
  }

  private func stepped(_ n: Int) -> Date {
    guard !interval.isAbsolute else {
      let hours = interval.hours * n
      return origin + Double((hours * 60 + interval.minutes * n) * 60 + interval.seconds * n)
    }
    if let result = computed(n) { return Date(timeIntervalSinceReferenceDate: result.time) }
    let step = DateComponents(
      year: interval.years * n, month: interval.months * n, day: interval.days * n,
      hour: interval.hours * n, minute: interval.minutes * n, second: interval.seconds * n,
      weekOfYear: interval.weeks * n)
    return zone.calendar.date(byAdding: step, to: origin) ?? .distantFuture
  }

  /// Unit after unit, in the order in which `Calendar` adds them.
  private func computed(_ n: Int) -> ZonedTime? {
    zonedOrigin
      .adding(months: interval.years * n * 12, in: zone)?
      .adding(months: interval.months * n, in: zone)?
      .adding(days: interval.weeks * n * 7, in: zone)?
      .adding(days: interval.days * n, in: zone)?
      .adding(seconds: interval.hours * n * 3600)
      .adding(seconds: interval.minutes * n * 60)
      .adding(seconds: interval.seconds * n)
  }

  /// The local midnight at or before `date`; the day's first instant if it has no midnight.
  private func midnight(before date: Date) -> Date {
    let time = date.timeIntervalSinceReferenceDate
    if let span = zone.span(at: time) {
      let local = (time + span.offset).rounded(.down)
      let midnight = (local / 86_400).rounded(.down) * 86_400 - span.offset
      if span.times.contains(midnight) { return Date(timeIntervalSinceReferenceDate: midnight) }
    }
    return zone.calendar.startOfDay(for: date)
  }

  /// The first local midnight after `start`, which is a local day's first instant.
  func nextMidnight(after start: Date) -> Date {
    if let span = zone.span(at: start.timeIntervalSinceReferenceDate) {
      let next = start + 86_400
      if span.times.contains(next.timeIntervalSinceReferenceDate) { return next }
    }
    let tomorrow = zone.calendar.date(byAdding: .day, value: 1, to: start) ?? .distantFuture
    return midnight(before: tomorrow)
  }

  /// The first index whose start satisfies `isPast`, which must hold from some date on.
  ///
  /// - Parameters:
  ///   - date: The date at which `isPast` changes, within a second.
  ///   - isPast: Whether a start is past the wanted date.
  /// - Returns: The index, never below 0.
  func firstIndex(near date: Date, where isPast: (Date) -> Bool) -> Int {
    let span = date.timeIntervalSince(origin)
    var low = index(at: (span - slack) / longest - 2)
    var high = index(at: (span + slack) / shortest + 2)
    // Most answers are the estimate or beside it, which two probes confirm.
    var probe = index(at: (span / mean).rounded(.up))
    var guesses = 3
    while low < high {
      let middle = guesses > 0 ? min(max(probe, low), high - 1) : low + (high - low) / 2
      guesses -= 1
      if isPast(start(middle)) {
        high = middle
        probe = middle - 1
      } else {
        low = middle + 1
        probe = low
      }
    }
    return low
  }

  /// Clamped as a Double, in this order: neither a far date nor NaN may trap on its way to an Int.
  private func index(at position: Double) -> Int {
    Int(saturating: min(Double(lastIndex), max(0, position)))
  }
}
