import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

@Suite struct ScheduleFileTests {
  @Test func `reads a schedule alone`() throws {
    let text = """
      timeZone: America/New_York
      schedule:
        - {start: 2023-01-31T09:00, interval: {months: 1}, duration: 90s}
      """
    let document = try ScheduleFile.parse(text, file: "s.yaml")
    #expect(document.timeZone.identifier == "America/New_York")
    let second = try #require(document.schedule.occurrence(at: 1))
    #expect(second.start.rfc3339(in: document.timeZone) == "2023-02-28T09:00:00-05:00")
    #expect(second.end == second.start + 90)
  }

  /// The local starts of the first year of an element.
  private func starts(_ element: String, days: Double = 400) throws -> [String] {
    let text = "timeZone: Europe/Berlin\nschedule: [{\(element)}]\n"
    let document = try ScheduleFile.parse(text, file: "s.yaml")
    let first = try #require(Date("2026-01-01", in: document.timeZone))
    return try document.schedule.occurrences(from: first, to: first + days * 86_400).map {
      String($0.start.rfc3339(in: document.timeZone).prefix(16))
    }
  }

  /// Expected starts as python-dateutil 2.9 gives them.
  @Test(arguments: [
    (
      "start: 2026-03-27T08:00, interval: {days: 1}, count: 4",
      ["2026-03-27T08:00", "2026-03-28T08:00", "2026-03-29T08:00", "2026-03-30T08:00"]
    ),
    (
      "start: 2026-12-23T08:00, interval: {days: 1}, count: 4, except: [2026-12-24]",
      ["2026-12-23T08:00", "2026-12-25T08:00", "2026-12-26T08:00"]
    ),
    (
      "start: 2026-01-01T09:00, weekday: {nth: -1, day: sunday}, count: 3",
      ["2026-01-25T09:00", "2026-02-22T09:00", "2026-03-29T09:00"]
    ),
    (
      "start: 2026-01-01T09:00, weekday: {nth: 5, day: sunday}, end: 2026-09-01",
      ["2026-03-29T09:00", "2026-05-31T09:00", "2026-08-30T09:00"]
    ),
    (
      "start: 2026-01-01T09:00, interval: {months: 2}, weekday: {nth: 2, day: tuesday}, count: 3",
      ["2026-01-13T09:00", "2026-03-10T09:00", "2026-05-12T09:00"]
    ),
    (
      "start: 2026-01-05T09:00, cycle: {on: 2, off: 3}, count: 5",
      [
        "2026-01-05T09:00", "2026-01-06T09:00", "2026-01-10T09:00", "2026-01-11T09:00",
        "2026-01-15T09:00",
      ]
    ),
    (
      "start: 2026-01-07T09:00, rrule: \"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=5\"",
      [
        "2026-01-07T09:00", "2026-01-19T09:00", "2026-01-21T09:00", "2026-02-02T09:00",
        "2026-02-04T09:00",
      ]
    ),
    (
      "start: 2026-01-01T09:00, rrule: \"RRULE:FREQ=MONTHLY;BYDAY=-1SU;UNTIL=20260322T080000Z\"",
      ["2026-01-25T09:00", "2026-02-22T09:00"]
    ),
    (
      "start: 2026-01-20T09:00, rrule: \"FREQ=MONTHLY;BYMONTHDAY=15;COUNT=2\"",
      ["2026-02-15T09:00", "2026-03-15T09:00"]
    ),
    (
      "start: 2026-01-20T09:00, rrule: \"FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=15;COUNT=2\"",
      ["2026-03-15T09:00", "2026-05-15T09:00"]
    ),
    (
      "start: 2026-01-29T02:30, rrule: \"FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4\"",
      ["2026-01-31T02:30", "2026-02-28T02:30", "2026-03-31T02:30", "2026-04-30T02:30"]
    ),
    (
      "start: 2026-02-20T09:00, rrule: \"FREQ=MONTHLY;INTERVAL=6;BYMONTHDAY=-1;COUNT=2\"",
      ["2026-02-28T09:00", "2026-08-31T09:00"]
    ),
    (
      "start: 2026-01-30T09:00, except: [2026-04-30], "
        + "rrule: \"FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1;UNTIL=20261101\"",
      ["2026-01-31T09:00", "2026-07-31T09:00", "2026-10-31T09:00"]
    ),
    (
      "start: 2026-01-02T09:00, rrule: \"FREQ=DAILY;INTERVAL=3;UNTIL=20260108\"",
      ["2026-01-02T09:00", "2026-01-05T09:00", "2026-01-08T09:00"]
    ),
  ])
  func `reads the schedules that people have`(element: String, expected: [String]) throws {
    #expect(try starts(element) == expected)
  }

  /// 21 days on and 7 off over a change of the clocks, as one line.
  @Test func `a cycle is one line`() throws {
    let days = try starts("start: 2026-03-01T08:00, cycle: {on: 21, off: 7}", days: 59 + 56)
    #expect(days.count == 42)
    #expect(days.prefix(21).last == "2026-03-21T08:00")
    #expect(days.dropFirst(21).first == "2026-03-29T08:00")
  }

  /// An occurrence that is left out keeps its number: an exception that is added later counts nothing anew.
  @Test func `a day that is left out has a number`() throws {
    let text = """
      timeZone: UTC
      schedule: [{start: 2026-01-01T08:00, interval: {days: 1}, except: [2026-01-02, 2026-01-04]}]
      """
    let schedule = try ScheduleFile.parse(text, file: "s").schedule
    let first = try #require(Date("2026-01-01", in: .gmt))
    let found = try schedule.occurrences(from: first, to: first + 5 * 86_400)
    #expect(found.map(\.index) == [0, 2, 4])
    #expect(schedule.occurrence(at: 1) == nil)
    #expect(schedule.occurrence(at: 2) == found[1])
  }

  @Test(arguments: [
    ("interval: \"FREQ=WEEKLY;BYDAY=MO\"", "write it as rrule: \"FREQ=WEEKLY;BYDAY=MO\""),
    ("rrule: \"FREQ=MONTHLY;BYSETPOS=1\"", "BYSETPOS=1 has no exact schedule here"),
    ("rrule: \"FREQ=MONTHLY;BYMONTHDAY=-2\"", "BYMONTHDAY=-2 has no exact schedule here"),
    ("rrule: \"FREQ=WEEKLY\", interval: {weeks: 1}", "‘rrule’ says this, too"),
    ("interval: {days: 1}, count: 3, end: 2026-02-01", "has an end of its own"),
    ("weekday: {nth: 0, day: sunday}", "write 1 for the first, or -1 for the last"),
    ("interval: {days: 1}, weekday: {nth: 1, day: sunday}", "every so many months"),
    ("interval: {days: 1}, targets: [{value: \"10,5\", unit: kg}]", "write 10.5"),
    ("interval: {days: 1}, targets: [{value: 1_000}]", "write 1000"),
  ])
  func `refuses what it cannot keep`(keys: String, reason: String) {
    let text = "timeZone: UTC\nschedule: [{start: 2026-01-30T09:00, \(keys)}]\n"
    let error = #expect(throws: YAMLError.self) { try ScheduleFile.parse(text, file: "s.yaml") }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("allDay", EventDuration.allDay), ("30m", .seconds(1800)), ("1h", .seconds(3600)),
    ("90s", .seconds(90)), ("1h30m", .seconds(5400)), ("1h30m15s", .seconds(5415)),
    ("0s", .seconds(0)), ("0.5s", .seconds(0.5)), ("72h", .seconds(259_200)),
    ("3d", .seconds(259_200)), ("1d12h", .seconds(129_600)),
  ])
  func `reads durations`(text: String, expected: EventDuration) throws {
    let file = """
      timeZone: UTC
      schedule: [{start: 2023-01-31, interval: {days: 1}, duration: \(text)}]
      """
    #expect(
      try ScheduleFile.parse(file, file: "s").schedule.elements.map(\.duration) == [expected])
  }

  @Test(arguments: [
    ("timeZone: UTC\n", "s.yaml:1: the key ‘schedule’ is missing"),
    (
      "timeZone: UTC\nschedule: [{start: 2023-01-31, interval: {days: 1}}]\npatients: []\n",
      "s.yaml:3: unknown key ‘patients’; the keys here are timeZone, schedule"
    ),
    (
      "timeZone: UTC\nschedule:\n  - {start: 2023-01-31, interval: {days: 1}, end: 2023-01-31}\n",
      "s.yaml:3: the end is not after the start"
    ),
    ("timeZone: UTC\nschedule: daily\n", "s.yaml:2: expected a list, found a single value"),
  ])
  func refuses(text: String, expected: String) {
    let error = #expect(throws: YAMLError.self) {
      try ScheduleFile.parse(text, file: "s.yaml")
    }
    #expect(error?.description == expected)
  }
}
