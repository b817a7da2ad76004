import Care
import Foundation
import Testing

@testable import Terminal

/// The acceptance cases of the store, by their numbers, through commands with a clock.
///
/// Other suites hold those that no command shows:
///
/// - 14, 24 `an offset of a year moves start and end`, `an offset of an hour moves the clock`; 18
///   `schedules compose to one`; 23 `weekly begins on the next such weekday`, `a schedule spans its
///   elements`; 32 `refuses intervals that do not move forward`
/// - 45 `of versions of the same date the later made one owns the event`, `an import closes versions
///   that begin later`; 48 `events sort by start then the plans order then ID`; 52 `finds the version
///   in force at the end of a span`; 53, 54, 56 `the newest version is not yet the current one`, `a
///   task that is not stored is unknown`, `a version follows the one before`
/// - 57, 59, 60, 64 in `OutcomesTests`; 62, 65 `stored tasks are found by group and tag`; 66 `only the
///   newest version is shown`; 67 `what a person is survives a restart`, of several people in one store;
///   68 `what is not stored is not deleted`
/// - 69 `numbers add up`, `texts count one`, `a goal of zero is done`, `without target anything above
///   zero is done`; 70 `a mean counts each fraction once`; 73 `an event counts on the day of its start
///   alone`
/// - 74 `steps add up`, `heart rates stand in the order of arrival`; 75 `a border belongs to one side`;
///   79 `the time is the samples and minus one survives`, `values are converted to the linkages unit`,
///   `a value of another dimension is refused`
/// - 83 `MergePropertyTests`; 85 `merged rows keep their ids and dates`, `the deletion of an unknown
///   outcome is merged`, `a failure restores the clock`; 80 to 82, 84 and 86 are of another protocol,
///   whose own cases are in `ExchangeTests`
/// - 87 `FHIRTimingTests`, `FHIRRoundTripTests`; 92 `HubTests`; 96 `RangeOfMotionTests`; 98
///   `a read only task takes nothing`, `optional and read only tasks do not count`, `an assessment has
///   one result`, `a future day is refused`; 99 `answers are stored under their kinds`
@Suite struct AcceptanceCasesTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  // MARK: Schedules

  struct Span: Sendable, CustomTestStringConvertible {
    var number: Int
    var zone = "Europe/Berlin"
    var elements: [String]
    var from: String
    var to: String
    /// The number and local start of each occurrence, as far as they differ from those before.
    var expected: [String]
    var testDescription: String { "\(number): \(from) to \(to)" }
  }

  private static let yearly = ["start: 2019-01-19T15:30, interval: {years: 1}"]
  private static let yearlyUntil = [
    "start: 2019-01-19T15:30, end: 2024-01-19T15:30, interval: {years: 1}"
  ]
  private static let seconds = ["start: 2023-01-01, interval: {seconds: 1}, duration: 1s"]
  private static let meals = ["07:30", "12:00", "17:30"].map {
    "start: 2023-01-01T\($0), interval: {days: 1}"
  }
  private static func rom(_ end: String) -> [String] {
    [
      "start: 2021-06-07T10:15, end: 2021-06-14, interval: {days: 1}",
      "start: 2021-06-14T10:15, end: \(end), interval: {weeks: 1}",
    ]
  }
  private static let week = [
    "start: 2021-06-07", "start: 2021-06-08", "start: 2021-06-09", "start: 2021-06-10",
    "start: 2021-06-11", "start: 2021-06-12", "start: 2021-06-13",
  ]

  private static let spans = [
    Span(
      number: 1, elements: seconds, from: "2023-01-01T00:00:00", to: "2023-01-01T00:00:02",
      expected: ["0 2023-01-01T00:00:00", "1 2023-01-01T00:00:01"]),
    // An occurrence that ends exactly at the beginning is found, too.
    Span(
      number: 1, elements: seconds, from: "2023-01-01T00:00:09", to: "2023-01-01T00:00:10",
      expected: ["8 2023-01-01T00:00:08", "9 2023-01-01T00:00:09"]),
    Span(
      number: 2, elements: yearly, from: "2021-01-19T15:30", to: "2023-01-19T15:30",
      expected: ["2 2021-01-19T15:30:00", "3 2022-01-19T15:30:00"]),
    Span(
      number: 3, elements: yearly, from: "2019-01-19T15:30:00", to: "2019-01-19T15:30:01",
      expected: ["0 2019-01-19T15:30:00"]),
    Span(
      number: 3, elements: yearly, from: "2019-01-19T15:30", to: "2022-01-19T15:30",
      expected: ["0 2019-01-19T15:30:00", "1 2020-01-19T15:30:00", "2 2021-01-19T15:30:00"]),
    Span(
      number: 4, elements: yearlyUntil, from: "2025-01-19T15:30", to: "2027-01-19T15:30",
      expected: []),
    Span(
      number: 6,
      elements: ["start: 2023-01-01, end: 2023-01-02, interval: {days: 1}, duration: 1s"],
      from: "2023-01-01", to: "2023-02-01", expected: ["0 2023-01-01T00:00:00"]),
    Span(
      number: 6,
      elements: ["start: 2023-01-01, end: 2023-01-01T01:00, interval: {days: 1}, duration: 1s"],
      from: "2023-01-01", to: "2023-02-01", expected: ["0 2023-01-01T00:00:00"]),
    Span(
      number: 7,
      elements: ["start: 2023-01-01, end: 2024-01-01, interval: {years: 1}, duration: 0s"],
      from: "2023-01-01T00:00:01", to: "2024-01-01", expected: []),
    Span(
      number: 9, elements: ["start: 2026-03-02, interval: {weeks: 1}, duration: allDay"],
      from: "2026-03-02T12:00", to: "2026-03-02T20:00", expected: ["0 2026-03-02T00:00:00"]),
    Span(
      number: 9, elements: ["start: 2026-03-02T20:00, interval: {weeks: 1}, duration: allDay"],
      from: "2026-03-02T06:00", to: "2026-03-02T12:00", expected: ["0 2026-03-02T00:00:00"]),
    Span(
      number: 10, elements: ["start: 2026-03-02, interval: {days: 7}, duration: 72h"],
      from: "2026-03-04", to: "2026-03-06", expected: ["0 2026-03-02T00:00:00"]),
    Span(
      number: 11, elements: ["start: 2026-03-02, interval: {hours: 1}, duration: 2h"],
      from: "2026-03-02T01:30:00", to: "2026-03-02T01:30:01",
      expected: ["0 2026-03-02T00:00:00", "1 2026-03-02T01:00:00"]),
    Span(
      number: 15, elements: ["start: 2023-01-01T08:00, end: 2023-01-04, interval: {days: 1}"],
      from: "2023-01-01", to: "2023-02-01",
      expected: ["0 2023-01-01T08:00:00", "1 2023-01-02T08:00:00", "2 2023-01-03T08:00:00"]),
    Span(
      number: 16, elements: meals, from: "2023-01-02", to: "2023-01-03",
      expected: ["3 2023-01-02T07:30:00", "4 2023-01-02T12:00:00", "5 2023-01-02T17:30:00"]),
    Span(
      number: 17,
      elements: meals + ["11:00", "13:00"].map { "start: 2023-01-01T\($0), interval: {days: 1}" },
      from: "2023-01-01", to: "2023-01-03",
      expected: [
        "0 2023-01-01T07:30:00", "1 2023-01-01T11:00:00", "2 2023-01-01T12:00:00",
        "3 2023-01-01T13:00:00", "4 2023-01-01T17:30:00", "5 2023-01-02T07:30:00",
        "6 2023-01-02T11:00:00", "7 2023-01-02T12:00:00", "8 2023-01-02T13:00:00",
        "9 2023-01-02T17:30:00",
      ]),
    Span(
      number: 21, elements: ["start: 2026-03-02, interval: {days: 1}, duration: allDay"],
      from: "2026-03-03T00:00:00", to: "2026-03-03T23:59:59",
      expected: ["1 2026-03-03T00:00:00"]),
    Span(
      number: 21, elements: ["start: 2026-03-02T07:00, interval: {days: 1}, duration: allDay"],
      from: "2026-03-02T12:00", to: "2026-03-02T18:00", expected: ["0 2026-03-02T00:00:00"]),
    Span(
      number: 25, zone: "America/New_York",
      elements: ["start: 2023-01-31T09:00, interval: {months: 1}"],
      from: "2023-02-01", to: "2023-06-01",
      expected: [
        "1 2023-02-28T09:00:00", "2 2023-03-31T09:00:00", "3 2023-04-30T09:00:00",
        "4 2023-05-31T09:00:00",
      ]),
    Span(
      number: 26, zone: "America/New_York", elements: ["start: 2024-02-29, interval: {years: 1}"],
      from: "2027-06-01", to: "2028-06-01", expected: ["4 2028-02-29T00:00:00"]),
    Span(
      number: 27, zone: "America/New_York",
      elements: ["start: 2023-03-11T02:30, interval: {days: 1}"],
      from: "2023-03-12", to: "2023-03-14",
      expected: ["1 2023-03-12T03:30:00", "2 2023-03-13T02:30:00"]),
    Span(
      number: 28, elements: ["start: 2023-01-30, interval: {months: 1, days: 1}"],
      from: "2023-02-01", to: "2023-06-01",
      expected: ["1 2023-03-01T00:00:00", "2 2023-04-01T00:00:00", "3 2023-05-03T00:00:00"]),
    Span(
      number: 29, zone: "America/Sao_Paulo",
      elements: ["start: 2018-11-03, interval: {days: 1}"],
      from: "2018-11-03T12:00", to: "2018-11-06",
      expected: ["1 2018-11-04T01:00:00", "2 2018-11-05T00:00:00"]),
    Span(
      number: 30, elements: ["start: 2024-03-30T08:00, interval: {days: 1}"],
      from: "2024-10-26", to: "2024-10-29",
      expected: [
        "210 2024-10-26T08:00:00", "211 2024-10-27T08:00:00", "212 2024-10-28T08:00:00",
      ]),
    // Three a day, three days left out; with an end none is left.
    Span(
      number: 89,
      elements: meals.map { $0.replacing("{days: 1}", with: "{days: 4}") },
      from: "2023-01-01T18:31", to: "2023-01-06",
      expected: ["3 2023-01-05T07:30:00", "4 2023-01-05T12:00:00", "5 2023-01-05T17:30:00"]),
    Span(
      number: 89,
      elements: meals.map { $0.replacing("{days: 1}", with: "{days: 1}, end: 2023-01-04") },
      from: "2023-01-07", to: "2023-01-08", expected: []),
    Span(
      number: 100, zone: "America/Los_Angeles", elements: rom("2021-07-07"),
      from: "2021-06-13", to: "2022-01-01",
      expected: [
        "6 2021-06-13T10:15:00", "7 2021-06-14T10:15:00", "8 2021-06-21T10:15:00",
        "9 2021-06-28T10:15:00", "10 2021-07-05T10:15:00",
      ]),
    Span(
      number: 100, zone: "America/Los_Angeles", elements: rom("2021-07-01"),
      from: "2021-06-14", to: "2022-01-01",
      expected: ["7 2021-06-14T10:15:00", "8 2021-06-21T10:15:00", "9 2021-06-28T10:15:00"]),
  ]

  private func expanded(
    _ elements: [String], zone: String, from: String, to: String,
    environment: [String: String] = [:]
  ) async throws -> [[String: Any]] {
    let lines = elements.map { "  - {\($0)}\n" }.joined()
    let file = try folder.write("timeZone: \(zone)\nschedule:\n\(lines)", to: "schedule.yaml")
    let result = await InProcess.run(
      ["schedule", "expand", file, "--from", from, "--to", to, "--json"],
      environment: environment)
    #expect(result.status == 0, "\(result.error)")
    return result.objects
  }

  private func numbered(_ found: [[String: Any]]) -> [String] {
    found.map { "\($0["occurrence"] as? Int ?? -1) \(($0["start"] as? String ?? "").prefix(19))" }
  }

  @Test(arguments: spans)
  func `a span has these occurrences`(span: Span) async throws {
    let found = try await expanded(
      span.elements, zone: span.zone, from: span.from, to: span.to)
    #expect(numbered(found) == span.expected)
  }

  /// 31: a day on which clocks change has 23 or 25 hours; its event ends a second before the next.
  @Test(arguments: [
    ("2023-03-12", "2023-03-12T00:00:00-05:00", "2023-03-12T23:59:59-04:00"),
    ("2023-11-05", "2023-11-05T00:00:00-04:00", "2023-11-05T23:59:59-05:00"),
  ])
  func `an all day event is as long as its day`(day: String, start: String, end: String)
    async throws
  {
    let found = try await expanded(
      ["start: 2023-03-01, interval: {days: 1}, duration: allDay"], zone: "America/New_York",
      from: "\(day)T12:00", to: "\(day)T13:00")
    #expect(found.map { $0["start"] as? String } == [start])
    #expect(found.map { $0["end"] as? String } == [end])
  }

  /// 33: a plan of Los Angeles on a machine that is taken to Honolulu.
  @Test func `the zone of the machine moves nothing`() async throws {
    let both = try await ["America/Los_Angeles", "Pacific/Honolulu"].asyncMap { zone in
      try await expanded(
        ["start: 2023-01-01, interval: {days: 1}, duration: allDay"], zone: "America/Los_Angeles",
        from: "2023-01-01T12:00:00-08:00", to: "2023-01-03T12:00:00-08:00",
        environment: ["TZ": zone]
      ).map { "\($0["occurrence"] as? Int ?? -1) \($0["start"] as? String ?? "")" }
    }
    #expect(
      both.first == [
        "0 2023-01-01T00:00:00-08:00", "1 2023-01-02T00:00:00-08:00",
        "2 2023-01-03T00:00:00-08:00",
      ])
    #expect(both.first == both.last)
  }

  /// 88: three a day for a hundred days and one more; 91: a week of four, two and four.
  @Test func `days have as many as they should`() async throws {
    let start = "start: 2016-01-01T"
    let three = ["08:00", "13:00", "19:00"].map { start + "\($0), interval: {days: 1}" }
    let found = numbered(
      try await expanded(three, zone: "UTC", from: "2016-01-01", to: "2016-04-11"))
    #expect(found.count == 303)
    #expect(found[9] == "9 2016-01-04T08:00:00" && found[15] == "15 2016-01-06T08:00:00")

    let talk = [("2016-06-20", 4), ("2016-06-22", 2), ("2016-06-24", 4)].flatMap { day, count in
      (0..<count).map {
        "start: \(day)T\(10 + $0):00, end: 2016-07-04, interval: {weeks: 1}"
      }
    }
    for (day, count) in [
      ("2016-06-19", 0), ("2016-06-20", 4), ("2016-06-21", 0), ("2016-06-22", 2),
      ("2016-06-23", 0), ("2016-06-24", 4), ("2016-06-25", 0), ("2016-07-01", 4),
      ("2016-07-04", 0),
    ] {
      let found = try await expanded(
        talk, zone: "UTC", from: "\(day)T00:00:00", to: "\(day)T23:59:59")
      #expect(found.count == count, "\(day)")
    }
  }

  /// 89: one on Monday to seven on Sunday, of every fourth week, and of three weeks.
  @Test func `weeks are left out, and end`() async throws {
    func week(_ steps: String) -> [String] {
      Self.week.enumerated().flatMap { index, start in
        (0...index).map { start + "T\(10 + $0):00, \(steps)" }
      }
    }
    func count(_ steps: String, _ day: String) async throws -> Int {
      try await expanded(
        week(steps), zone: "UTC", from: "\(day)T00:00:00", to: "\(day)T23:59:59"
      ).count
    }
    for (day, number) in [("2021-06-07", 1), ("2021-06-13", 7)] {
      #expect(try await count("interval: {weeks: 4}", day) == number)
    }
    #expect(try await count("interval: {weeks: 4}", "2021-06-20") == 0)
    #expect(try await count("interval: {weeks: 4}", "2021-07-11") == 7)
    let ended = "interval: {weeks: 1}, end: 2021-06-28T00:00"
    #expect(try await count(ended, "2021-06-27") == 7)
    #expect(try await count(ended, "2021-07-25") == 0)
  }

  // MARK: Versions

  private func run(_ now: String, _ arguments: [String]) async throws -> MeasuredProcess.Result {
    let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    let date = try #require(Date(now, in: zone))
    return await InProcess.run(arguments + ["--store", path], now: date)
  }

  /// Imports a version of the task at a time.
  @discardableResult private func version(
    _ title: String, _ elements: [String], effective: String? = nil, at now: String,
    flags: [String] = []
  ) async throws -> Int32 {
    let schedule = elements.map { "{\($0)}" }.joined(separator: ", ")
    let date = effective.map { ", effectiveDate: \($0)" } ?? ""
    let file = try folder.write(
      """
      timeZone: Europe/Berlin
      patients: [{id: ann}]
      tasks:
        - {id: walk, title: \(title), schedule: [\(schedule)]\(date)}
      """, to: "plan.yaml")
    return try await run(now, ["plan", "import", file] + flags).status
  }

  /// The events of a span, seen long after it: number, title of the version, start, whether done.
  private func events(_ from: String, _ to: String) async throws -> [String] {
    let found = try await run(
      "2027-01-01T00:00", ["events", "--from", from, "--to", to, "--json"])
    #expect(found.status == 0, "\(found.error)")
    return found.objects.map { event in
      let start = (event["start"] as? String ?? "").dropFirst(5).prefix(11)
      let done = event["completed"] as? Bool == true ? " done" : ""
      return
        "\(event["occurrence"] as? Int ?? -1) \(event["title"] as? String ?? "") \(start)\(done)"
    }
  }

  private static let noon = "T12:00, interval: {days: 1}"

  @Test func `34: a version that ends, and one that follows`() async throws {
    try await version(
      "V1", ["start: 2026-03-01\(Self.noon), end: 2026-03-11"], at: "2026-03-01T00:00")
    try await version(
      "V2", ["start: 2026-03-11\(Self.noon), end: 2026-03-14"], effective: "2026-03-11",
      at: "2026-03-10T13:00")
    #expect(
      try await events("2026-03-08", "2026-03-14") == [
        "7 V1 03-08T12:00", "8 V1 03-09T12:00", "9 V1 03-10T12:00", "0 V2 03-11T12:00",
        "1 V2 03-12T12:00", "2 V2 03-13T12:00",
      ])
  }

  @Test func `35: an open version, and one that follows`() async throws {
    try await version("V1", ["start: 2026-03-08\(Self.noon)"], at: "2026-03-08T00:00")
    try await version(
      "V2", ["start: 2026-03-11\(Self.noon)"], effective: "2026-03-11", at: "2026-03-10T13:00")
    #expect(
      try await events("2026-03-10", "2026-03-14") == [
        "2 V1 03-10T12:00", "0 V2 03-11T12:00", "1 V2 03-12T12:00", "2 V2 03-13T12:00",
      ])
  }

  @Test func `36: an answer is on its occurrence`() async throws {
    try await version("V1", ["start: 2026-03-08\(Self.noon)"], at: "2026-03-08T00:00")
    let done = try await run(
      "2026-03-11T12:05", ["outcome", "set", "--task", "walk", "--occurrence", "3"])
    #expect(done.status == 0, "\(done.error)")
    #expect(
      try await events("2026-03-10", "2026-03-14") == [
        "2 V1 03-10T12:00", "3 V1 03-11T12:00 done", "4 V1 03-12T12:00", "5 V1 03-13T12:00",
      ])
  }

  @Test func `39: a version from tomorrow whose schedule begins in a week`() async throws {
    try await version("V1", ["start: 2026-03-11\(Self.noon)"], at: "2026-03-11T00:00")
    try await version(
      "V2", ["start: 2026-03-18\(Self.noon)"], effective: "2026-03-12", at: "2026-03-11T13:00")
    #expect(try await events("2026-03-11", "2026-03-17") == ["0 V1 03-11T12:00"])
  }

  @Test func `40: a version from the start of an all day event owns it`() async throws {
    let days = ["start: 2026-03-07, interval: {days: 1}, duration: allDay"]
    try await version("V1", days, at: "2026-03-07T00:00")
    try await version("V2", days, effective: "2026-03-11", at: "2026-03-10T13:00")
    #expect(try await events("2026-03-11T12:00", "2026-03-11T13:00") == ["4 V2 03-11T00:00"])
  }

  @Test func `42: a version from noon leaves the morning to the one before`() async throws {
    try await version("V1", Self.meals, at: "2023-01-01T00:00")
    try await version(
      "V2", ["start: 2023-01-01T20:00, interval: {days: 1}"], effective: "2023-01-02T12:00",
      at: "2023-01-02T09:00")
    #expect(
      try await events("2023-01-02", "2023-01-03") == ["3 V1 01-02T07:30", "1 V2 01-02T20:00"])
  }

  @Test func `55: an answer follows its start, and a start that goes is refused`() async throws {
    try await version("V1", Self.meals, at: "2023-01-01T00:00")
    let done = try await run(
      "2023-01-02T18:00", ["outcome", "set", "--task", "walk", "--occurrence", "5"])
    #expect(done.status == 0, "\(done.error)")
    let evening = [Self.meals[0], Self.meals[2]]
    let late = ["start: 2023-01-01T20:00, interval: {days: 1}"]
    #expect(
      try await version("V2", evening, effective: "2023-01-01", at: "2023-01-02T18:10") == 0)
    #expect(
      try await events("2023-01-02", "2023-01-03") == ["2 V2 01-02T07:30", "3 V2 01-02T17:30 done"])
    #expect(try await version("V3", late, effective: "2023-01-01", at: "2023-01-02T18:20") == 3)
    #expect(
      try await version("V3", late, effective: "2023-01-02T17:31", at: "2023-01-02T18:20") == 0)
    #expect(
      try await events("2023-01-02", "2023-01-03") == [
        "2 V2 01-02T07:30", "3 V2 01-02T17:30 done", "1 V3 01-02T20:00",
      ])
  }

  /// 93: minutes of exercise add up to their goal, and a deleted one opens it again.
  @Test func `93: minutes add up, and one that is taken back is gone`() async throws {
    let file = try folder.write(
      """
      timeZone: Europe/Berlin
      patients: [{id: ann}]
      tasks:
        - {id: walk, title: Move, linkage: {quantity: exerciseTime, unit: min}, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 30, unit: min}]}]}
      """, to: "plan.yaml")
    #expect(try await run("2026-03-01T00:00", ["plan", "import", file]).status == 0)
    func progress() async throws -> [Double?] {
      let today = try await run("2026-03-11T20:00", ["today", "--json"]).objects.first
      let progress = today?["progress"] as? [String: Any]
      return [progress?["value"] as? Double, progress?["goal"] as? Double]
    }
    func isDone() async throws -> Bool? {
      try await run("2026-03-11T20:00", ["today", "--json"]).objects.first?["completed"] as? Bool
    }
    for (time, minutes, sum) in [("08:30", "22", 22.0), ("18:00", "8", 30)] {
      let done = try await run("2026-03-11T\(time)", ["done", "walk", "--value", minutes])
      #expect(done.status == 0, "\(done.error)")
      #expect(try await progress() == [sum, 30])
      #expect(try await isDone() == (sum == 30))
    }
    #expect(try await run("2026-03-11T18:05", ["undo", "walk"]).status == 0)
    #expect(try await progress() == [22, 30])
    #expect(try await isDone() == false)
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var mapped: [T] = []
    for element in self { mapped.append(try await transform(element)) }
    return mapped
  }
}
