import Care
import Foundation
import Testing

/// Calendars, changes of clocks and zones.
@Suite struct AnchoredExpansionTests {
  @Test func `monthly from the thirty first comes back to it`() throws {
    let schedule = try schedule("2023-01-31T09:00", every: Interval(months: 1))
    #expect(
      schedule.firstStarts(5) == [
        "2023-01-31T09:00:00-05:00", "2023-02-28T09:00:00-05:00", "2023-03-31T09:00:00-04:00",
        "2023-04-30T09:00:00-04:00", "2023-05-31T09:00:00-04:00",
      ])
  }

  @Test func `yearly from a leap day is the twenty eighth`() throws {
    let schedule = try schedule("2024-02-29", every: Interval(years: 1))
    #expect(
      schedule.firstStarts(5).map { $0.prefix(10) } == [
        "2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29",
      ])
  }

  @Test func `an hour that does not exist is the next`() throws {
    let schedule = try schedule("2023-03-11T02:30", every: Interval(days: 1))
    #expect(
      schedule.firstStarts(4) == [
        "2023-03-11T02:30:00-05:00", "2023-03-12T03:30:00-04:00", "2023-03-13T02:30:00-04:00",
        "2023-03-14T02:30:00-04:00",
      ])
  }

  @Test func `a month and a day are counted from the start`() throws {
    let schedule = try schedule("2023-01-30", every: Interval(months: 1, days: 1))
    #expect(
      schedule.firstStarts(4).map { $0.prefix(10) } == [
        "2023-01-30", "2023-03-01", "2023-04-01", "2023-05-03",
      ])
  }

  @Test func `a day without midnight begins at one`() throws {
    let midnights = try schedule("2018-11-03", every: Interval(days: 1), in: "America/Sao_Paulo")
    #expect(
      midnights.firstStarts(4) == [
        "2018-11-03T00:00:00-03:00", "2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00",
        "2018-11-06T00:00:00-02:00",
      ])
    let allDay = try schedule(
      "2018-11-03", every: Interval(days: 1), lasting: .allDay, in: "America/Sao_Paulo")
    let sunday = try #require(allDay.occurrence(at: 1))
    let sao = sunday.element.timeZone
    #expect(sunday.start.rfc3339(in: sao) == "2018-11-04T01:00:00-02:00")
    #expect(sunday.end.rfc3339(in: sao) == "2018-11-04T23:59:59-02:00")
  }

  @Test(arguments: ["2024-03-30", "2024-10-26"])
  func `eight stays eight over a change of clocks`(start: String) throws {
    let schedule = try schedule(
      start + "T08:00", every: Interval(days: 1), in: "Europe/Berlin")
    #expect(schedule.firstStarts(4).allSatisfy { $0.contains("T08:00:00+0") })
    #expect(Set(schedule.firstStarts(4).map { $0.suffix(6) }) == ["+01:00", "+02:00"])
  }

  @Test(arguments: [("2023-03-12", 82_799.0), ("2023-11-05", 89_999.0), ("2023-05-01", 86_399.0)])
  func `an all day event lasts the day`(day: String, length: TimeInterval) throws {
    let schedule = try schedule(day, every: Interval(days: 1), lasting: .allDay)
    let occurrence = try #require(schedule.occurrence(at: 0))
    #expect(occurrence.end.timeIntervalSince(occurrence.start) == length)
  }

  @Test func `the zone is the plans own`() throws {
    let angeles = "America/Los_Angeles"
    let schedule = try schedule(
      "2023-01-01", every: Interval(days: 1), lasting: .allDay, in: angeles)
    let data = try JSONEncoder().encode(schedule)
    let stored = try JSONDecoder().decode(Schedule.self, from: data)
    // A day of Honolulu, two hours behind.
    let found = try stored.occurrences(
      from: date("2023-01-05", "Pacific/Honolulu"), to: date("2023-01-06", "Pacific/Honolulu"))
    #expect(found.map(\.index) == [4, 5])
    #expect(try found.map(\.start) == [date("2023-01-05", angeles), date("2023-01-06", angeles)])
  }

  @Test func `hours are absolute`() throws {
    for interval in [Interval(hours: 24), Interval(hours: 12)] {
      let schedule = try schedule("2023-03-11T08:00", every: interval)
      let starts = try schedule.starts(from: date("2023-03-12T04:00"), to: date("2023-03-12T10:00"))
      #expect(starts == ["2023-03-12T09:00"])
    }
  }

  @Test func `an hour that comes twice is the first`() throws {
    let schedule = try schedule("2023-11-04T01:30", every: Interval(days: 1))
    #expect(schedule.firstStarts(2)[1] == "2023-11-05T01:30:00-04:00")
  }

  /// Range of motion daily for a week, then weekly to the end of the month, or for a month.
  @Test(arguments: [("2021-07-07", 11), ("2021-07-01", 10)])
  func `a week daily then weekly`(end: String, count: Int) throws {
    let angeles = "America/Los_Angeles"
    let schedule = try Schedule(
      schedule("2021-06-07T09:00", until: "2021-06-14", every: Interval(days: 1), in: angeles),
      schedule("2021-06-14T09:00", until: end, every: Interval(weeks: 1), in: angeles))
    let days = ["07", "08", "09", "10", "11", "12", "13", "14", "21", "28"].map { "2021-06-\($0)" }
    let expected = (days + ["2021-07-05"]).prefix(count).map { $0 + "T09:00" }
    #expect(try schedule.starts(from: .distantPast, to: .distantFuture) == expected)
    #expect(
      try schedule.occurrences(from: .distantPast, to: .distantFuture).map(\.index)
        == Array(0..<count))
    func events(_ from: String, _ to: String) throws -> [Int] {
      try schedule.occurrences(from: date(from, angeles), to: date(to, angeles)).map(\.index)
    }
    #expect(try events("2021-06-14", "2021-06-15") == [7])
    #expect(try events("2021-06-15", "2021-06-16").isEmpty)
    #expect(try events(end, "2031-01-01").isEmpty)
    let checkIn = try Schedule.daily(
      hour: 8, start: date("2021-06-07T10:15", angeles), timeZone: zone(angeles))
    #expect(checkIn.firstStarts(60).allSatisfy { $0.contains("T08:00:00-07:00") })
  }
}
