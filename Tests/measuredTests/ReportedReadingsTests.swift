import Agenda
import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Terminal

/// Readings, rules and entries that went wrong in other programs, as people have told, by commands and
/// requests at a time.
@Suite struct ReportedReadingsTests {
  private let folder: TemporaryFolder
  private let path: String
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  private static let head = """
    timeZone: Europe/Berlin
    patients: [{id: ann, expects: {bodyMass: 72 kg}}]
    tasks:

    """
  private static let weigh =
    "  - {id: weigh, title: Weigh, linkage: {quantity: bodyMass}, schedule: "
    + "[{start: 2026-03-01, interval: {days: 1}, duration: allDay}]"

  private func date(_ text: String) throws -> Date { try #require(Date(text, in: zone)) }

  private func run(_ now: String, _ arguments: [String]) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + ["--store", path], now: try date(now))
  }

  private func importPlan(_ tasks: String, at now: String) async throws {
    let file = try folder.write(Self.head + tasks + "\n", to: "plan.yaml")
    let imported = try await run(now, ["plan", "import", file])
    try #require(imported.status == 0, "\(imported.error)")
  }

  private func site(_ now: String) throws -> ReportedDaysTests.Site {
    try ReportedDaysTests.Site(
      try SQLStore.open(path: path, makeUUID: { UUID() }), now: try date(now))
  }

  // MARK: A scale's clock

  /// A broadcast of a weighing of 72.3 kg, with what the scale's clock shows.
  private static func broadcast(_ t: Int, clock: String) -> String {
    let parts = clock.split { "-T:".contains($0) }.compactMap { Int($0) }
    func hex(_ numbers: [Int]) -> String {
      numbers.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let time = [parts[0] & 0xFF, parts[0] >> 8] + parts[1...]
    // Stable, without impedance; 14 460 × 5 g.
    return Recordings.miScale(Double(t), "0224" + hex(time) + "fdff" + hex([0x7C, 0x38]))
  }

  private func replay(_ lines: [String], from start: String) async throws {
    let header = #"{"measured-trace":1,"start":"\#(start)","adapter":"hci0"}"#
    let file = try folder.write(([header] + lines).joined(separator: "\n"), to: "trace.jsonl")
    let played = await InProcess.run(["replay", file, "--store", path])
    try #require(played.status == 0, "\(played.error)")
  }

  /// Ten minutes ahead and more, or some behind, the arrival counts; what the clock showed is kept.
  @Test(arguments: [
    "2026-03-09T06:10:00", "2026-03-08T07:10:00", "2016-03-09T07:10:00", "2026-03-09T07:20:00",
    "2026-03-09T16:10:00",
  ])
  func `of a scale whose clock is wrong the arrival counts`(clock: String) async throws {
    try await importPlan(Self.weigh + "}", at: "2026-03-01T00:00")
    try await replay([Self.broadcast(0, clock: clock)], from: "2026-03-09T07:10:00+01:00")
    let samples = try await run("2026-03-09T08:00", ["samples", "--json"]).objects
    #expect(samples.map { $0["value"] as? Double } == [72.3])
    #expect(samples.map { $0["time"] as? String } == ["2026-03-09T07:10:00+01:00"])
    #expect(samples.map { $0["clock"] as? String } == ["untrusted"])
    #expect(samples.map { $0["deviceTime"] as? String } == [clock])
    #expect(samples.map { ($0["raw"] as? String)?.isEmpty } == [false])
    let site = try site("2026-03-09T08:00")
    let listed = try await site.get("/api/v1/samples").list("samples")
    #expect(listed.map { $0["deviceTime"] as? String } == [clock])
    let day = try await site.get("/api/v1/events?date=2026-03-09").list("events")
    #expect(day.map { $0["completed"] as? Bool } == [true])
    let card = try await site.get("/measurements").text
    #expect(card.contains("07:10 by itself"))
  }

  /// The scale repeats its last weighing for minutes.
  @Test(arguments: [0, 3, 20, 31, 600])
  func `a weighing that is sent again is one`(seconds: Int) async throws {
    try await importPlan(Self.weigh + "}", at: "2026-03-01T00:00")
    let sent = [0, seconds].map { Self.broadcast($0, clock: "2026-03-09T07:09:58") }
    try await replay(sent, from: "2026-03-09T07:10:00+01:00")
    try await replay(sent, from: "2026-03-09T07:10:00+01:00")
    let samples = try await run("2026-03-09T08:00", ["samples", "--json"]).objects
    #expect(samples.map { $0["time"] as? String } == ["2026-03-09T07:09:58+01:00"])
    let events = try await site("2026-03-09T08:00").get("/api/v1/events?date=2026-03-09")
      .list("events")
    #expect(events.compactMap { ($0["values"] as? [Any])?.count } == [1])
  }

  // MARK: Rules

  private func act(_ now: String) async throws -> [Firing] {
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    let now = try date(now)
    return try await store.write { try Agenda.run($0, now: now) }.map(\.firing)
  }

  private func weigh(_ value: String, on day: String, at now: String) async throws {
    let done = try await run(now, ["done", "weigh", "--value", value, "--date", day])
    #expect(done.status == 0, "\(done.error)")
  }

  /// A day without a weight is silent, its late value speaks, also where the clocks change between.
  @Test func `a rise within a day is that of two days in a row`() async throws {
    try await importPlan(
      Self.weigh + ", rules: [{rises: 2, within: 1d, message: Call the practice.}]}",
      at: "2026-03-01T00:00")
    try await weigh("80", on: "2026-03-28", at: "2026-03-28T08:00")
    try await weigh("83", on: "2026-03-30", at: "2026-03-30T08:00")
    #expect(try await act("2026-03-30T08:01").isEmpty)
    try await weigh("80.5", on: "2026-03-29", at: "2026-03-30T09:00")
    let fired = try await act("2026-03-30T09:01")
    #expect(fired.map { $0.results.map(\.value) } == [[80.5, 83]])
    #expect(try await act("2026-03-30T20:00").isEmpty)
    let listed = try await run("2026-03-30T20:00", ["plan", "rules", "--json"])
    #expect(listed.output.contains("Call the practice."))
    let firings = try await site("2026-03-30T20:00").get("/api/v1/firings").list("firings")
    #expect(firings.count == 1, "\(firings)")
  }

  /// A result counts for one step, the last step is as high as it may be, and an older file of the plan
  /// takes no step back.
  @Test func `a goal goes up by steps to its limit`() async throws {
    let task =
      "  - {id: knee, title: Bend, activeTask: {type: rangeOfMotion, joint: knee, side: left}, "
      + "schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: "
      + "[{value: 10, unit: deg, kind: range}]}], "
      + "rules: [{after: 2, of: range, atLeast: 10, then: {by: 5, atMost: 20}}]}"
    try await importPlan(task, at: "2026-03-01T00:00")
    var steps: [Int: Double] = [:]
    for day in 1...9 {
      let now = "2026-03-0\(day)T08:00"
      let done = try await run(now, ["done", "knee", "--value", "30", "--kind", "range"])
      #expect(done.status == 0, "\(done.error)")
      for firing in try await act(now) { steps[day] = firing.target?.to }
    }
    #expect(steps == [2: 15, 4: 20])
    try await importPlan(task, at: "2026-03-09T09:00")
    let events = try await site("2026-03-10T08:00").get(
      "/api/v1/events?from=2026-03-01&to=2026-03-11"
    ).list("events")
    let goals = events.compactMap {
      ($0["targets"] as? [[String: Any]])?.first?["value"] as? Double
    }
    #expect(goals == [10, 10, 15, 15, 20, 20, 20, 20, 20, 20])
    let rules = try await run("2026-03-10T08:00", ["plan", "rules"])
    #expect(rules.lines.count == 3, "\(rules.output)")
  }

  // MARK: Entries

  private static let survey =
    "  - {id: check, title: Check, kind: assessment, schedule: "
    + "[{start: 2026-03-01, interval: {days: 1}, duration: allDay}], survey: ["
    + "{kind: mood, type: choice, choices: [good, bad]}, {kind: woke, type: time, optional: true}, "
    + "{kind: since, type: date, optional: true}]}"

  @Test(arguments: [
    (#"{"values":"5"}"#, ["--value", "heavy"]), (#"{"state":5}"#, ["--value", "true,false"]),
    (#"{"values":[{"value":1e400}]}"#, ["--value", "1e400"]),
    (#"{"values":[{"value":70,"unit":7}]}"#, ["--value", "70", "--unit", "7"]),
    (#"{"at":"2026-03-10T08:00"}"#, ["--at", "2026-03-10T08:00"]),
    (#"{"at":"2026-02-30T08:00"}"#, ["--at", "2026-02-30T08:00"]),
    (#"{"reasons":"sick"}"#, ["--reasons", "sick"]),
  ])
  func `what is no answer changes nothing, with a reason`(
    body: String, flags: [String]
  ) async throws {
    let now = "2026-03-09T08:00"
    try await importPlan(Self.weigh + "}", at: "2026-03-01T00:00")
    let command = try await run(now, ["done", "weigh"] + flags)
    #expect([2, 3].contains(command.status), "\(command.output)")
    #expect(!command.error.isEmpty)
    let site = try site(now)
    let day = "/api/v1/events?date=2026-03-09"
    let id = try #require(try await site.get(day).list("events").first?["id"] as? String)
    let answer = try await site.json(.put, "/api/v1/events/\(id)/outcome", body)
    #expect([400, 409].contains(answer.status), "\(answer.status) \(answer.text)")
    #expect((try answer.object["detail"] as? String)?.isEmpty == false)
    #expect(try await site.get(day).list("events").first?["completed"] as? Bool == false)
    #expect(try await site.get("/api/v1/samples").list("samples").isEmpty)
  }

  @Test func `no calendar's day and no occurrence is refused`() async throws {
    let now = "2026-03-09T08:00"
    try await importPlan(Self.weigh + "}", at: "2026-03-01T00:00")
    let site = try site(now)
    #expect(try await site.get("/api/v1/events?date=2026-02-30").status == 400)
    #expect(try await run(now, ["today", "--date", "2026-02-30"]).status == 2)
    let id = try #require(
      try await site.get("/api/v1/events").list("events").first?["id"] as? String)
    let far = id.prefix { $0 != "_" } + "_99999999"
    // Endless schedules have it, in a future that cannot be answered.
    let answer = try await site.json(.put, "/api/v1/events/\(far)/outcome", "{}")
    #expect([404, 409].contains(answer.status), "\(answer.text)")
    #expect(try await run(now, ["done", "weigh", "--occurrence", "9999"]).status == 4)
  }

  @Test(arguments: [
    ("mud", "good", "mood"), ("mood", "great", "good"), ("woke", "25:00", "woke"),
    ("since", "2026-02-30", "since"),
  ])
  func `an answer that the survey does not have is refused`(
    kind: String, value: String, names: String
  ) async throws {
    let now = "2026-03-09T08:00"
    try await importPlan(Self.survey, at: "2026-03-01T00:00")
    let first = kind == "mood" ? [] : ["--value", "good", "--kind", "mood"]
    let command = try await run(
      now, ["done", "check"] + first + ["--value", value, "--kind", kind])
    #expect(command.status == 3 && command.error.contains(names), "\(command.error)")
    let site = try site(now)
    let id = try #require(
      try await site.get("/api/v1/events").list("events").first?["id"] as? String)
    let mood = kind == "mood" ? "" : #"{"kind":"mood","value":"good"},"#
    let answer = try await site.json(
      .put, "/api/v1/events/\(id)/outcome",
      #"{"values":[\#(mood){"kind":"\#(kind)","value":"\#(value)"}]}"#)
    #expect(answer.status == 409 && answer.text.contains(names), "\(answer.text)")
    #expect(
      try await site.get("/api/v1/events").list("events").first?["completed"] as? Bool == false)
  }

  // MARK: Texts

  /// Nothing that a person writes becomes markup, a template, a statement, or breaks a page.
  @Test(arguments: [
    "<script>alert(1)</script>", "{{page}}{{{title}}}", "'); DROP TABLE event; --",
    String(repeating: "a", count: 5000), "🙂👩‍👩‍👧", "مرحبا (1)", "קח 2 כדורים (500 מ״ג)",
  ])
  func `a text is a text on every page`(text: String) async throws {
    let now = "2026-03-09T08:00"
    let quoted = text.replacing("'", with: "''")
    try await importPlan(
      "  - {id: t, title: '\(quoted)', instructions: '\(quoted)', schedule: "
        + "[{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}", at: "2026-03-01T00:00")
    let done = try await run(now, ["done", "t", "--not", "--reason", text])
    #expect(done.status == 0, "\(done.error)")
    let site = try site(now)
    let event = try #require(try await site.get("/api/v1/events").list("events").first)
    #expect(event["title"] as? String == text)
    #expect((event["answer"] as? [String: Any])?["reason"] as? String == text)
    let escaped = text.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("'", with: "&#39;").replacing("{{{", with: "{{{")
    let id = try #require(event["id"] as? String)
    for address in ["/today", "/events/\(id)", "/insights", "/report", "/setup", "/connect"] {
      let page = try await site.get(address)
      #expect(page.status == 200, "\(address)")
      #expect(!page.text.contains("<script>alert"), "\(address)")
      if address == "/today" { #expect(page.text.contains(escaped), "\(address)") }
    }
    let day = try await run(now, ["today"])
    #expect(day.status == 0 && day.output.contains(text.prefix(20)))
  }

  // MARK: Many tasks

  /// Two hundred tasks of ten years: a day is all of them, and the years have their days.
  @Test func `two hundred tasks of ten years are counted`() async throws {
    let tasks = (0..<200).map { number in
      "  - {id: t\(number), title: Task \(number), schedule: "
        + "[{start: 2016-01-01, interval: {days: 1}, duration: allDay}]}"
    }
    try await importPlan(tasks.joined(separator: "\n"), at: "2015-12-31T12:00")
    let now = "2026-01-01T12:00"
    let done = try await run(now, ["done", "t7", "--date", "2025-12-31"])
    #expect(done.status == 0, "\(done.error)")
    #expect(try await run(now, ["today", "--json"]).lines.count == 200)
    let site = try site(now)
    #expect(try await site.get("/api/v1/events").list("events").count == 200)
    let months = try await run(
      now,
      [
        "adherence", "--task", "t7", "--by", "month", "--from", "2016-01-01", "--to", "2026-01-01",
        "--json",
      ]
    ).objects
    #expect(months.count == 120)
    #expect(months.compactMap { $0["due"] as? Int }.reduce(0, +) == 3_653)
    #expect(months.compactMap { $0["performed"] as? Int }.reduce(0, +) == 1)
    let all = try await run(
      now, ["adherence", "--by", "month", "--from", "2025-12-01", "--to", "2026-01-01", "--json"]
    ).objects
    #expect(all.compactMap { $0["due"] as? Int }.reduce(0, +) == 200 * 31)
  }
}
