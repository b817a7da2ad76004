import Care
import Foundation
import Testing

/// One element.
@Suite struct ScheduleElementTests {
  @Test func `one second follows the other`() throws {
    let schedule = try schedule(
      "2023-01-01", every: Interval(seconds: 1), lasting: .seconds(1))
    let start = try date("2023-01-01")
    for index in [0, 1, 9] {
      let occurrence = try #require(schedule.occurrence(at: index))
      #expect(occurrence.start == start + Double(index))
      #expect(occurrence.end == start + Double(index) + 1)
    }
  }

  @Test func `a yearly event keeps its index in the middle`() throws {
    let schedule = try schedule("2019-01-19T15:30", every: Interval(years: 1))
    let found = try schedule.occurrences(
      from: date("2021-01-19T15:30"), to: date("2023-01-19T15:30"))
    #expect(found.map(\.index) == [2, 3])
  }

  @Test func `a yearly event is found from its start`() throws {
    let schedule = try schedule("2019-01-19T15:30", every: Interval(years: 1))
    let start = try date("2019-01-19T15:30")
    #expect(try schedule.occurrences(from: start, to: start + 1).map(\.index) == [0])
    let three = try schedule.occurrences(from: start, to: date("2022-01-19T15:30"))
    #expect(three.map(\.index) == [0, 1, 2])
    #expect(
      try three.map(\.start) == ["2019", "2020", "2021"].map { try date("\($0)-01-19T15:30") })
  }

  @Test func `nothing happens after the end`() throws {
    let schedule = try schedule(
      "2019-01-19T15:30", until: "2024-01-19T15:30", every: Interval(years: 1))
    let found = try schedule.occurrences(
      from: date("2025-01-19T15:30"), to: date("2027-01-19T15:30"))
    #expect(found.isEmpty)
    #expect(schedule.count == 5)
  }

  @Test(arguments: ["2023-01-02", "2023-01-01T01:00"])
  func `an end leaves one occurrence`(end: String) throws {
    let schedule = try schedule(
      "2023-01-01", until: end, every: Interval(days: 1), lasting: .seconds(1))
    #expect(schedule.occurrence(at: 0)?.index == 0)
    #expect(schedule.occurrence(at: 1) == nil)
    #expect(schedule.count == 1)
  }

  @Test func `an event of no length is found at its start alone`() throws {
    let schedule = try schedule(
      "2023-01-01", until: "2024-01-01", every: Interval(years: 1), lasting: .seconds(0))
    let start = try date("2023-01-01")
    #expect(try schedule.occurrences(from: start + 1, to: date("2024-01-01")).isEmpty)
    #expect(try schedule.occurrences(from: start, to: start + 1).count == 1)
    #expect(try schedule.occurrences(from: start - 1, to: start).isEmpty)
  }

  @Test(arguments: [
    ("2023-05-01", "2023-05-01T12:00", "2023-05-01T20:00"),
    ("2023-05-01T20:00", "2023-05-01T06:00", "2023-05-01T12:00"),
    ("2023-05-01T07:00", "2023-05-01T12:00", "2023-05-01T18:00"),
  ])
  func `an all day event is found within the day`(start: String, from: String, to: String) throws {
    let schedule = try schedule(start, every: Interval(weeks: 1), lasting: .allDay)
    let found = try schedule.occurrences(from: date(from), to: date(to))
    #expect(found.map(\.index) == [0])
    #expect(try found.map(\.start) == [date("2023-05-01")])
    #expect(try found.map(\.end) == [date("2023-05-01T23:59:59")])
    #expect(found.map(\.isAllDay) == [true])
  }

  @Test func `an event that began days before is found`() throws {
    let schedule = try schedule(
      "2023-05-01", every: Interval(days: 7), lasting: .seconds(72 * 3600))
    let found = try schedule.occurrences(from: date("2023-05-03"), to: date("2023-05-05"))
    #expect(found.map(\.index) == [0])
  }

  @Test func `events that overlap are both found`() throws {
    let schedule = try schedule(
      "2023-05-01", every: Interval(hours: 1), lasting: .seconds(2 * 3600))
    let half = try date("2023-05-01T01:30")
    #expect(try schedule.occurrences(from: half, to: half + 1).map(\.index) == [0, 1])
  }

  @Test func `an offset of a year moves start and end`() throws {
    let element = try schedule(
      "2024-02-29T09:00", until: "2024-12-01", every: Interval(days: 1),
      targets: [TargetValue(value: .integer(3))]
    ).elements[0]
    let moved = try element.offset(by: Interval(years: 1))
    #expect(try moved.start == date("2025-02-28T09:00"))
    #expect(try moved.end == date("2025-12-01"))
    #expect(moved.targets == element.targets)
    #expect(moved.interval == element.interval)
  }

  @Test(arguments: [
    Interval(), Interval(days: -1), Interval(months: 1, days: -1), Interval(seconds: .min),
  ])
  func `refuses intervals that do not move forward`(interval: Interval) {
    #expect(throws: ScheduleError.intervalNotForward) {
      try schedule("2023-01-01", every: interval)
    }
  }

  @Test(arguments: [
    Interval(years: 1001), Interval(years: .max, months: .max), Interval(seconds: .max),
  ])
  func `refuses intervals of millennia`(interval: Interval) {
    #expect(throws: ScheduleError.intervalTooLong) { try schedule("2023-01-01", every: interval) }
  }

  @Test(arguments: [-1, -.infinity, .infinity, .nan, 1e12])
  func `refuses durations`(seconds: Double) {
    #expect(throws: ScheduleError.durationOutOfRange) {
      try schedule("2023-01-01", every: Interval(days: 1), lasting: .seconds(seconds))
    }
  }

  @Test(arguments: ["2023-01-01", "2022-12-31"])
  func `refuses an end that is not after the start`(end: String) {
    #expect(throws: ScheduleError.endNotAfterStart) {
      try schedule("2023-01-01", until: end, every: Interval(days: 1))
    }
  }

  @Test(arguments: [-1e12, -2_208_988_801, 253_402_300_800, 1e300, .nan, .infinity])
  func `refuses dates outside the calendar`(seconds: Double) throws {
    let start = Date(timeIntervalSince1970: seconds)
    let gmt = try zone("UTC")
    // Not written as a throwing expectation: a date that is not a number cannot be printed.
    let refusal = Result {
      try ScheduleElement(start: start, interval: Interval(days: 1), timeZone: gmt)
    }
    guard case .failure(let error) = refusal else {
      Issue.record("the date was accepted")
      return
    }
    #expect(error as? ScheduleError == .dateOutOfRange)
  }

  @Test func `a query by a time that is none finds nothing`() throws {
    let schedule = try schedule("2023-01-01", every: Interval(days: 1))
    let nonsense = Date(timeIntervalSince1970: .nan)
    #expect(try schedule.occurrences(from: nonsense, to: nonsense).isEmpty)
    #expect(try schedule.occurrences(from: .distantFuture, to: .distantPast).isEmpty)
  }
}
