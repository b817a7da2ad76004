import Care
import Foundation
import TestSupport
import Testing

/// Schedules compute local time themselves; every result equals `Calendar`'s, to the bit.
@Suite struct ScheduleArithmeticTests {
  /// Zones with odd offsets, changes at midnight, of half an hour, of a day, for Ramadan, in winter.
  static let zones = [
    "Africa/Cairo", "Africa/Casablanca", "America/Caracas", "America/Havana", "America/New_York",
    "America/Sao_Paulo", "Antarctica/Troll", "Asia/Beirut", "Asia/Kathmandu", "Asia/Kolkata",
    "Asia/Pyongyang", "Asia/Tehran", "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin",
    "Pacific/Apia", "Pacific/Chatham", "UTC",
  ]

  private func seed(of name: String) -> UInt64 {
    name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
  }

  /// A start between 1900 and 2200, seldom near the year 9999, and often within hours of a change
  /// of clocks, at a full or half hour, at any second or within one.
  private func start(
    in zone: TimeZone, _ generator: inout SeededGenerator
  ) -> Date {
    let years: [ClosedRange<Double>] = [
      -2.2e9...7.2e9, 2.530e11...2.533e11, 0...4.1e9, 0...4.1e9, 0...4.1e9, 0...4.1e9,
    ]
    let time = Double.random(in: years.randomElement(using: &generator) ?? 0...1, using: &generator)
    let date = Date(timeIntervalSince1970: time.rounded())
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return Date(timeIntervalSince1970: time)
    case 1: return date
    case 2, 3:
      let change = zone.nextDaylightSavingTimeTransition(after: date) ?? date
      let days = Int.random(in: -2...2, using: &generator)
      let halfHours = Int.random(in: -8...8, using: &generator)
      return min(change, date + 1e9) + Double(days * 86_400 + halfHours * 1800)
    default: return Date(timeIntervalSince1970: (time / 1800).rounded() * 1800)
    }
  }

  /// One unit, or several.
  private func interval(_ generator: inout SeededGenerator) -> Interval {
    let units: [(WritableKeyPath<Interval, Int>, Int)] = [
      (\.days, 1), (\.weeks, 1), (\.years, 3), (\.months, 14), (\.weeks, 5), (\.days, 40),
      (\.hours, 50), (\.minutes, 5000), (\.seconds, 200_000),
    ]
    var interval = Interval(days: 0)
    for _ in 0..<([1, 1, 2, 3].randomElement(using: &generator) ?? 1) {
      let (unit, most) = units.randomElement(using: &generator) ?? (\.days, 1)
      interval[keyPath: unit] = Int.random(in: 1...most, using: &generator)
    }
    return interval
  }

  private func element(
    in zone: TimeZone, _ generator: inout SeededGenerator
  ) throws -> ScheduleElement {
    let durations: [EventDuration] = [.allDay, .allDay, .seconds(3600), .seconds(5 * 86_400)]
    let start = start(in: zone, &generator)
    let isOpen = Bool.random(using: &generator)
    let last = Date(timeIntervalSince1970: 253_402_300_799)
    let end = min(last, start + Double.random(in: 1...3e8, using: &generator))
    return try ScheduleElement(
      start: start, end: isOpen ? nil : end,
      interval: interval(&generator),
      duration: durations.randomElement(using: &generator) ?? .allDay, timeZone: zone)
  }

  private func expectEqual(
    _ found: ScheduleOccurrence?, _ expected: ScheduleOccurrence?, _ element: ScheduleElement
  ) {
    #expect(found == expected, "\(element)")
  }

  @Test(arguments: zones)
  func `any occurrence equals calendars`(name: String) throws {
    var generator = SeededGenerator(seed: seed(of: name))
    for _ in 0..<300 {
      let element = try element(in: zone(name), &generator)
      let schedule = try Schedule([element])
      let reference = CalendarExpansion(element)
      for most in [3, 400, 20_000] {
        let n = Int.random(in: 0...most, using: &generator)
        expectEqual(schedule.occurrence(at: n), reference.occurrence(n), element)
      }
    }
  }

  @Test(arguments: zones)
  func `any span equals calendars`(name: String) throws {
    var generator = SeededGenerator(seed: ~seed(of: name))
    for _ in 0..<60 {
      let element = try element(in: zone(name), &generator)
      let reference = CalendarExpansion(element)
      let from = element.start + Double.random(in: -1e6...3e8, using: &generator).rounded()
      let to = from + Double.random(in: 0...2e6, using: &generator).rounded()
      #expect(
        try Schedule([element]).occurrences(from: from, to: to)
          == reference.occurrences(from: from, to: to), "\(element)")
    }
  }

  @Test func `every zone equals calendars`() throws {
    var generator = SeededGenerator(seed: 1)
    for name in TimeZone.knownTimeZoneIdentifiers {
      for _ in 0..<4 {
        let element = try element(in: #require(TimeZone(identifier: name)), &generator)
        let n = Int.random(in: 0...2000, using: &generator)
        expectEqual(
          try Schedule([element]).occurrence(at: n), CalendarExpansion(element).occurrence(n),
          element)
      }
    }
  }

  /// Zones of fixed offsets that differ by a second share their name.
  @Test func `fixed offsets are not confused`() throws {
    for seconds in [3600, 3601, 3600] {
      let zone = try #require(TimeZone(secondsFromGMT: seconds))
      let element = try ScheduleElement(
        start: Date(timeIntervalSince1970: 1e9), interval: Interval(days: 1), duration: .allDay,
        timeZone: zone)
      expectEqual(
        try Schedule([element]).occurrence(at: 9), CalendarExpansion(element).occurrence(9),
        element)
    }
  }

  /// Weeks come before days, which shows where Samoa's skipped day lies between them.
  @Test func `a skipped day between two units`() throws {
    let element = try ScheduleElement(
      start: Date(timeIntervalSince1970: 450_446_400),
      interval: Interval(weeks: 4, days: 8, seconds: 150_894), timeZone: zone("Pacific/Apia"))
    let schedule = try Schedule([element])
    for n in 400..<500 {
      expectEqual(schedule.occurrence(at: n), CalendarExpansion(element).occurrence(n), element)
    }
  }

  /// Two starts of Samoa can come out of order.
  ///
  /// `Calendar` puts a daily start, counted from before the skipped day, on the day of a change of
  /// clocks an hour after the next one. Each keeps its number.
  @Test func `starts out of order keep their numbers`() throws {
    let element = try ScheduleElement(
      start: Date(timeIntervalSince1970: 1_285_237_800), interval: Interval(days: 1),
      timeZone: zone("Pacific/Apia"))
    let from = Date(timeIntervalSince1970: 1_443_346_200)
    let found = try Schedule([element]).occurrences(from: from, to: from + 7200)
    #expect(found.map(\.index) == [1831, 1830])
    for occurrence in found {
      #expect(CalendarExpansion(element).occurrence(occurrence.index) == occurrence)
    }
  }

  @Test func `positions of a merged schedule that begins late and ends early`() throws {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<6 {
      let begin = Date(timeIntervalSince1970: 1.6e9)
      let elements = try (0..<5).map { _ in
        let start = begin + Double.random(in: 0...1e8, using: &generator).rounded()
        return try ScheduleElement(
          start: start, end: start + Double.random(in: 1...1e8, using: &generator),
          interval: Interval(days: Int.random(in: 1...9, using: &generator)),
          duration: .seconds(Double.random(in: 0...9e6, using: &generator)),
          timeZone: zone("Europe/Berlin"))
      }
      let schedule = try Schedule(elements)
      let all = try schedule.occurrences(from: .distantPast, to: .distantFuture)
      #expect(all.map(\.index) == Array(0..<all.count))
      #expect((0...all.count).map { schedule.occurrence(at: $0) } == all.map { $0 } + [nil])
      // An occurrence that still lasts from long before is ranked among all that ended.
      let from = begin + 9e7
      #expect(
        try schedule.occurrences(from: from, to: from + 86_400)
          == all.filter { $0.end >= from && $0.start < from + 86_400 })
    }
  }
}
