import Care
import CareStore
import DeviceCatalog
import Foundation
import HTTPTypes
import Localization
import Testing
import Web
import WebTestSupport

@testable import Terminal

/// Days that went wrong in other programs, as people have told, by commands and requests at a time.
@Suite struct ReportedDaysTests {
  private let folder: TemporaryFolder
  private let path: String
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  /// The page and the interface of a store at a time.
  struct Site: RespondingSite {
    let responder: TestResponder

    init(_ store: SQLStore, now: Date) throws {
      let catalog = try DeviceCatalog.readable(folder: nil).catalog
      responder = try TestResponder(
        WebEnvironment(store: store, catalog: catalog, now: { now }), hosts: ["localhost"],
        access: nil)
    }
  }

  /// Runs a command at a local time.
  private func run(
    _ now: String, in zone: TimeZone? = nil, _ arguments: String...
  ) async throws -> MeasuredProcess.Result {
    let date = try #require(Date(now, in: zone ?? self.zone))
    let result = await InProcess.run(arguments + ["--store", path], now: date)
    #expect(result.status == 0, "\(arguments): \(result.error)")
    return result
  }

  private func importPlan(
    _ times: [String], zone name: String = "Europe/Berlin", at now: String,
    in zone: TimeZone? = nil
  ) async throws {
    let elements = times.map { "{start: 2026-03-01T\($0), interval: {days: 1}, duration: 1h}" }
    let file = try folder.write(
      """
      timeZone: \(name)
      patients: [{id: ann}]
      tasks:
        - {id: pills, title: Pills, schedule: [\(elements.joined(separator: ", "))]}
      """, to: "plan.yaml")
    _ = try await run(now, in: zone, "plan", "import", file)
  }

  /// The starts of the events that begin in a span, each with the mark of its day at that time.
  private func events(
    from: String, to: String, at now: String, in zone: TimeZone? = nil
  ) async throws -> [String] {
    let found = try await run(
      now, in: zone, "events", "--from", from, "--to", to, "--task", "pills", "--json")
    return found.objects.map { event in
      "\((event["start"] as? String ?? "").dropFirst(8).prefix(8)) \(event["completed"] as? Bool == true)"
    }
  }

  private func day(_ date: String, at now: String, in zone: TimeZone? = nil) async throws
    -> [String]
  {
    try await run(now, in: zone, "today", "--date", date).lines.filter { $0.contains("Pills") }
  }

  /// A dose that was taken at eight stays taken, and no day turns into a missed one.
  @Test func `another time of intake changes no past`() async throws {
    try await importPlan(["08:00"], at: "2026-02-01T00:00")
    for day in ["02", "03", "04"] {
      _ = try await run("2026-03-\(day)T08:05", "done", "pills")
    }
    try await importPlan(["10:00"], at: "2026-03-04T12:00")
    let days = try await events(from: "2026-03-02", to: "2026-03-06", at: "2026-03-05T09:00")
    #expect(days == ["02T08:00 true", "03T08:00 true", "04T08:00 true", "05T10:00 false"])
    let past = try await day("2026-03-04", at: "2026-03-05T09:00")
    #expect(past == ["  ✓ 08:00    Pills: done  [pills]"])
    let today = try await day("today", at: "2026-03-05T09:00")
    #expect(today == ["  ○ 10:00    Pills  [pills]"])
  }

  /// Moved from four to ten to six at two o'clock: one event that day, and one after it.
  @Test func `a dose that is moved at noon is there once`() async throws {
    try await importPlan(["16:00"], at: "2026-02-01T00:00")
    try await importPlan(["17:50"], at: "2026-03-02T14:00")
    let days = try await events(from: "2026-03-02", to: "2026-03-04", at: "2026-03-02T14:01")
    #expect(days == ["02T17:50 false", "03T17:50 false"])
  }

  /// An import says from when a change counts, in the person's language.
  @Test(
    arguments: [
      // Nothing was taken yet.
      (nil, "2026-03-02T07:30", "it counts from 2026-03-02 on", "自 2026-03-02 起生效"),
      (
        "2026-03-02T08:05", "2026-03-02T09:30",
        "today stays as it is, and the change begins on 2026-03-03",
        "今天維持不變，更改自 2026-03-03 起生效"
      ),
    ] as [(String?, String, String, String)])
  func `an import says from when a change counts`(
    taken: String?, now: String, english: String, chinese: String
  ) async throws {
    try await importPlan(["08:00"], at: "2026-02-01T00:00")
    if let taken { _ = try await run(taken, "done", "pills") }
    let plan = try String(contentsOfFile: folder.path("plan.yaml"), encoding: .utf8)
    let file = try folder.write(plan.replacing("08:00", with: "10:00"), to: "later.yaml")
    let dry = try await run(now, "plan", "import", file, "--dry-run")
    #expect(dry.lines.first { $0.hasPrefix("task pills") }?.hasSuffix("; " + english) == true)
    let words = try #require(LanguageCatalogue.embedded.language("zh-Hant"))
    let imported = try await Console.$language.withValue(words) {
      try await run(now, "plan", "import", file)
    }
    #expect(imported.output.contains("；" + chinese + "\n"), "\(imported.output)")
    let again = try await run(now, "plan", "import", file)
    #expect(!again.output.contains("counts from") && !again.output.contains("begins on"))
  }

  /// From Los Angeles to Tokyo in the evening.
  @Test func `another zone repeats no dose and keeps what was taken`() async throws {
    let angeles = try #require(TimeZone(identifier: "America/Los_Angeles"))
    try await importPlan(
      ["08:00"], zone: angeles.identifier, at: "2026-02-01T00:00", in: angeles)
    _ = try await run("2026-03-04T08:05", in: angeles, "done", "pills")
    try await importPlan(["08:00"], zone: "Asia/Tokyo", at: "2026-03-04T20:00", in: angeles)
    // 8 o'clock in Los Angeles is one in the morning of the 5th in Tokyo.
    let days = try await events(
      from: "2026-03-05", to: "2026-03-08", at: "2026-03-04T20:01", in: angeles)
    #expect(days == ["04T08:00 true", "06T08:00 false", "07T08:00 false"])
    let today = try await day("today", at: "2026-03-04T20:01", in: angeles)
    #expect(today == ["  ✓ 01:00    Pills: done  [pills]"])
  }

  /// Skipped first, taken after all: the time is that of taking it.
  @Test func `who takes a skipped dose takes it then`() async throws {
    try await importPlan(["08:00"], at: "2026-02-01T00:00")
    _ = try await run("2026-03-02T08:10", "done", "pills", "--skip", "--reason", "sick")
    _ = try await run("2026-03-02T08:40", "done", "pills", "--occurrence", "1")
    let event = try #require(
      try await run("2026-03-02T09:00", "today", "--json").objects.first)
    let answer = try #require(event["answer"] as? [String: Any])
    #expect(answer["state"] as? String == "done" && answer["reason"] as? String == nil)
    #expect(answer["at"] as? String == "2026-03-02T08:40:00+01:00")
  }

  /// Six telephones press at once.
  @Test func `answers at one time are one outcome of the first time`() async throws {
    try await importPlan(["08:00"], at: "2026-02-01T00:00")
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    let start = try #require(Date("2026-03-02T08:00", in: zone))
    let id = try #require(
      try await Site(store, now: start).get("/api/v1/events").list("events").first?["id"]
        as? String)
    let states = try await withThrowingTaskGroup(of: Int.self) { group in
      for second in 0..<6 {
        group.addTask {
          try await Site(store, now: start + 60 + Double(second))
            .json(.put, "/api/v1/events/\(id)/outcome", #"{"state": "done"}"#).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(states.allSatisfy { (200...201).contains($0) }, "\(states)")
    let found = try await Site(store, now: start + 120).get("/api/v1/events").list("events")
    #expect(found.count == 1)
    let answer = try #require(found.first?["answer"] as? [String: Any])
    // Whichever came first holds; no later one moved it.
    let answered = try await store.read { reader in
      let events = try reader.events(patient: "ann", task: "pills", from: start, to: start + 1)
      return try reader.answers(of: try #require(events.first).key).count
    }
    #expect(answered == 1)
    #expect((answer["at"] as? String)?.hasPrefix("2026-03-02T08:01:0") == true)
  }

  /// Taken early, the day is done; what is yet to come is no part of the share at noon.
  @Test(arguments: [("12:00", 1.0), ("21:30", 0.5)])
  func `the share of a day is of what was due by then`(now: String, share: Double) async throws {
    try await importPlan(["08:00", "20:00"], at: "2026-02-01T00:00")
    _ = try await run("2026-03-02T08:05", "done", "pills")
    let days = try await run(
      "2026-03-02T\(now)", "adherence", "--from", "2026-03-02", "--to", "2026-03-03", "--json")
    #expect(days.objects.map { $0["fraction"] as? Double } == [share])
  }
}
