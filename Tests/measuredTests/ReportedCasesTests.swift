import Foundation
import Testing

@testable import measured

/// Faults of other programs, as people have told of them, through the commands.
@Suite struct ReportedCasesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Schedules

  struct Times: Sendable, CustomTestStringConvertible {
    var zone: String
    var element: String
    var starts: [String]
    var testDescription: String { "\(zone) \(element)" }
  }

  /// Expected starts as Python's `zoneinfo` and RFC 5545 give them.
  private static let schedules = [
    Times(
      zone: "America/New_York", element: "start: 2025-03-08T02:30, interval: {days: 1}, count: 3",
      starts: [
        "2025-03-08T02:30:00-05:00", "2025-03-09T03:30:00-04:00", "2025-03-10T02:30:00-04:00",
      ]),
    Times(
      zone: "America/New_York",
      element: "start: 2025-11-02T01:52:03, interval: {seconds: 240}, count: 4",
      starts: [
        "2025-11-02T01:52:03-04:00", "2025-11-02T01:56:03-04:00", "2025-11-02T01:00:03-05:00",
        "2025-11-02T01:04:03-05:00",
      ]),
    Times(
      zone: "Europe/London", element: "start: 2020-03-28, interval: {days: 1}, count: 4",
      starts: [
        "2020-03-28T00:00:00+00:00", "2020-03-29T00:00:00+00:00", "2020-03-30T00:00:00+01:00",
        "2020-03-31T00:00:00+01:00",
      ]),
    Times(
      zone: "Australia/Sydney", element: "start: 2016-09-25T16:00, interval: {weeks: 1}, count: 3",
      starts: [
        "2016-09-25T16:00:00+10:00", "2016-10-02T16:00:00+11:00", "2016-10-09T16:00:00+11:00",
      ]),
    Times(
      zone: "America/Vancouver", element: "start: 2025-03-08T02:00, interval: {days: 1}, count: 3",
      starts: [
        "2025-03-08T02:00:00-08:00", "2025-03-09T03:00:00-07:00", "2025-03-10T02:00:00-07:00",
      ]),
    Times(
      zone: "Europe/Sofia", element: "start: 2016-10-27T09:00, interval: {days: 2}, count: 4",
      starts: [
        "2016-10-27T09:00:00+03:00", "2016-10-29T09:00:00+03:00", "2016-10-31T09:00:00+02:00",
        "2016-11-02T09:00:00+02:00",
      ]),
    Times(
      zone: "America/Havana",
      element: "start: 2024-03-09, interval: {days: 1}, duration: allDay, count: 3",
      starts: [
        "2024-03-09T00:00:00-05:00", "2024-03-10T01:00:00-04:00", "2024-03-11T00:00:00-04:00",
      ]),
    Times(
      zone: "Asia/Beirut",
      element: "start: 2024-03-30, interval: {days: 1}, duration: allDay, count: 3",
      starts: [
        "2024-03-30T00:00:00+02:00", "2024-03-31T01:00:00+03:00", "2024-04-01T00:00:00+03:00",
      ]),
    Times(
      zone: "Pacific/Auckland",
      element: "start: 2025-09-15T09:00, interval: {months: 1}, count: 3",
      starts: [
        "2025-09-15T09:00:00+12:00", "2025-10-15T09:00:00+13:00", "2025-11-15T09:00:00+13:00",
      ]),
    Times(
      zone: "Europe/Berlin", element: "start: 2026-02-01T08:00, interval: {weeks: 12}, count: 3",
      starts: [
        "2026-02-01T08:00:00+01:00", "2026-04-26T08:00:00+02:00", "2026-07-19T08:00:00+02:00",
      ]),
    Times(
      zone: "Europe/Berlin", element: "start: 2026-02-01T08:00, interval: {days: 84}, count: 3",
      starts: [
        "2026-02-01T08:00:00+01:00", "2026-04-26T08:00:00+02:00", "2026-07-19T08:00:00+02:00",
      ]),
    Times(
      zone: "America/New_York", element: "start: 2026-03-04T14:00, interval: {days: 2}, count: 4",
      starts: [
        "2026-03-04T14:00:00-05:00", "2026-03-06T14:00:00-05:00", "2026-03-08T14:00:00-04:00",
        "2026-03-10T14:00:00-04:00",
      ]),
    // Samoa had no 30 December 2011.
    Times(
      zone: "Pacific/Apia",
      element: "start: 2011-12-28T08:00, interval: {days: 1}, end: 2012-01-02",
      starts: [
        "2011-12-28T08:00:00-10:00", "2011-12-29T08:00:00-10:00", "2011-12-31T08:00:00+14:00",
        "2012-01-01T08:00:00+14:00",
      ]),
    Times(
      zone: "Africa/Casablanca",
      element: "start: 2026-02-14T08:00, interval: {days: 1}, count: 3",
      starts: [
        "2026-02-14T08:00:00+01:00", "2026-02-15T08:00:00+00:00", "2026-02-16T08:00:00+00:00",
      ]),
    // Monday, Wednesday and Friday, made on a Thursday.
    Times(
      zone: "Europe/Berlin",
      element: "start: 2026-11-26T09:00, rrule: \"FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=4\"",
      starts: [
        "2026-11-27T09:00:00+01:00", "2026-11-30T09:00:00+01:00", "2026-12-02T09:00:00+01:00",
        "2026-12-04T09:00:00+01:00",
      ]),
  ]

  private func expanded(_ zone: String, _ element: String) async throws -> [String] {
    let file = try folder.write(
      "timeZone: \(zone)\nschedule: [{\(element)}]\n", to: "schedule.yaml")
    let result = await InProcess.run(
      ["schedule", "expand", file, "--from", "2011-01-01", "--to", "2027-06-01", "--json"])
    #expect(result.status == 0, "\(result.error)")
    return result.objects.compactMap { $0["start"] as? String }
  }

  @Test(arguments: schedules)
  func `a time of the day stays what it is`(example: Times) async throws {
    #expect(try await expanded(example.zone, example.element) == example.starts)
  }

  @Test(arguments: [("2026-03-08", "2026-03-09", 23), ("2026-11-01", "2026-11-02", 25)])
  func `each hour of a day is there once`(day: String, next: String, count: Int) async throws {
    let starts = try await expanded(
      "America/New_York", "start: \(day), interval: {hours: 1}, end: \(next)")
    #expect(starts.count == count && Set(starts).count == count)
  }

  // MARK: Typed values

  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: anna, name: {given: Anna}}]
    tasks:
      - {id: med, title: Med, schedule: [{start: 2024-03-01T08:30, interval: {days: 1}, duration: 1h}, {start: 2024-03-01T12:30, interval: {days: 1}, duration: 1h}]}
      - {id: twice, title: Twice a week, schedule: [{start: 2024-02-26, interval: {weeks: 1}, duration: 168h}, {start: 2024-02-26, interval: {weeks: 1}, duration: 168h}]}
      - {id: temp, title: Temperature, linkage: {quantity: bodyTemperature}, schedule: [{start: 2024-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: weight, title: Weight, linkage: {quantity: bodyMass}, schedule: [{start: 2024-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: systolic, title: Upper, linkage: {quantity: bloodPressureSystolic}, schedule: [{start: 2024-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: bp, title: Pressure, schedule: [{start: 2024-03-01, interval: {days: 1}, duration: allDay}], linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]}
      - {id: gl, title: Glucose, linkage: {quantity: bloodGlucose}, schedule: [{start: 2024-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: inhaler, title: Inhaler, schedule: [{start: 2024-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 2, unit: puffs}]}]}
    """

  private static let prepared = PreparedStore(plan: plan)

  private func store() async throws -> String {
    let path = folder.path("s.sqlite")
    try await Self.prepared.copy(to: path)
    return path
  }

  @Test(
    arguments: [
      ("temp", "98.6 F", "37 °C"), ("temp", "37.2C", "37.2 °C"), ("temp", "37,2", "37.2 °C"),
      ("weight", "64kgs", "64 kg"), ("weight", "64 KG", "64 kg"),
      ("weight", "141 pounds", "63.96 kg"), ("weight", "10 stone 3", "64.86 kg"),
      ("weight", "12 st 9 lb", "80.29 kg"), ("weight", "80,5", "80.5 kg"),
      ("weight", "62.0", "62 kg"), ("weight", "12 st 14 lb", nil),
      ("systolic", "104 mmHg", "104 mmHg"), ("systolic", "130.0", "130 mmHg"),
      ("bp", "120/80", "120/80 mmHg"), ("bp", "120 / 80 mmHg", "120/80 mmHg"),
      ("bp", "104 mmHg", nil), ("gl", "100 mg/dl", "5.6 mmol/L"), ("gl", "5.5", "5.5 mmol/L"),
      ("inhaler", "2", "2 puffs of 2 puffs"), ("inhaler", "2 puffs", "2 puffs of 2 puffs"),
      ("inhaler", "2 tablets", nil), ("inhaler", "2 drops", nil),
    ] as [(String, String, String?)])
  func `a value is read as it was meant`(task: String, value: String, says: String?) async throws {
    let path = try await store()
    let result = await InProcess.run([
      "done", task, "--value", value, "--date", "2024-03-04", "--store", path,
    ])
    #expect(result.status == (says == nil ? 3 : 0), "\(result.error)")
    if let says { #expect(result.lines.first?.hasSuffix(": \(says)") == true, "\(result.lines)") }
  }

  // MARK: Days, weeks and months

  @Test func `the dose of the morning is the one that is taken late`() async throws {
    let path = try await store()
    let done = await InProcess.run([
      "done", "med", "--date", "2024-03-04", "--at", "11:19", "--store", path,
    ])
    #expect(done.lines.first == "✓ Med, 2024-03-04 08:30: done at 11:19")
    let events = await InProcess.run([
      "events", "--from", "2024-03-04", "--to", "2024-03-05", "--task", "med", "--json", "--store",
      path,
    ])
    #expect(events.objects.map { $0["completed"] as? Bool } == [true, false])
  }

  /// On any two days, and nothing of it in another week.
  @Test func `twice a week is any two days`() async throws {
    let path = try await store()
    for day in ["2024-03-05", "2024-03-08"] {
      let done = await InProcess.run(["done", "twice", "--date", day, "--store", path])
      #expect(done.lines.first == "✓ Twice a week, 2024-03-04 00:00: done")
    }
    let weeks = await InProcess.run([
      "adherence", "--task", "twice", "--by", "week", "--from", "2024-02-26", "--to", "2024-03-18",
      "--json", "--store", path,
    ])
    #expect(weeks.objects.map { $0["performed"] as? Int } == [0, 2, 0])
    #expect(weeks.objects.map { $0["due"] as? Int } == [2, 2, 2])
  }

  /// A month and a week end on the Sunday on which the clocks change; the days before the first are
  /// no success.
  @Test func `a period has its days whatever the clocks do`() async throws {
    let path = try await store()
    func due(_ period: String, _ from: String, _ to: String) async -> [Int?] {
      await InProcess.run([
        "adherence", "--task", "med", "--by", period, "--from", from, "--to", to, "--json",
        "--store", path,
      ]).objects.map { $0["due"] as? Int }
    }
    #expect(await due("month", "2024-03-01", "2024-05-01") == [62, 60])
    #expect(await due("week", "2024-03-25", "2024-04-08") == [14, 14])
    #expect(await due("day", "2024-03-31", "2024-04-01") == [2])
    let before = await InProcess.run([
      "adherence", "--task", "med", "--from", "2024-02-28", "--to", "2024-03-02", "--json",
      "--store", path,
    ])
    #expect(
      before.objects.map { $0["status"] as? String } == ["noTasks", "noTasks", "progress"])
    #expect(before.objects.allSatisfy { $0["performed"] as? Int == 0 })
    #expect(before.objects.dropLast().allSatisfy { $0["fraction"] is NSNull })
  }

  // MARK: Measured values

  private static let weighing = """
    {"measured-trace":1,"start":"2024-03-04T07:10:00+01:00"}
    {"t":0,"type":"advertisement","address":"5C:CA:D3:70:D4:A2","data":"10161b180224e8070304070a00fdff6c3a"}

    """

  /// A deleted value does not come back with the next recording, nor from a backup of the change.
  @Test func `a deleted weighing stays deleted`() async throws {
    let path = try await store()
    let recording = try folder.write(Self.weighing, to: "w.jsonl")
    func weights(_ path: String) async -> [Double?] {
      await InProcess.run(["samples", "--json", "--store", path]).objects.filter {
        $0["quantity"] as? String == "bodyMass"
      }.map { $0["value"] as? Double }
    }
    #expect(await InProcess.run(["replay", recording, "--store", path]).status == 0)
    #expect(await weights(path) == [74.78])
    let deleted = await InProcess.run(["samples", "delete", "1", "--store", path])
    #expect(deleted.status == 0, "\(deleted.error)")
    let again = await InProcess.run(["replay", recording, "--store", path])
    #expect(again.status == 0)
    #expect(await weights(path) == [])
    let copy = folder.path("backup.sqlite")
    #expect(await InProcess.run(["store", "backup", copy, "--store", path]).status == 0)
    #expect(await weights(copy) == [])
  }

  /// A program that reads the table needs no zone of its own.
  @Test func `times of a table have their offset`() async throws {
    let path = try await store()
    for day in ["2024-03-30", "2024-03-31"] {
      let done = await InProcess.run([
        "done", "weight", "--value", "64", "--date", day, "--at", "\(day)T08:00", "--store", path,
      ])
      #expect(done.status == 0, "\(done.error)")
    }
    let table = await InProcess.run(["samples", "--csv", "--store", path])
    for time in ["2024-03-30T08:00:00+01:00", "2024-03-31T08:00:00+02:00"] {
      #expect(table.output.contains(time), "\(table.output)")
    }
  }

  /// An export that was cut, changed, doubled or rewritten by an editor gives nothing.
  @Test func `a damaged export is refused whole`() async throws {
    let path = try await store()
    let file = folder.path("e.jsonl")
    #expect(await InProcess.run(["store", "export", file, "--store", path]).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let damaged = [
      String(text.prefix(text.count / 2)), text.replacing("Inhaler", with: "Inhalex"), text + text,
      text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text,
    ]
    for (index, text) in damaged.enumerated() {
      let other = folder.path("\(index).sqlite")
      let export = try folder.write(text, to: "\(index).jsonl")
      let refused = await InProcess.run(["store", "import", export, "--store", other])
      #expect(refused.status == 1, "\(index): \(refused.output)")
      #expect(refused.error.contains("Nothing of it was merged."), "\(refused.error)")
      let tasks = await InProcess.run(["tasks", "--json", "--store", other])
      #expect(tasks.objects.isEmpty)
    }
  }
}
