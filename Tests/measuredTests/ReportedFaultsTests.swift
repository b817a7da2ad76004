import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Terminal

/// Faults that people have told of, by commands with a clock and on the page of the same store.
@Suite struct ReportedFaultsTests {
  private let folder: TemporaryFolder
  private let path: String
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: anna, name: {given: Anna}}]
    tasks:
      - {id: med, title: Med, schedule: [{start: 2026-03-01T08:30, interval: {days: 1}, duration: 1h}, {start: 2026-03-01T12:30, interval: {days: 1}, duration: 1h}]}
      - {id: hebrew, title: "קח 2 כדורים (500 מ״ג)", schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: bp, title: Pressure, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}], thresholds: [{kind: systolic, atLeast: 140, says: high}, {kind: systolic, atLeast: 180, says: very high}, {kind: diastolic, atLeast: 105, says: high below}]}
      - {id: mood, title: Mood, kind: assessment, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], survey: [{kind: mood, type: scale, minimum: 1, maximum: 10}], thresholds: [{kind: mood, atMost: 3, says: quite low}]}
      - {id: walk, title: Walk, linkage: {quantity: stepCount}, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 100}]}]}
    """

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    #expect(try await importPlan(Self.plan, at: "2026-02-20T12:00").status == 0)
  }

  private func date(_ text: String) throws -> Date { try #require(Date(text, in: zone)) }

  /// Runs a command at a local time.
  private func run(_ now: String, _ arguments: [String]) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + ["--store", path], now: try date(now))
  }

  private func importPlan(
    _ text: String, at now: String
  ) async throws -> MeasuredProcess.Result {
    try await run(now, ["plan", "import", try folder.write(text, to: "plan.yaml")])
  }

  /// A page or an answer of the interface at a local time.
  private func site(_ now: String) throws -> ReportedDaysTests.Site {
    try ReportedDaysTests.Site(
      try SQLStore.open(path: path, makeUUID: { UUID() }), now: try date(now))
  }

  private func starts(_ from: String, _ to: String, at now: String) async throws -> [String] {
    try await run(now, ["events", "--from", from, "--to", to, "--task", "med", "--json"])
      .objects.compactMap { ($0["start"] as? String)?.prefix(16).description }
  }

  /// In the time of the second dose the first, which was missed, is meant, and the other is named.
  @Test func `the answer to a missed dose names the one that is due`() async throws {
    let done = try await run("2026-03-04T12:40", ["done", "med"])
    #expect(done.lines.first?.hasPrefix("✓ Med, 2026-03-04 08:30: done") == true, "\(done.lines)")
    let command = try #require(
      done.output.firstMatch(of: #/That of .*12:30 is open, too: measured (.*)/#),
      "\(done.output)")
    let second = try await run(
      "2026-03-04T12:41", command.1.split(separator: " ").map(String.init))
    let line = try #require(second.lines.first)
    #expect(line.hasPrefix("✓ Med, 2026-03-04 12:30: done"))
  }

  @Test func `what is of tomorrow is refused with its day`() async throws {
    for answer in [["done", "med"], ["done", "med", "--not"], ["done", "med", "--skip"]] {
      let refused = try await run("2026-03-04T12:40", answer + ["--date", "tomorrow"])
      #expect(refused.status == 3 && refused.error.contains("2026-03-05"), "\(refused.error)")
    }
    let site = try site("2026-03-04T12:40")
    let event = try #require(
      try await site.get("/api/v1/events?date=2026-03-05").list("events").first?["id"])
    let answer = try await site.json(.put, "/api/v1/events/\(event)/outcome", "{}")
    #expect(answer.status == 409, "\(answer.text)")
  }

  /// Ended at noon, brought back, and both taken back: the evening goes, comes, goes and comes.
  @Test func `an end at noon is taken back and put back`() async throws {
    let days = ("2026-03-04", "2026-03-06")
    let both = ["2026-03-04T08:30", "2026-03-04T12:30", "2026-03-05T08:30", "2026-03-05T12:30"]
    for (command, left) in [
      (["task", "end", "med"], 1), (["task", "revive", "med"], 4), (["plan", "undo"], 1),
      (["plan", "undo"], 4),
    ] {
      let result = try await run("2026-03-04T12:00", command)
      #expect(result.status == 0, "\(command): \(result.error)")
      #expect(
        try await starts(days.0, days.1, at: "2026-03-04T12:01") == Array(both.prefix(left)),
        "\(command)")
    }
  }

  @Test func `a renamed person has the tasks of an older plan`() async throws {
    #expect(try await run("2026-03-04T08:40", ["done", "med"]).status == 0)
    let renamed = try await run("2026-03-04T12:00", ["patient", "rename", "anna", "anni"])
    #expect(renamed.status == 0, "\(renamed.error)")
    let again = try await importPlan(Self.plan, at: "2026-03-04T12:10")
    #expect(again.status == 0, "\(again.error)")
    let people = try await run("2026-03-04T12:20", ["patient", "list", "--json"]).objects
    #expect(people.map { $0["id"] as? String } == ["anni"])
    let events = try await run(
      "2026-03-04T12:20",
      ["events", "--from", "2026-03-04", "--to", "2026-03-05", "--task", "med", "--json"]
    ).objects
    #expect(events.map { $0["patient"] as? String } == ["anni", "anni"])
    #expect(events.map { $0["completed"] as? Bool } == [true, false])
  }

  /// A table is opened by programs that calculate.
  @Test(arguments: ["=HYPERLINK(\"http://evil\",\"x\")", "@SUM(1)", "-1+2", "+A1", "\t=1"])
  func `a reason is no formula of a table`(reason: String) async throws {
    let now = "2026-03-04T12:00"
    let done = try await run(now, ["done", "bp", "--value", "120/80"])
    #expect(done.status == 0, "\(done.error)")
    let deleted = try await run(
      now, ["samples", "correct", "1", "--value", "121", "--unit", "mmHg", "--reason=\(reason)"])
    #expect(deleted.status == 0, "\(deleted.error)")
    let table = try await run(now, ["samples", "--csv"])
    let cells = table.lines.flatMap { $0.components(separatedBy: ",") }
    let text = reason.trimmingCharacters(in: .whitespaces)
    #expect(table.output.contains(text.prefix(4)), "\(table.output)")
    #expect(
      !cells.contains { cell in
        let content = cell.drop { $0 == "\"" }
        return content.hasPrefix(text.prefix(4)) || content.hasPrefix(reason.prefix(4))
      }, "\(table.output)")
  }

  /// A rule, a reminder and a goal that nothing can reach are refused with what to write.
  @Test(
    arguments: [
      ("duration: 1h}, {", "duration: 1h}], reminder: {after: 2h}}", "the event is over by then"),
      ("duration: 1h}, {", "duration: 0s}], reminder: {after: 10m}}", "the event is over by then"),
      (
        "duration: 1h}, {",
        "duration: 1h}], rules: [{after: 3, of: range, atLeast: 90, unit: deg, message: Well}]}",
        "the task has no value ‘range’"
      ),
      ("duration: 1h}, {", "duration: 1h, targets: [{value: \"10,5\", unit: kg}]}]}", "write 10.5"),
      ("duration: 1h}, {", "duration: 1h, targets: [{value: 1_000}]}]}", "write 1000"),
    ])
  func `what can never be is said before it is in the plan`(
    old: String, new: String, says: String
  ) async throws {
    let line = try #require(Self.plan.split(separator: "\n").first { $0.contains("id: med") })
    let task = try #require(line.firstRange(of: old)).lowerBound
    let text = Self.plan.replacing(line, with: line[..<task] + new)
    let file = try folder.write(text, to: "never.yaml")
    for command in [["plan", "validate", file], ["plan", "import", file, "--store", path]] {
      let refused = await InProcess.run(command)
      #expect(refused.status != 0)
      #expect((refused.output + refused.error).contains(says), "\(refused.output + refused.error)")
    }
  }

  /// Every limit that holds is on the page, the severest first, also of an answer.
  @Test func `every limit that holds is on the page`() async throws {
    let now = "2026-03-04T12:00"
    for answer in [["bp", "--value", "200/110"], ["mood", "--value", "2"]] {
      let done = try await run(now, ["done"] + answer)
      #expect(done.status == 0, "\(done.error)")
    }
    let page = try await site(now).get("/today").text
    #expect(page.contains("very high, high, high below"))
    #expect(page.contains("quite low"))
    let events = try await site(now).get("/api/v1/events?date=2026-03-04").list("events")
    let held = events.flatMap { $0["thresholds"] as? [[String: Any]] ?? [] }
    #expect(
      held.compactMap { $0["says"] as? String } == [
        "very high", "high", "high below", "quite low",
      ])
  }

  @Test func `a result that is final stays for every face`() async throws {
    let now = "2026-03-04T12:00"
    let site = try site(now)
    let event = try #require(
      try await site.get("/api/v1/events?date=2026-03-04").list("events").first {
        $0["task"] as? String == "mood"
      }?["id"] as? String)
    let body = #"{"values":[{"kind":"mood","value":4}]}"#
    #expect(try await site.json(.put, "/api/v1/events/\(event)/outcome", body).status == 200)
    let other = body.replacing("4", with: "5")
    #expect(try await site.json(.put, "/api/v1/events/\(event)/outcome", other).status == 409)
    #expect(try await site.json(.delete, "/api/v1/events/\(event)/outcome", "").status == 409)
    let form = try await site.form("/events/\(event)/undo", "")
    #expect(form.headers[.location]?.contains("notice=refused") == true)
    #expect(try await run(now, ["undo", "mood"]).status == 3)
  }

  /// Brackets stay where a title in Hebrew has them, and no letter turns the line around.
  @Test func `a title has its own direction`() async throws {
    let turned = Self.plan.replacing("title: Pressure", with: "title: \"Pres\u{202E}sure\"")
    #expect(try await importPlan(turned, at: "2026-03-01T00:30").status == 0)
    for address in ["/today", "/setup"] {
      let page = try await site("2026-03-04T12:00").get(address).text
      // A letter that turns the others around ends with its element, if that has its own direction.
      let titles = page.matches(of: #/<(\w+)([^>]*)>[^<>]*(?:קח 2|\u{202E})[^<]*</#)
      #expect(titles.count >= 2, "\(address)")
      for title in titles
      where !["title", "option"].contains(title.1) && !title.2.contains("unseen") {
        #expect(
          title.1 == "bdi" || title.2.contains("dir=\"auto\""), "\(address): \(title.0)")
      }
    }
    let day = try await run("2026-03-04T12:00", ["today"])
    #expect(!day.output.contains("\u{202E}"))
  }

  /// Two sensors on one body are one walk wherever it is added up for people.
  @Test func `two sensors are one walk on every page`() async throws {
    let start = try date("2026-03-03T23:59")
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    try await store.write { writer in
      for (place, counts) in [("trunk", [103.0, 21]), ("left-wrist", [99, 19])] {
        for (minute, count) in counts.enumerated() {
          let time = start + Double(minute) * 60
          let reading = Reading(
            quantity: .stepCount, value: count, arrival: time + 60,
            device: DeviceIdentity(address: DeviceID(place)), isStreamed: true)
          _ = try writer.insert(
            Sample(
              reading: reading, patient: "anna", start: time, end: time + 60,
              provenance: .passive))
        }
      }
    }
    let site = try site("2026-03-04T12:00")
    for (address, says) in [
      ("/measurements", "124"), ("/measurements/stepCount?span=week", "103"),
      ("/report?from=2026-03-01&to=2026-03-05", "103"),
    ] {
      let page = try await site.get(address)
      #expect(page.status == 200)
      let text = page.text.replacing(#/<[^>]*>/#, with: " ").replacing("\u{A0}", with: " ")
      let numbers = Set(text.matches(of: #/\d[\d.,]*/#).map { String($0.0) })
      // 103 and 99, 21 and 19, both and all.
      #expect(numbers.isDisjoint(with: ["202", "40", "242"]), "\(address): \(numbers.sorted())")
      #expect(numbers.contains(says) || numbers.contains("21"), "\(address): \(numbers.sorted())")
    }
  }

  /// Her eight o'clock is eight o'clock on her page, whatever the plan's zone is.
  @Test func `a persons page is in the persons zone`() async throws {
    let abroad = """
      timeZone: America/Los_Angeles
      patients: [{id: ann, timeZone: Asia/Tokyo}]
      tasks:
        - {id: pills, patient: ann, title: Pills, schedule: [{start: 2026-03-02T08:00, interval: {days: 1}, duration: 1h}]}
      """
    let path = folder.path("tokyo.sqlite")
    try await PreparedStore(plan: abroad).copy(to: path)
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    // Half past eight in the morning of the 22nd in Tokyo.
    let now = try #require(Date(rfc3339: "2026-03-21T23:30:00Z"))
    let page = try await ReportedDaysTests.Site(store, now: now).get("/today").text
    #expect(page.contains("08:00") && !page.contains("16:00"))
    let events = try await ReportedDaysTests.Site(store, now: now).get("/api/v1/events")
      .list("events")
    #expect(events.map { $0["start"] as? String } == ["2026-03-22T08:00:00+09:00"])
  }
}
