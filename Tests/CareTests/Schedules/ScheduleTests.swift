import Care
import Foundation
import Testing

/// Elements merged into a schedule.
@Suite struct ScheduleTests {
  private func meals(_ start: String, until end: String? = nil) throws -> Schedule {
    try .mealTimesEachDay(
      start: date(start), end: end.map { try date($0) }, timeZone: zone("America/New_York"))
  }

  private func daily(_ hour: Int, _ start: String, until end: String? = nil) throws -> Schedule {
    try .daily(
      hour: hour, start: date(start), end: end.map { try date($0) },
      timeZone: zone("America/New_York"))
  }

  @Test func `daily for three days is three occurrences`() throws {
    let schedule = try daily(8, "2023-05-01", until: "2023-05-04")
    let found = try schedule.occurrences(from: date("2023-05-01"), to: date("2023-05-10"))
    #expect(found.map(\.index) == [0, 1, 2])
    #expect(schedule.occurrence(at: 0)?.start == schedule.startDate)
    #expect(schedule.occurrence(at: 3) == nil)
    #expect(schedule.occurrence(at: -1) == nil)
    #expect(schedule.occurrence(at: .max) == nil)
  }

  @Test func `the meals of the second day follow those of the first`() throws {
    let found = try meals("2023-05-01").occurrences(
      from: date("2023-05-02"), to: date("2023-05-03"))
    #expect(found.map(\.index) == [3, 4, 5])
    #expect(found.map(\.element.text) == ["Breakfast", "Lunch", "Dinner"])
  }

  @Test func `elements merge in the order of time`() throws {
    let schedule = try Schedule(
      meals("2023-05-01"), daily(11, "2023-05-01"), daily(13, "2023-05-01"))
    let found = try schedule.occurrences(from: date("2023-05-01"), to: date("2023-05-03"))
    let day = ["07:30", "11:00", "12:00", "13:00", "17:30"]
    #expect(
      try schedule.starts(from: date("2023-05-01"), to: date("2023-05-03"))
        == day.map { "2023-05-01T" + $0 } + day.map { "2023-05-02T" + $0 })
    #expect(found.map(\.index) == Array(0...9))
    for occurrence in found {
      #expect(schedule.occurrence(at: occurrence.index) == occurrence)
    }
  }

  @Test func `schedules compose to one`() throws {
    let both = try Schedule(meals("2023-05-01"), meals("2023-06-01"))
    #expect(both.elements.count == 6)
    let schedule = try Schedule(daily(12, "2023-05-01"), meals("2023-05-01"))
    let found = try schedule.occurrences(from: date("2023-05-01"), to: date("2023-05-11"))
    #expect(found.count == 40)
    #expect(found.map(\.start) == found.map(\.start).sorted())
    #expect(found.map(\.index) == Array(0..<40))
  }

  @Test func `ties keep the order of the elements`() throws {
    let noon = try daily(12, "2023-05-01")
    let schedule = try Schedule(meals("2023-05-01"), noon)
    let lunch = try schedule.occurrences(
      from: date("2023-05-02T12:00"), to: date("2023-05-02T12:01"))
    #expect(lunch.map(\.element.text) == ["Lunch", nil])
    #expect(lunch.map(\.index) == [5, 6])
  }

  @Test func `elements that ended keep their indices`() throws {
    let schedule = try Schedule(
      daily(8, "2023-05-01", until: "2023-05-04"), daily(9, "2023-05-01"))
    let found = try schedule.occurrences(from: date("2023-06-01"), to: date("2023-06-02"))
    #expect(found.map(\.index) == [3 + 31])
  }

  @Test func `an all day event is found by its own span`() throws {
    let schedule = try schedule("2023-05-01", every: Interval(days: 1), lasting: .allDay)
    let second = try #require(schedule.occurrence(at: 1))
    #expect(try schedule.occurrences(from: second.start, to: second.end).map(\.index) == [1])
  }

  @Test func `weekly begins on the next such weekday`() throws {
    // 2023-05-03 is a Wednesday.
    let schedule = try Schedule.weekly(
      weekday: 1, hour: 5, minute: 30, start: date("2023-05-03"), timeZone: zone("America/New_York")
    )
    #expect(
      schedule.firstStarts(2) == ["2023-05-07T05:30:00-04:00", "2023-05-14T05:30:00-04:00"])
    let sameDay = try Schedule.weekly(
      weekday: 4, hour: 5, start: date("2023-05-03T20:00"), timeZone: zone("America/New_York"))
    #expect(sameDay.firstStarts(1) == ["2023-05-03T05:00:00-04:00"])
  }

  @Test func `a schedule spans its elements`() throws {
    let open = try Schedule(daily(8, "2023-05-02"), daily(9, "2023-05-01", until: "2023-05-05"))
    #expect(try open.startDate == date("2023-05-01T09:00"))
    #expect(open.endDate == nil)
    #expect(open.count == nil)
    let closed = try Schedule(
      daily(8, "2023-05-02", until: "2023-05-09"), daily(9, "2023-05-01", until: "2023-05-05"))
    #expect(try closed.endDate == date("2023-05-09"))
    #expect(closed.count == 11)
  }

  @Test func `an offset of an hour moves the clock`() throws {
    #expect(
      try daily(0, "2023-05-01").offset(by: Interval(hours: 1)) == daily(1, "2023-05-01"))
  }

  @Test func `an offset may be negative`() throws {
    let later = try daily(8, "2023-05-02")
    #expect(try later.offset(by: Interval(days: -1)) == daily(8, "2023-05-01"))
    #expect(try later.offset(by: Interval(days: -1)).offset(by: Interval(days: 1)) == later)
    #expect(throws: ScheduleError.intervalNotForward) {
      try schedule("2023-05-01", every: Interval(days: 2, hours: -1))
    }
  }

  @Test func `daily puts the hour on the first day`() throws {
    let schedule = try daily(8, "2023-05-01T10:15")
    #expect(schedule.firstStarts(1) == ["2023-05-01T08:00:00-04:00"])
  }

  @Test(arguments: [(24, 0, 1), (-1, 0, 1), (8, 60, 1), (8, 0, 0), (8, 0, 8)])
  func `refuses times that no clock shows`(hour: Int, minute: Int, weekday: Int) throws {
    let start = try date("2023-05-01")
    let zone = try zone("UTC")
    #expect(throws: ScheduleError.noSuchTime) {
      try Schedule.weekly(
        weekday: weekday, hour: hour, minute: minute, start: start, timeZone: zone)
    }
  }

  @Test func `refuses no elements`() {
    #expect(throws: ScheduleError.noElements) { try Schedule([]) }
  }

  @Test func `refuses more occurrences than one answer holds`() throws {
    let schedule = try schedule("2023-01-01", every: Interval(seconds: 1))
    #expect(throws: ScheduleError.tooManyOccurrences(limit: 1_000_000)) {
      try schedule.occurrences(from: .distantPast, to: .distantFuture)
    }
    let end = try date("2023-01-02")
    #expect(try schedule.occurrences(from: end - 3600, to: end).count == 7200)
  }

  @Test func `a ten year plan of hours is read from anywhere`() throws {
    // 24 elements, one for each hour of the day, and one that runs by the hour: 2 × 87 672.
    let hours = try (0..<24).map { try daily($0, "2023-01-01", until: "2033-01-01").elements[0] }
    let hourly = try schedule("2023-01-01", until: "2033-01-01", every: Interval(hours: 1))
    let schedule = try Schedule(hours + hourly.elements)
    let last = try schedule.occurrences(from: date("2032-12-31T00:30"), to: date("2033-01-01"))
    #expect(last.count == 48)
    #expect(schedule.count == last.last.map { $0.index + 1 })
    let index = try #require(last.last?.index)
    #expect(schedule.occurrence(at: index) == last.last)
    let all = try schedule.occurrences(from: .distantPast, to: .distantFuture)
    #expect(all.map(\.index) == Array(0...index))
  }
}
