import Care
import Foundation
import Testing

@testable import Interchange

@Suite("Tasks as a calendar")
struct CalendarFileTests {
  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

  static func date(_ text: String, in zone: TimeZone = zone) throws -> Date {
    try #require(
      try? Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(
        includingFractionalSeconds: false
      )
      .parse(text))
  }

  func calendar(
    _ elements: [ScheduleElement], title: String = "Weigh yourself", reminder: Reminder? = nil,
    instructions: String? = nil
  ) throws -> [String] {
    var planned = PlannedTask(
      id: "weigh", patient: "john", title: title, schedule: try Schedule(elements))
    planned.instructions = instructions
    planned.reminder = reminder
    let made = try Self.date("2026-10-01T12:00:00")
    let version = CareTask(
      uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)), planned: planned,
      effectiveDate: planned.schedule.startDate, createdDate: made)
    return try CalendarFile([TaskHistory([version])], at: made).text
      .replacing("\r\n ", with: "").split(separator: "\r\n").map(String.init)
  }

  func element(
    _ start: String, end: String? = nil, _ interval: Interval,
    _ duration: EventDuration = .seconds(3_600), selection: StepSelection = StepSelection()
  ) throws -> ScheduleElement {
    try ScheduleElement(
      start: Self.date(start), end: end.map { try Self.date($0) }, interval: interval,
      duration: duration, timeZone: Self.zone, selection: selection)
  }

  @Test("says a rule where it is exact, and lists occurrences where none is")
  func rules() throws {
    let cases: [(ScheduleElement, [String])] = [
      (
        try element("2026-11-01T09:00:00", end: "2026-11-08T09:00:00", Interval(days: 2)),
        [
          "DTSTART;TZID=America/Los_Angeles:20261101T090000", "DURATION:PT1H",
          "RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20261108T165959Z",
        ]
      ),
      (
        try element("2026-11-01T00:00:00", end: "2026-11-08T00:00:00", Interval(weeks: 1), .allDay),
        ["DTSTART;VALUE=DATE:20261101", "RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20261107"]
      ),
      (
        try element("2026-11-01T09:00:00", Interval(hours: 6), .seconds(90)),
        ["DTSTART:20261101T170000Z", "DURATION:PT1M30S", "RRULE:FREQ=HOURLY;INTERVAL=6"]
      ),
      (
        // The last Sunday of every second month; the first of them is in November.
        try element(
          "2026-11-01T09:00:00", Interval(weeks: 1),
          selection: StepSelection(weekday: .init(nth: -1, months: 2))),
        [
          "DTSTART;TZID=America/Los_Angeles:20261129T090000", "DURATION:PT1H",
          "RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=-1SU",
        ]
      ),
      (
        try element(
          "2026-12-23T09:00:00", Interval(days: 1),
          selection: StepSelection(except: [#require(CalendarDate("2026-12-24"))])),
        [
          "DTSTART;TZID=America/Los_Angeles:20261223T090000", "DURATION:PT1H",
          "RRULE:FREQ=DAILY;INTERVAL=1", "EXDATE;TZID=America/Los_Angeles:20261224T090000",
        ]
      ),
      (
        // The last day of every third month, of which the first is in February.
        try element(
          "2027-02-10T09:00:00", Interval(days: 1), selection: StepSelection(lastDay: 3)),
        [
          "DTSTART;TZID=America/Los_Angeles:20270228T090000", "DURATION:PT1H",
          "RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1",
        ]
      ),
      (
        // No rule has the last day of a shorter month.
        try element("2026-12-31T09:00:00", end: "2027-04-01T00:00:00", Interval(months: 1)),
        [
          "DTSTART:20261231T170000Z", "DURATION:PT1H",
          "RDATE:20270131T170000Z,20270228T170000Z,20270331T160000Z",
        ]
      ),
      (
        try element(
          "2026-11-01T09:00:00", end: "2026-11-07T00:00:00", Interval(days: 1),
          selection: StepSelection(cycle: .init(on: 2, off: 2))),
        [
          "DTSTART:20261101T170000Z", "DURATION:PT1H",
          "RDATE:20261102T170000Z,20261105T170000Z,20261106T170000Z",
        ]
      ),
    ]
    for (element, expected) in cases {
      let lines = try calendar([element])
      let kept = lines.drop { $0 != "BEGIN:VEVENT" }.filter { line in
        ["DTSTART", "DURATION", "RRULE", "RDATE", "EXDATE"].contains { line.hasPrefix($0) }
      }
      #expect(kept == expected)
    }
  }

  @Test("escapes texts, folds lines at 75 bytes, and reminds before the event")
  func texts() throws {
    let long = String(repeating: "早餐前量體重；", count: 9)
    let lines = try calendar(
      [element("2026-11-01T09:00:00", Interval(days: 1))], title: "Knee; left, \"90\"\r\nBEGIN:X",
      reminder: Reminder(offset: -900, every: 600, times: 3), instructions: long)
    #expect(lines.contains("SUMMARY:Knee\\; left\\, \"90\"\\nBEGIN:X"))
    #expect(lines.contains("DESCRIPTION:" + long))
    let alarm = lines.drop { $0 != "BEGIN:VALARM" }
    #expect(
      alarm.prefix(6).dropFirst(3) == ["TRIGGER:-PT15M", "REPEAT:2", "DURATION:PT10M"])
    #expect(lines.last == "END:VCALENDAR")
  }

  @Test("describes the changes of the clocks of its zones")
  func zones() throws {
    let lines = try calendar([element("2026-10-01T09:00:00", Interval(days: 1))])
    let change = lines.firstIndex(of: "DTSTART:20261101T020000")
    let index = try #require(change)
    #expect(
      Array(lines[(index - 1)...(index + 3)]) == [
        "BEGIN:STANDARD", "DTSTART:20261101T020000", "TZOFFSETFROM:-0700", "TZOFFSETTO:-0800",
        "END:STANDARD",
      ])
  }
}
