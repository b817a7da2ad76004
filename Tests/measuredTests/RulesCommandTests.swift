import Agenda
import Care
import CareStore
import Foundation
import Logging
import Testing

@testable import Daemon
@testable import Terminal

/// `measured plan rules`, and the service that makes the plan's own actions happen.
@Suite struct RulesCommandTests {
  private let folder: TemporaryFolder
  private let store: SQLStore
  private let path: String

  /// A store with three ranges of the last three days, and a rule.
  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    let first = Date().addingTimeInterval(-3 * 86_400).rfc3339(in: .gmt).prefix(10)
    let file = try folder.write(
      """
      timeZone: UTC
      patients:
        - {id: john}
      tasks:
        - id: knee
          title: Bend the knee
          schedule:
            - {start: \(first), interval: {days: 1}, duration: allDay, targets: [{value: 90, unit: deg, kind: range}]}
          activeTask: {type: rangeOfMotion, joint: knee, side: left}
          rules:
            - {after: 3, of: range, atLeast: 90, then: {by: 10, atMost: 120}, message: Well done.}
      """, to: "plan.yaml")
    let imported = await InProcess.run(["plan", "import", file, "--store", path])
    try #require(imported.status == 0, "\(imported.error)")
    for (occurrence, value) in ["92", "95", "91"].enumerated() {
      let set = await InProcess.run([
        "outcome", "set", "--task", "knee", "--occurrence", "\(occurrence)", "--value", value,
        "--unit", "deg", "--kind", "range", "--store", path,
      ])
      try #require(set.status == 0, "\(set.error)")
    }
    store = try SQLStore.open(path: path, makeUUID: { UUID() })
  }

  private func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(["plan", "rules"] + arguments + ["--store", path])
  }

  @Test
  func `the rules are listed; a rehearsal says what they would have done`() async throws {
    let rules = try await run()
    #expect(rules.status == 0, "\(rules.error)")
    #expect(
      rules.lines == [
        "Bend the knee: 3 in a row of Range of at least 90°: goal up by 10°, to at most 120° and"
          + " message “Well done.”"
      ])
    let rehearsal = try await run("--since", "2020-01-01")
    #expect(rehearsal.status == 0, "\(rehearsal.error)")
    #expect(rehearsal.lines.count == 2)
    #expect(
      rehearsal.lines.first?.contains(
        "Bend the knee: Well done. Range: 92°, 95° and 91°. The target is 100°") == true)
    #expect(rehearsal.lines.last == "Nothing was changed: this is what would have happened.")
    let json = try await run("--since", "2020-01-01", "--json")
    #expect(json.objects.map { $0["kind"] as? String } == ["rule"])
    #expect((json.objects.first?["target"] as? [String: Any])?["to"] as? Double == 100)
    #expect(try await store.read { try $0.firings(FiringQuery()) } == [])
    #expect(
      try await run("--since", "tomorrow").lines.first?.hasPrefix("No rule would have") == true)
  }

  @Test
  func `beside a daemon, rules have acted on an answer as soon as they are asked for`() async throws
  {
    func answer(_ value: String) async throws {
      let arguments = [
        "outcome", "set", "--task", "knee", "--occurrence", "2", "--value", value, "--unit",
        "deg", "--kind", "range", "--store", path,
      ]
      let set = await InProcess.run(arguments)
      try #require(set.status == 0, "\(set.error)")
    }
    try await answer("50")
    let daemon = try await DaemonProcess(store: path)
    // The first answer makes the daemon look, the second one comes in its pause.
    try await answer("51")
    try await answer("91")
    let arguments = ["plan", "rules", "--store", path]
    let rules = await InProcess.run(arguments)
    #expect(rules.lines.count == 2, "\(rules.output)")
    #expect(rules.lines.last?.contains("The target is 100°") == true)
    // A firing that was recorded for the command is not recorded again by the daemon's next look.
    #expect(try await store.write { try Agenda.run($0, now: Date()) } == [])
    #expect(try await store.read { try $0.firings(FiringQuery(kinds: [.rule])) }.count == 1)
    #expect(daemon.isRunning)
  }

  @Test
  func `what a rule did is listed with its number, and undone by it`() async throws {
    let fired = try await store.write { try Agenda.run($0, now: Date()) }
    #expect(fired.count == 1)
    let listed = try await run()
    #expect(listed.lines.count == 2)
    #expect(listed.lines.last?.hasPrefix("1  ") == true)
    #expect(listed.lines.last?.contains("The target is 100° from ") == true)
    #expect(try await run("undo", "2").status == 4)
    let undone = try await run("undo", "1")
    #expect(undone.status == 0, "\(undone.error)")
    #expect(undone.lines.first?.contains("Taken back ") == true)
    #expect(try await run("undo", "1").status == 3)
    #expect(try await store.write { try Agenda.run($0, now: Date()) } == [])
    let tasks = try await store.read { try $0.histories(patient: nil) }
    #expect(tasks.first?.versions.count == 1)
  }

  @Test
  func `the service does what is due at once, and logs it`() async throws {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in
      JournalLogHandler(level: .notice, environment: [:], write: lines.add)
    }
    let service = AgendaService(store: store, logger: logger)
    let task = Task { await service.work() }
    defer { task.cancel() }
    try await until("what the rule did") {
      try await !store.read { try $0.firings(FiringQuery()) }.isEmpty
    }
    let firings = try await store.read { try $0.firings(FiringQuery()) }
    #expect(firings.map(\.firing.kind) == [.rule])
    try await until("the line in the log") { !lines.all.isEmpty }
    #expect(lines.all.first?.contains("A rule of the plan took effect: ") == true)
    #expect(!lines.all.contains { $0.contains("°") || $0.contains("100") })
  }

  @Test
  func `a look that a stop ends is no error`() async throws {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in
      JournalLogHandler(level: .notice, environment: [:], write: lines.add)
    }
    let service = AgendaService(store: store, logger: logger)
    let task = Task {
      try? await Task.sleep(for: .seconds(60))
      return await service.look()
    }
    task.cancel()
    _ = await task.value
    #expect(try await store.read { try $0.firings(FiringQuery()) }.isEmpty)
    #expect(lines.all.isEmpty)
  }
}
