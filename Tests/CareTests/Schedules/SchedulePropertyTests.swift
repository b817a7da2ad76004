import Care
import Foundation
import TestSupport
import Testing

/// A jump to a span gives the same occurrences as counting from the start, for random schedules.
@Suite struct SchedulePropertyTests {
  private static let zones = [
    "America/New_York", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe",
    "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca", "UTC",
  ]

  private func element(_ generator: inout SeededGenerator) throws -> ScheduleElement {
    let zone = try zone(#require(Self.zones.randomElement(using: &generator)))
    let day = Int64.random(in: 14_000...19_500, using: &generator)
    let second = [0, 0, 3600 * 2 + 1800, 86_399].randomElement(using: &generator) ?? 0
    let start = Date(microseconds: (day * 86_400 + Int64(second)) * 1_000_000)
    let number = Int.random(in: 1...3, using: &generator)
    let intervals = [
      Interval(days: number), Interval(weeks: number), Interval(months: number),
      Interval(years: number), Interval(hours: 7 * number), Interval(minutes: 500 * number),
      Interval(months: number, days: number), Interval(days: number, hours: 5),
    ]
    let durations: [EventDuration] = [
      .allDay, .seconds(0), .seconds(3600), .seconds(5 * 86_400),
    ]
    let isOpen = Bool.random(using: &generator)
    return try ScheduleElement(
      start: start,
      end: isOpen ? nil : start + Double.random(in: 1...4e7, using: &generator).rounded(),
      interval: #require(intervals.randomElement(using: &generator)),
      duration: #require(durations.randomElement(using: &generator)), timeZone: zone)
  }

  /// Counts from the start, one occurrence after the other, up to `limit`.
  private func enumerate(_ element: ScheduleElement, before limit: Date) -> [(Date, Date)] {
    let reference = CalendarExpansion(element)
    var result: [(Date, Date)] = []
    while let found = reference.occurrence(result.count), found.start < limit {
      result.append((found.start, found.end))
    }
    return result
  }

  /// Elements at the same time cost what elements at different times cost.
  @Test func `hundreds of equal elements cost no more than others`() throws {
    let start = Date(timeIntervalSince1970: 1_795_000_000)
    func seconds(apart minutes: Int) throws -> Double {
      let schedule = try Schedule(
        (0..<400).map { index in
          try ScheduleElement(
            start: start + Double(60 * minutes * index), interval: Interval(days: 1),
            duration: .seconds(3600), timeZone: .gmt)
        })
      let before = processorTime()
      let found = try schedule.occurrences(from: start, to: start + 20 * 86_400 - 1)
      #expect(found.count == 400 * 20)
      #expect(found.map(\.index) == Array(0..<8000))
      return processorTime() - before
    }
    // The least of several runs: the machine may be busy.
    let different = try (0..<3).map { _ in try seconds(apart: 1) }.min() ?? 0
    let equal = try (0..<3).map { _ in try seconds(apart: 0) }.min() ?? 0
    #expect(equal < 3 * different)
  }

  @Test(arguments: 0..<40)
  func `jumping equals counting`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let elements = try (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      try element(&generator)
    }
    let schedule = try Schedule(elements)
    let from = schedule.startDate + Double.random(in: -1e6...6e7, using: &generator).rounded()
    let to = from + Double.random(in: 0...1e7, using: &generator).rounded()
    var all: [(start: Date, end: Date, element: Int)] = []
    for (index, element) in schedule.elements.enumerated() {
      all += enumerate(element, before: to).map { ($0.0, $0.1, index) }
    }
    all.sort { ($0.start, $0.element) < ($1.start, $1.element) }
    let expected = all.enumerated().filter { $0.element.end >= from }
    let found = try schedule.occurrences(from: from, to: to)
    #expect(found.map(\.start) == expected.map(\.element.start))
    #expect(found.map(\.end) == expected.map(\.element.end))
    #expect(found.map(\.index) == expected.map(\.offset))
    #expect(found.map(\.element) == expected.map { schedule.elements[$0.element.element] })
    for occurrence in found.prefix(20) {
      #expect(schedule.occurrence(at: occurrence.index) == occurrence)
    }
  }

  @Test(arguments: 100..<120)
  func `windows add up`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let schedule = try Schedule([element(&generator), element(&generator)])
    let from = schedule.startDate
    let cuts = (0..<6).map { from + Double($0) * 5e6 }
    let whole = try schedule.occurrences(from: from, to: cuts[5])
    var parts: [ScheduleOccurrence] = []
    for (start, end) in zip(cuts, cuts.dropFirst()) {
      // An occurrence that began before a window was in the one before it.
      parts += try schedule.occurrences(from: start, to: end).filter {
        start == from || $0.start >= start
      }
    }
    #expect(parts == whole)
  }

  @Test(arguments: 200..<220)
  func `count is the number of occurrences`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let open = try element(&generator)
    let schedule = try Schedule([
      ScheduleElement(
        start: open.start, end: open.start + 2e7, interval: open.interval, duration: open.duration,
        timeZone: open.timeZone)
    ])
    let count = try #require(schedule.count)
    #expect(try schedule.occurrences(from: .distantPast, to: .distantFuture).count == count)
    #expect(schedule.occurrence(at: count - 1)?.index == count - 1)
    #expect(schedule.occurrence(at: count) == nil)
  }
}
