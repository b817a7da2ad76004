import Assessments
import Care
import CareStore
import Foundation
import Localization
import Pages
import Plans
import Testing
import Web

@testable import Terminal

/// A plan that is edited on the page, exported and imported again.
@Suite struct PlanInTwoHandsCommandTests {
  private let now = Date(rfc3339: "2026-11-20T10:11:12.345678+01:00") ?? .distantPast

  private func parse(_ text: String) throws -> PlanDocument {
    try PlanFile.parse(text, file: "plan.yaml", activeTasks: AssessmentList.forms)
  }

  private func exported(_ store: SQLStore) async throws -> PlanDocument {
    try parse(
      PlanFile.encode(try await store.read { try PlanDocument(current: $0, patient: nil) }))
  }

  @Test
  func `the page names all mistakes of an uploaded plan`() throws {
    let text = """
      timeZone: Europe/Vienna
      patients: [{id: anna}]
      tasks:
        - {id: weigh, patient: ann, title: Weigh, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}]}
      devices:
        - {address: "A0:9E:1A:00:00", patient: anna}
        - {address: "A0:9E:1A:00:00:02", definition: no-such-strap, patient: anna}
      """
    let plans = PlanText.commands(
      definitions: DefinitionIndex([DefinitionIndex.Entry(id: "polar-h10")]))
    let error = try #require(throws: CommandFailure.self) { try plans.parse(text) }
    let lines = error.message.split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: ":").prefix(2).joined(separator: ":") } == [
        "the plan:4", "the plan:6", "the plan:7",
      ])
  }

  @Test func `an exported plan imports as unchanged`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try parse(AnswerCommandTests.plan)
    let now = now
    _ = try await store.write { try $0.importPlan(plan, now: now) }
    // Edits each task as a person does on the page.
    for (place, task) in plan.tasks.enumerated() {
      let date = now + Double(place + 1) * 3_600
      _ = try await store.write { writer in
        try writer.editPlan(now: date) { writer in
          var edited = task
          edited.title += " today"
          edited.group = "Morning"
          _ = try writer.put(edited, now: date)
        }
      }
    }
    let added = PlannedTask(
      id: "a-new-one", patient: plan.patients[0].id, title: "New",
      schedule: try .daily(hour: 8, start: now, timeZone: plan.timeZone))
    _ = try await store.write { writer in
      try writer.editPlan(now: now) { _ = try $0.put(added, now: now) }
    }
    let file = try await exported(store)
    let report = try await store.write { try $0.importPlan(file, now: now + 86_400) }
    #expect(report.isUnchanged, "\(report.lines.filter { $0.change != .unchanged })")
    // From then on the exported file is what was imported last.
    let first = try #require(file.tasks.first)
    _ = try await store.write { writer in
      try writer.editPlan(now: now + 90_000) { writer in
        var edited = first
        edited.title = "Another title"
        _ = try writer.put(edited, now: now + 90_000)
      }
    }
    let again = try await store.write { try $0.importPlan(file, now: now + 180_000) }
    #expect(again.isUnchanged)
    #expect(again.lines.first { $0.kind == .task }?.keptKeys.contains("title") == true)
    let last = try await exported(store)
    #expect(last.tasks.first?.title == "Another title")
  }

  @Test func `both sides are named and the file decides`() async throws {
    let folder = try TemporaryFolder()
    let store = ["--store", folder.path("s.sqlite")]
    func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
      await InProcess.run(arguments + store)
    }
    let plan = try folder.write(AnswerCommandTests.plan, to: "plan.yaml")
    #expect(try await run("plan", "import", plan).status == 0)
    #expect(try await run("task", "end", "pills", "--patient", "anna").status == 0)
    let edited = try folder.write(
      AnswerCommandTests.plan.replacing("200 mg", with: "400 mg"), to: "edited.yaml")
    let strict = try await run("plan", "import", edited, "--strict")
    #expect(strict.status == 3 && strict.error.contains("task ‘pills’ of ‘anna’"))
    let imported = try await run("plan", "import", edited)
    #expect(imported.status == 0)
    #expect(
      imported.error.contains(
        "Both the plan and a person changed task ‘pills’ of ‘anna’ (ended) since the last import;"
          + " the plan's version holds."), "\(imported.error)")
    #expect(
      try await run("plan", "undo").lines.contains("The last change of the plan is taken back."))
  }

  @Test func `what a plan file cannot say is not saved`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try parse(AnswerCommandTests.plan)
    let now = now
    _ = try await store.write { try $0.importPlan(plan, now: now) }
    let check = PlanText.commands().check
    for task in plan.tasks { try await store.read { try check(task, $0) } }
    var contradiction = try #require(plan.tasks.first { !$0.linkages.isEmpty })
    contradiction.kind = .readOnly
    let task = contradiction
    await #expect(throws: (any Error).self) { try await store.read { try check(task, $0) } }
  }

  @Test func `a form refuses a schedule in the parsers words`() throws {
    let words = try #require(Site.once().language("en"))
    let errors: [(ScheduleError, String)] = [
      (.noElements, "noElements"), (.intervalNotForward, "intervalNotForward"),
      (.intervalTooLong, "intervalTooLong"), (.endNotAfterStart, "endNotAfterStart"),
      (.durationOutOfRange, "durationOutOfRange"), (.dateOutOfRange, "dateOutOfRange"),
    ]
    for (error, code) in errors {
      #expect(words.text("flaw." + code).lowercased() == error.reason.lowercased() + ".")
    }
  }
}
