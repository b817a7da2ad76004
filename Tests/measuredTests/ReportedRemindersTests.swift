import Agenda
import Care
import CareStore
import Foundation
import Logging
import Testing
import WebTestSupport

@testable import Terminal

/// Reminders that came twice, not at all or at another time in other programs, and when they must
/// come.
@Suite struct ReportedRemindersTests {
  /// The events meanwhile.
  enum Deed: Sendable {
    /// A dose is answered at a moment of its event.
    case answer(String, Answer.State = .done, event: String)
    /// The plan is replaced.
    case plan(String, tasks: String)
    /// The program starts anew, with a clock that shows this.
    case restart(String)

    var time: String {
      switch self {
      case .answer(let time, _, _), .plan(let time, _), .restart(let time): time
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var tasks: String
    var from: String
    var to: String
    var deeds: [Deed] = []
    /// When something came, on the person's clock.
    var fired: [String]
    var testDescription: String { name }
  }

  private static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private static func dose(_ schedule: String, _ reminder: String) -> String {
    "  - {id: pill, title: Pill, schedule: [{\(schedule), interval: {days: 1}}], reminder: \(reminder)}"
  }

  private static let cases = [
    Case(
      name: "in the hour that the clocks skip",
      tasks: dose("start: 2026-03-28T02:30, duration: 2h", "{before: 15m}"),
      from: "2026-03-28T00:00", to: "2026-03-30T12:00",
      fired: ["28 02:15", "29 03:15", "30 02:15"]),
    Case(
      name: "in the hour that the clocks repeat",
      tasks: dose("start: 2026-10-24T02:30, duration: 30m", "{before: 15m}"),
      from: "2026-10-24T00:00", to: "2026-10-26T12:00",
      fired: ["24 02:15", "25 02:15", "26 02:15"]),
    Case(
      name: "eight hours into the day on which the clocks are set forward",
      tasks: dose("start: 2026-03-28, duration: allDay", "{after: 8h}"),
      from: "2026-03-28T00:00", to: "2026-03-31T00:00",
      fired: ["28 08:00", "29 08:00", "30 08:00"]),
    Case(
      name: "eight hours into the day on which the clocks are set back",
      tasks: dose("start: 2026-10-24, duration: allDay", "{after: 8h}"),
      from: "2026-10-24T00:00", to: "2026-10-27T00:00",
      fired: ["24 08:00", "25 08:00", "26 08:00"]),
    Case(
      name: "before an event just after midnight",
      tasks: dose("start: 2026-03-03T00:05, duration: 1h", "{before: 15m}"),
      from: "2026-03-02T12:00", to: "2026-03-03T12:00", fired: ["2 23:50"]),
    Case(
      name: "two hours before a day",
      tasks: dose("start: 2026-03-03, duration: allDay", "{before: 2h}"),
      from: "2026-03-02T12:00", to: "2026-03-03T12:00", fired: ["2 22:00"]),
    Case(
      name: "a dose that was taken before its time",
      tasks: dose("start: 2026-03-02T09:00, duration: 1h", "{before: 15m}"),
      from: "2026-03-02T06:00", to: "2026-03-03T12:00",
      deeds: [.answer("2026-03-02T08:00", event: "2026-03-02T09:00")], fired: ["3 08:45"]),
    Case(
      name: "a dose that is not taken, and it was said",
      tasks: dose(
        "start: 2026-03-02T09:00, duration: 1h", "{before: 15m, every: 15m, times: 3}"),
      from: "2026-03-02T06:00", to: "2026-03-02T12:00",
      deeds: [.answer("2026-03-02T08:50", .notDone, event: "2026-03-02T09:00")],
      fired: ["2 08:45"]),
    Case(
      name: "a dose of the afternoon is moved at noon",
      tasks: dose("start: 2026-03-01T16:00, duration: 1h", "{before: 15m}"),
      from: "2026-03-02T06:00", to: "2026-03-03T23:00",
      deeds: [
        .plan(
          "2026-03-02T14:00",
          tasks: dose("start: 2026-03-01T17:50, duration: 1h", "{before: 15m}"))
      ], fired: ["2 17:35", "3 17:35"]),
    Case(
      name: "a restart with a clock that was set back an hour",
      tasks: dose("start: 2026-03-02T09:00, duration: 1h", "{before: 15m}"),
      from: "2026-03-02T06:00", to: "2026-03-02T12:00",
      deeds: [.restart("2026-03-02T08:50"), .restart("2026-03-02T07:50")], fired: ["2 08:45"]),
  ]

  private static func date(_ text: String) -> Date { Date(text, in: zone) ?? .distantPast }

  private static func text(_ tasks: String) -> String {
    "timeZone: Europe/Berlin\npatients: [{id: john}]\ntasks:\n\(tasks)\n"
  }

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  private func run(_ now: Date, _ arguments: String...) async throws {
    let result = await InProcess.run(arguments + ["--store", path], now: now)
    #expect(result.status == 0, "\(arguments): \(result.error)")
  }

  private func importPlan(_ tasks: String, at now: Date) async throws {
    try await run(now, "plan", "import", try folder.write(Self.text(tasks), to: "plan.yaml"))
  }

  /// The reminders come as the service looks, answers are given by commands, and what came is asked
  /// of the interface.
  @Test(arguments: cases)
  func `each comes once at its time`(example: Case) async throws {
    try await importPlan(example.tasks, at: Self.date("2026-03-01") - 7 * 86_400)
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    var now = Self.date(example.from)
    let end = Self.date(example.to)
    var deeds = example.deeds[...]
    while now < end {
      await AgendaService(store: store, logger: Logger(label: "test"), now: { [now] in now }).look()
      let wakeAt = try await store.read { [now] in try Agenda.look($0, now: now).wakeAt }
      guard let deed = deeds.first, Self.date(deed.time) <= wakeAt else {
        now = wakeAt
        continue
      }
      deeds.removeFirst()
      now = Self.date(deed.time)
      switch deed {
      case .restart: break
      case .plan(_, let tasks): try await importPlan(tasks, at: now)
      case .answer(_, let state, let start):
        let flags = state == .done ? [] : ["--not"]
        let day = String(start.prefix(10))
        let answered = await InProcess.run(
          ["done", "pill", "--date", day] + flags + ["--store", path], now: now)
        #expect(answered.status == 0, "\(answered.error)")
      }
    }
    let site = try ReportedDaysTests.Site(store, now: end)
    let due = try await site.get("/api/v1/firings").list("firings").compactMap {
      $0["due"] as? String
    }
    let fired = due.sorted().map {
      "\(Int($0.dropFirst(8).prefix(2)) ?? 0) \($0.dropFirst(11).prefix(5))"
    }
    #expect(fired == example.fired)
  }
}
