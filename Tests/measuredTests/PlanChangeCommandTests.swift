import Foundation
import Testing

/// `measured tasks`, `task`, `patient`, `contacts` and the imports of plans.
@Suite struct PlanChangeCommandTests {
  let folder: TemporaryFolder
  let store: [String]
  let plan: String

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    plan = try folder.write(AnswerCommandTests.plan, to: "plan.yaml")
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private static let prepared = PreparedStore(plan: AnswerCommandTests.plan)

  func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + store)
  }

  /// The plan with each of these texts replaced.
  func edited(_ replacements: (String, String)...) throws -> String {
    let text = replacements.reduce(AnswerCommandTests.plan) { $0.replacing($1.0, with: $1.1) }
    return try folder.write(text, to: "edited.yaml")
  }

  // MARK: Tasks

  @Test func `lists tasks`() async throws {
    let tasks = try await run("tasks", "--patient", "anna", "--json")
    #expect(
      tasks.objects.map { $0["id"] as? String }
        == ["pills", "weigh-in", "pressure", "check-in", "walk"])
    let pills = try #require(tasks.objects.first)
    #expect(pills["patient"] as? String == "anna")
    #expect(pills["version"] as? Int == 1 && pills["versions"] as? Int == 1)
    #expect(pills["effective"] as? String == "2026-03-01T08:00:00+01:00")
    #expect((pills["schedule"] as? [[String: Any]])?.count == 2)
    #expect(pills["ended"] == nil && pills["deleted"] == nil && pills["tags"] == nil)
    let table = try await run("tasks", "--id", "pills")
    #expect(table.output.contains("Every day at 08:00, 20:00"))
    let check = try await run("tasks", "--id", "check-in")
    #expect(check.output.contains("Every Monday at 09:00"))
  }

  @Test(
    arguments: [
      (["--date", "2026-03-02", "--exclude-empty"], 6),
      (["--date", "2026-03-03", "--exclude-empty"], 5), (["--date", "2026-02-01"], 0),
      (["--id", "pills", "--id", "walk"], 3), (["--group", "none"], 0), (["--group", ""], 6),
      (["--tag", "none"], 0), (["--plan", ""], 6), (["--deleted"], 0), (["--conflicts"], 0),
      (["--from", "2026-03-01", "--to", "2026-04-01", "--patient", "karl"], 1),
    ] as [([String], Int)])
  func `finds tasks`(arguments: [String], count: Int) async throws {
    let result = await InProcess.run(["tasks", "--json"] + arguments + store)
    #expect(result.status == 0, "\(result.error)")
    #expect(result.lines.count == count)
  }

  @Test func `ends deletes and revives a task`() async throws {
    let ended = try await run("task", "end", "pills", "--at", "2026-03-05T12:00", "--json")
    #expect(ended.objects.first?["ended"] as? String == "2026-03-05T12:00:00+01:00")
    #expect(try await starts("pills", "2026-03-05", "2026-03-07") == ["2026-03-05T08:00:00+01:00"])
    #expect(try await run("task", "delete", "Take the pills").status == 0)
    #expect(try await run("tasks", "--id", "pills").status == 4)
    let deleted = try await run("tasks", "--deleted", "--json")
    #expect(deleted.objects.map { $0["id"] as? String } == ["pills"])
    #expect(deleted.objects.first?["deleted"] as? Bool == true)
    #expect(
      try await run("events", "--from", "2026-03-01", "--to", "2026-03-02", "--task", "pills")
        .status == 4
    )
    // The deletion is taken back, then the end.
    #expect(try await run("task", "revive", "pills").status == 0)
    #expect(try await starts("pills", "2026-03-05", "2026-03-07").count == 1)
    let again = try await run("task", "revive", "pills", "--json")
    #expect(again.objects.first?["ended"] == nil)
    let alive = try await run("task", "revive", "pills")
    #expect(alive.status == 3 && alive.error.contains("neither deleted nor ended"))
    let planned = try await run("task", "delete", "pills", "--at", "2099-01-01")
    #expect(planned.status == 3 && planned.error.contains("cannot be planned"))
    let settled = try await run("task", "settle", "pills")
    #expect(settled.status == 3 && settled.error.contains("nothing to settle"))
    #expect(try await run("task", "end", "pill").error.contains("(did you mean ‘pills’?)"))
    #expect(try await run("task", "end", "walk").error.contains("Add --patient"))
  }

  func starts(_ task: String, _ from: String, _ to: String) async throws -> [String?] {
    try await run("events", "--from", from, "--to", to, "--task", task, "--json").objects
      .map { $0["start"] as? String }
  }

  // MARK: Patients

  @Test func `renames hides and revives a patient`() async throws {
    let renamed = try await run("patient", "rename", "anna", "anni", "--json")
    #expect(renamed.objects.first?["id"] as? String == "anni")
    #expect(renamed.objects.first?["tasks"] as? Int == 5)
    #expect(try await run("patient", "rename", "anni", "karl").status == 3)
    #expect(try await run("patient", "delete", "anna").error.contains("(did you mean ‘anni’?)"))
    #expect(try await run("patient", "delete", "anni").status == 0)
    #expect(try await run("patient", "--json").objects.map { $0["id"] as? String } == ["karl"])
    #expect(try await run("tasks", "--json").lines.count == 1)
    #expect(
      try await run("events", "--from", "2026-03-02", "--to", "2026-03-03", "--json").lines.count
        == 1)
    let deleted = try await run("patient", "list", "--deleted", "--json")
    #expect(deleted.objects.map { $0["id"] as? String } == ["anni"])
    #expect(try await run("patient", "revive", "anni").status == 0)
    #expect(try await run("tasks", "--json").lines.count == 6)
  }

  @Test func `lists contacts and notes`() async throws {
    let contacts = """
      contacts:
        - {id: doc, patient: anna, name: {given: Eva, family: Arzt}, role: Physician, phoneNumbers: [{label: practice, value: "030 1234"}]}
      carePlans:
        - {id: knee, patient: anna, title: After the operation}
      notes:
        - {id: first, patient: anna, content: Prefers mornings.}
      """
    let file = try folder.write(AnswerCommandTests.plan + "\n" + contacts, to: "more.yaml")
    #expect(try await run("plan", "import", file).status == 0)
    let objects = try await run("contacts", "--patient", "anna", "--json").objects
    #expect(objects.map { $0["kind"] as? String } == ["contact", "carePlan", "note"])
    #expect(objects.map { $0["id"] as? String } == ["doc", "knee", "first"])
    let text = try await run("contacts")
    #expect(
      text.lines == [
        "Eva Arzt – Physician – for anna", "  practice: 030 1234",
        "Care plan ‘knee’ of anna: After the operation", "Note on anna: Prefers mornings.",
      ])
  }

  // MARK: Imports

  @Test func `reports every change`() async throws {
    let changed = try edited(
      ("{given: Anna}", "{given: Anna}, expects: {bodyMass: 64 kg}"), ("200 mg", "400 mg"),
      ("  - {id: karl, name: {given: Karl}}\n", ""),
      (
        """
          - id: walk
            patient: karl
            title: Walk
            schedule:
              - {start: 2026-03-01, interval: {days: 1}, duration: allDay}
        """, ""
      ))
    let today = "2027-03-02"
    func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
      let noon = try Date(today + "T12:00:00Z", strategy: .iso8601)
      return await InProcess.run(arguments + store, now: noon)
    }
    let dry = try await run("plan", "import", changed, "--dry-run")
    #expect(dry.status == 0, "\(dry.error)")
    let diff = try await run("plan", "diff", changed)
    let imported = try await run("plan", "import", changed)
    let expected = [
      "patient anna: changed (expects)",
      "task pills of anna: changed (text), now version 2; it counts from \(today) on",
      "order of the tasks: changed",
      "patient karl: not in this plan; it stays. To hide the person: measured patient delete karl",
      "task walk of karl: not in this plan; it stays. To end it: measured task end walk --patient karl",
      "4 tasks unchanged",
    ]
    #expect(imported.lines == expected)
    // Before the import each change has its values.
    var changes = expected
    changes.insert("  text: 200 mg → 400 mg", at: 2)
    changes.insert("  expects: none → Weight 64 kg", at: 1)
    #expect(diff.lines == changes)
    #expect(dry.lines == changes + ["Nothing was imported: this was a dry run."])

    let again = try await run("plan", "import", changed, "--json")
    let found = again.objects.map {
      "\($0["kind"] ?? "") \($0["id"] ?? "") \($0["change"] ?? "")"
    }
    #expect(
      found == [
        "zone Europe/Berlin unchanged", "patient anna unchanged", "task pills unchanged",
        "task weigh-in unchanged", "task pressure unchanged", "task check-in unchanged",
        "task walk unchanged", "patient karl missing", "task walk missing",
      ])
    let pruned = try await run("plan", "import", changed, "--prune")
    #expect(pruned.lines.contains("task walk of karl: ended"))
    #expect(try await starts("walk", "2099-03-01", "2099-03-02").count == 1)
  }

  @Test func `takes an import back`() async throws {
    let changed = try edited(("200 mg", "400 mg"))
    #expect(try await run("plan", "import", changed).status == 0)
    let undone = try await run("plan", "undo")
    #expect(
      undone.lines == [
        "task pills of anna: taken back", "The last change of the plan is taken back.",
      ])
    let task = try await run("tasks", "--id", "pills", "--json").objects.first
    #expect(task?["text"] as? String == "200 mg" && task?["versions"] as? Int == 1)
  }

  @Test func `takes back what task commands changed before an import`() async throws {
    for arguments in [["end", "pills"], ["revive", "pills"], ["delete", "pressure"]] {
      #expect(await InProcess.run(["task"] + arguments + store).status == 0)
    }
    var lines: [String?] = []
    for _ in 0..<3 { lines.append(try await run("plan", "undo").lines.first) }
    #expect(
      lines == [
        "task pressure of anna: taken back", "task pills of anna: taken back",
        "task pills of anna: taken back",
      ])
    let ids = try await run("tasks", "--json").objects.compactMap { $0["id"] as? String }
    #expect(ids.contains("pills") && ids.contains("pressure"))
  }

  @Test func `refuses an import or undo that hides results`() async throws {
    let done = try await run(
      "done", "check-in", "--date", "2026-03-02", "--value", "4", "--kind", "pain",
      "--value", "7", "--kind", "sleep")
    #expect(done.status == 0, "\(done.error)")
    let moved = try edited(
      ("2026-03-02T09:00, interval: {weeks: 1}", "2026-03-02T10:00, interval: {weeks: 1}"),
      ("title: How are you", "title: How are you\n    effectiveDate: 2026-03-01"))
    let refused = try await run("plan", "import", moved, "--json")
    #expect(refused.status == 3)
    #expect((refused.objects.first?["reason"] as? String)?.contains("2026-03-02T09:00") == true)
    #expect(try await run("plan", "import", moved, "--drop-outcomes").status == 0)

    #expect(try await run("done", "pills", "--date", "2026-03-02").status == 0)
    #expect(try await run("plan", "undo").status == 0)
    let undo = try await run("plan", "undo")
    #expect(undo.status == 3)
    #expect(undo.error.contains("The import cannot be taken back"))
  }

  @Test func `says what both the plan and a person changed`() async throws {
    #expect(try await run("task", "end", "pills").status == 0)
    let same = try await run("plan", "import", plan)
    #expect(same.lines.contains("task pills of anna: unchanged; it was ended by hand and stays so"))
    let changed = try edited(("200 mg", "400 mg"))
    let strict = try await run("plan", "import", changed, "--strict")
    #expect(strict.status == 3 && strict.error.contains("Import without --strict"))
    let taken = try await run("plan", "import", changed)
    #expect(taken.status == 0)
    #expect(taken.error.contains("Both the plan and a person changed task ‘pills’"))
  }

  @Test func `an ended task goes on from a day`() async throws {
    #expect(try await run("task", "end", "pills", "--at", "2026-03-10").status == 0)
    #expect(try await run("task", "revive", "pills", "--at", "2026-03-20").status == 0)
    let events = try await run(
      "events", "--task", "pills", "--from", "2026-03-08", "--to", "2026-03-22", "--json")
    let days = Set(events.objects.compactMap { ($0["start"] as? String)?.prefix(10) })
    #expect(days == ["2026-03-08", "2026-03-09", "2026-03-20", "2026-03-21"])
  }
}
