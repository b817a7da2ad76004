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

  @Test(arguments: [
    ("allDay", EventDuration.allDay), ("30m", .seconds(1800)), ("1h", .seconds(3600)),
    ("90s", .seconds(90)), ("1h30m", .seconds(5400)), ("1h30m15s", .seconds(5415)),
    ("0s", .seconds(0)), ("0.5s", .seconds(0.5)), ("72h", .seconds(259_200)),
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
