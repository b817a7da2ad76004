import Care
import Foundation
import Testing

@testable import Terminal

/// `measured done` and `measured undo`, as a person at home uses them.
@Suite struct AnswerCommandTests {
  let folder: TemporaryFolder
  let store: [String]

  static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, name: {given: Anna}}
      - {id: karl, name: {given: Karl}}
    tasks:
      - id: pills
        patient: anna
        title: Take the pills
        text: 200 mg
        instructions: With food.
        schedule:
          - {start: 2026-03-01T08:00, interval: {days: 1}, duration: 1h}
          - {start: 2026-03-01T20:00, interval: {days: 1}, duration: 1h}
      - id: weigh-in
        patient: anna
        title: Weigh yourself
        schedule:
          - {start: 2026-03-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: pressure
        patient: anna
        title: Blood pressure
        schedule:
          - {start: 2026-03-01, interval: {days: 1}, duration: allDay}
        linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]
      - id: check-in
        patient: anna
        title: How are you
        schedule:
          - {start: 2026-03-02T09:00, interval: {weeks: 1}, duration: 1h}
        survey:
          - {kind: pain, type: scale, minimum: 1, maximum: 10}
          - {kind: sleep, type: number, unit: h, minimum: 0, maximum: 24}
      - id: walk
        patient: anna
        title: Walk
        schedule:
          - {start: 2026-03-01, interval: {days: 1}, duration: allDay}
      - id: walk
        patient: karl
        title: Walk
        schedule:
          - {start: 2026-03-01, interval: {days: 1}, duration: allDay}
    """

  /// A further task, with an assessment.
  static let knee = """

      - id: knee
        patient: anna
        title: Bend the left knee
        schedule:
          - {start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
    """

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private static let prepared = PreparedStore(plan: plan + knee)

  func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + store)
  }

  func done(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(["done"] + arguments + ["--date", "2026-03-02"] + store)
  }

  @Test func `answers the first open event of the day`() async throws {
    let first = try await done("take the PILLS", "--at", "2026-03-02T08:15")
    #expect(first.status == 0, "\(first.error)")
    #expect(first.lines.first == "✓ Take the pills, 2026-03-02 08:00: done at 08:15")
    #expect(
      first.lines.contains("  ! 20:00    Take the pills, 200 mg  [pills]  (not recorded)"))
    let second = try await done("pills", "--json")
    #expect(second.objects.first?["start"] as? String == "2026-03-02T20:00:00+01:00")
    #expect(second.objects.first?["completed"] as? Bool == true)
    #expect((second.objects.first?["values"] as? [Any])?.isEmpty == true)
    // None is open: another answer needs the occurrence.
    for arguments in [["pills"], ["pills", "--not"]] {
      let none = await InProcess.run(["done"] + arguments + ["--date", "2026-03-02"] + store)
      #expect(none.status == 3)
      #expect(
        none.error.contains(
          "occurrence 2 (2026-03-02 08:00): done at 08:15; occurrence 3 (2026-03-02 20:00): done."))
      #expect(none.error.contains("--occurrence 3; to take an answer back: measured undo pills"))
    }
    #expect(try await done("pills", "--occurrence", "3").output.contains("was done already"))
    let events = try await run(
      "events", "--from", "2026-03-02", "--to", "2026-03-03", "--task", "pills", "--json")
    let answers = events.objects.compactMap { $0["answer"] as? [String: Any] }
    #expect(answers.map { $0["state"] as? String } == ["done", "done"])
    #expect(answers.first?["at"] as? String == "2026-03-02T08:15:00+01:00")
  }

  @Test func `takes the last answer back`() async throws {
    #expect(try await done("pills", "--occurrence", "3").status == 0)
    #expect(try await done("pills").status == 0)
    let undone = try await run("undo", "pills", "--date", "2026-03-02", "--json")
    #expect(undone.objects.first?["occurrence"] as? Int == 2)
    #expect(undone.objects.first?["completed"] as? Bool == false)
    #expect(undone.objects.first?["answer"] == nil)
    #expect(try await run("undo", "pills", "--date", "2026-03-02").status == 0)
    let none = try await run("undo", "pills", "--date", "2026-03-02")
    #expect(none.status == 4)
    #expect(none.error.contains("Nothing of ‘pills’ was answered by hand on 2026-03-02."))
  }

  /// A value that is measured twice a day: the latest answer counts, not the latest event.
  @Test func `takes the last entered value back`() async throws {
    let plan = try folder.write(
      Self.plan.replacing(
        "- {start: 2026-03-01, interval: {days: 1}, duration: allDay}\n    linkages",
        with: "- {start: 2026-03-01T07:00, interval: {days: 1}, duration: 1h}\n"
          + "      - {start: 2026-03-01T19:00, interval: {days: 1}, duration: 1h}\n    linkages"),
      to: "twice.yaml")
    let store = ["--store", folder.path("twice.sqlite")]
    func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
      await InProcess.run(arguments + ["--date", "2026-03-02"] + store)
    }
    let imported = await InProcess.run(["plan", "import", plan] + store)
    #expect(imported.status == 0, "\(imported.error)")
    func answer(_ systolic: String, _ occurrence: String) async throws -> MeasuredProcess.Result {
      try await run(
        "done", "pressure", "--value", systolic, "--kind", "systolic", "--value", "80", "--kind",
        "diastolic", "--occurrence", occurrence)
    }
    #expect(
      try await answer("130", "3").lines.first
        == "✓ Blood pressure, 2026-03-02 19:00: 130/80 mmHg")
    #expect(try await answer("120", "2").status == 0)
    #expect(
      try await run("undo", "pressure").lines.first
        == "! Blood pressure, 2026-03-02 07:00: taken back: 120/80 mmHg")
    #expect(try await run("undo", "pressure").lines.first?.contains("19:00: taken back") == true)
    #expect(try await run("undo", "pressure").status == 4)
    // An answer without a value is one, too.
    #expect(try await answer("120", "2").status == 0)
    #expect(try await run("done", "pressure", "--not", "--occurrence", "3").status == 0)
    #expect(
      try await run("undo", "pressure").lines.first
        == "! Blood pressure, 2026-03-02 19:00: taken back: not done")
  }

  /// Of a long day what is left is counted; instructions stand once.
  @Test func `lists a long day shortly`() async throws {
    let hours = (0..<12).map {
      "      - {start: 2026-03-01T\($0 < 5 ? "0" : "")\($0 * 2):00, interval: {days: 1}, duration: 1h}"
    }
    let plan = try folder.write(
      """
      timeZone: Europe/Berlin
      patients:
        - {id: anna, name: {given: Anna}}
      tasks:
        - id: drink
          title: Drink
          instructions: A glass of water.
          schedule:

      """ + hours.joined(separator: "\n") + "\n", to: "long.yaml")
    let store = ["--store", folder.path("long.sqlite")]
    let imported = await InProcess.run(["plan", "import", plan] + store)
    #expect(imported.status == 0, "\(imported.error)")
    let day = ["--date", "2026-03-02"]
    let done = await InProcess.run(["done", "drink"] + day + store)
    #expect(done.lines.count { $0.contains("[drink]") } == 8)
    let last = "  and 3 more: measured today --patient anna --date 2026-03-02 --store "
    #expect(done.lines.last?.hasPrefix(last) == true, "\(done.lines.last ?? "")")
    let past = await InProcess.run(["today"] + day + store)
    #expect(!past.output.contains("A glass of water."))
    let tomorrow = await InProcess.run(["today", "--date", "tomorrow"] + store)
    #expect(tomorrow.lines.count { $0.contains("A glass of water.") } == 1)
    #expect(tomorrow.lines.count { $0.contains("[drink]") } == 12)
  }

  @Test func `wraps at the terminals width`() {
    let text = "Before breakfast, without shoes, and always at the same place."
    #expect(
      text.wrapped(to: 40, indent: "    ") == [
        "    Before breakfast, without shoes, and", "    always at the same place.",
      ])
    #expect(text.wrapped(to: nil, indent: "  ") == ["  " + text])
    #expect(String(repeating: "x", count: 45).wrapped(to: 20).map(\.count) == [20, 20, 5])
    #expect("早餐前量體重不穿鞋子也不穿外套衣服".wrapped(to: 20).map(\.columns) == [20, 14])
    #expect("".wrapped(to: 20, indent: "  ") == ["  "])
  }

  @Test func `says that something was not done`() async throws {
    let declined = try await done("weigh-in", "--not", "--reason", "in hospital", "--json")
    let answer = declined.objects.first?["answer"] as? [String: Any]
    #expect(answer?["state"] as? String == "notDone")
    #expect(answer?["reason"] as? String == "in hospital")
    #expect(declined.objects.first?["completed"] as? Bool == false)
    let today = try await run("today", "--date", "2026-03-02", "--patient", "anna")
    #expect(
      today.lines.contains("  ✗ anytime  Weigh yourself: not done (in hospital)  [weigh-in]"))
    // A person may think better of it, and says which answer is meant.
    let closed = try await done("weigh-in", "--value", "63.9")
    #expect(closed.status == 3 && closed.error.contains("not done (in hospital)"))
    let corrected = try await done("weigh-in", "--value", "63.9", "--occurrence", "1", "--json")
    #expect(corrected.objects.first?["completed"] as? Bool == true)
    #expect(try await done("weigh-in", "--not", "--value", "1").status == 2)
  }

  @Test func `stores a typed weight as a sample`() async throws {
    let typed = try await done("weigh-in", "--value", "141", "--unit", "lb")
    #expect(typed.lines.first == "✓ Weigh yourself, 2026-03-02: 63.96 kg")
    let samples = try await run("samples", "--json")
    #expect(samples.objects.map { $0["provenance"] as? String } == ["manual"])
    #expect(samples.objects.map { $0["patient"] as? String } == ["anna"])
    #expect(try await run("undo", "weigh-in", "--date", "2026-03-02").status == 0)
    #expect(try await run("samples", "--json").lines.isEmpty)
  }

  @Test
  func `the second part of an answer leaves the first as it is`() async throws {
    let first = try await done("pressure", "--value", "130", "--kind", "systolic", "--json")
    #expect(first.objects.first?["completed"] as? Bool == false, "\(first.error)")
    let second = try await done("pressure", "--value", "85", "--kind", "diastolic", "--json")
    #expect(second.objects.first?["completed"] as? Bool == true, "\(second.error)")
    let values = second.objects.first?["values"] as? [[String: Any]]
    #expect(values?.compactMap { $0["value"] as? Double } == [130, 85])
    let samples = try await run("samples", "--json").objects
    #expect(Set(samples.compactMap { $0["value"] as? Double }) == [130, 85])
  }

  @Test func `tells the values of one measurement apart`() async throws {
    let both = try await done(
      "pressure", "--value", "120", "--kind", "systolic", "--value", "80", "--unit", "mmHg",
      "--kind", "diastolic", "--json")
    #expect(both.status == 0, "\(both.error)")
    #expect(both.objects.first?["completed"] as? Bool == true)
    let values = both.objects.first?["values"] as? [[String: Any]]
    #expect(values?.map { $0["kind"] as? String } == ["systolic", "diastolic"])
    #expect(values?.map { $0["unit"] as? String } == ["mm[Hg]", "mm[Hg]"])
    let missing = try await run("done", "pressure", "--value", "120", "--date", "2026-03-03")
    #expect(missing.status == 3 && missing.error.contains("--kind: ‘systolic’, ‘diastolic’"))
    let wrong = try await run(
      "done", "pressure", "--value", "120", "--kind", "systolik", "--date", "2026-03-03")
    #expect(wrong.status == 3 && wrong.error.contains("(did you mean ‘systolic’?)"))
  }

  @Test func `answers a survey in the unit of its questions`() async throws {
    let answered = try await done(
      "check-in", "--value", "4", "--kind", "pain", "--value", "450", "--unit", "min", "--kind",
      "sleep", "--json")
    #expect(answered.status == 0, "\(answered.error)")
    let values = answered.objects.first?["values"] as? [[String: Any]]
    #expect(values?.map { $0["value"] as? Double } == [4, 7.5])
    #expect(values?.map { $0["unit"] as? String } == [nil, "h"])
  }

  @Test(
    arguments: [
      (
        ["weigh-in", "--value", "63,900"], 3,
        "‘63,900’ can be read in two ways. Write 63900 or 63.9, without a comma."
      ),
      (["weigh-in", "--value", "nan"], 3, "‘nan’ is no weight. Write 63.9, which is read in kg"),
      (
        ["weigh-in", "--value", "heavy"], 3,
        "‘weigh-in’: ‘heavy’ is no weight. Write 63.9, which is read in kg, or 141 lb."
      ),
      (["weigh-in", "--value", "64 kg", "--unit", "lb"], 3, "‘64 kg’ is no weight"),
      (["weigh-in", "--value", "64 mmHg"], 3, "takes values in kg, not in mmHg"),
      (
        ["weigh-in", "--value", "639"], 3,
        "639 kg is no plausible value of weight: it lies between 0.2 and 400 kg"
      ),
      (["weigh-in", "--value", "-5"], 3, "−5 kg is no plausible value"),
      (["weigh-in", "--value", "63", "--kind", "x"], 3, "without a kind. Leave out --kind x"),
      (["pills", "--value", "1,5"], 3, "‘1,5’ is no number"),
      (["check-in", "--value", "4", "--kind", "pian"], 3, "(did you mean ‘pain’?)"),
      (["knee", "--value", "95", "--kind", "foo"], 3, "It takes ‘range’"),
      (["knee", "--value", "95", "--unit", "kg"], 3, "takes values in deg, not in kg"),
      (["knee", "--value", "2000"], 3, "2000° is no plausible value of range of motion"),
      (["weigh-in", "--value", "63", "--unit", "s"], 3, "takes values in kg, not in s"),
      (["check-in"], 3, "question ‘pain’: an answer is missing"),
      (["check-in", "--value", "11", "--kind", "pain"], 3, "11 is not between 1 and 10"),
      (
        ["check-in", "--value", "4", "--kind", "pain"], 3, "question ‘sleep’: an answer is missing"
      ),
      (["pils"], 4, "There is no task ‘pils’ (did you mean ‘pills’?). There is ‘check-in’"),
      (["walk"], 3, "Several patients have a task ‘walk’: ‘anna’, ‘karl’. Add --patient."),
      (["pills", "--occurrence", "9"], 4, "Occurrence 9 is not due on 2026-03-02. Due are 2 ("),
      (["pills", "--patient", "ana"], 4, "(did you mean ‘anna’?)"),
      (["pills", "--value", "1", "--unit", "ell"], 2, "no unit ‘ell’"),
      (["pills", "--value", "false"], 3, "If it was not: measured done pills --not"),
    ] as [([String], Int32, String)])
  func `refuses with a reason`(arguments: [String], status: Int32, reason: String) async throws {
    let result = await InProcess.run(["done"] + arguments + ["--date", "2026-03-02"] + store)
    #expect(result.status == status, "\(result.error)")
    #expect(result.error.contains(reason), "\(result.error)")
  }

  @Test func `says that it was done on another day`() async throws {
    let result = try await run("done", "pills", "--date", "2026-03-02", "--at", "2026-03-05T08:00")
    #expect(result.status == 0)
    #expect(result.lines.contains("It counts for 2026-03-02 and was done on 2026-03-05."))
  }

  @Test func `says when a task is due next`() async throws {
    let result = try await run("done", "check-in", "--date", "2026-03-04")
    #expect(result.status == 3)
    #expect(
      result.error.contains(
        "Nothing of ‘check-in’ is due on 2026-03-04. It is due next on 2026-03-09 09:00."))
    let future = try await run(
      "done", "walk", "--patient", "karl", "--date", "2099-01-01", "--json")
    #expect(future.status == 3)
    #expect(future.objects.first?["error"] as? String == "refused")
  }

  @Test func `answers today without a date`() async throws {
    let result = try await run("done", "walk", "--patient", "karl", "--json")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.objects.first?["completed"] as? Bool == true)
    let today = try await run("today", "--patient", "karl")
    #expect(today.lines.last == "  ✓ anytime  Walk: done  [walk]")
  }

  /// The command that `today` prints for an open event completes it.
  @Test func `prints commands that work`() async throws {
    let today = try await run("today", "--date", "2026-03-02", "--patient", "anna")
    let commands = today.lines.compactMap { line in
      line.contains("→ measured") ? line.drop { $0 != "→" }.dropFirst(11) : nil
    }
    #expect(
      commands.map { $0.prefix { $0 != "/" } } == [
        "done weigh-in --date 2026-03-02 --value … --unit kg --store ",
        "done pressure --date 2026-03-02 --value … --kind systolic --value … --kind diastolic --store ",
        "done walk --patient anna --date 2026-03-02 --store ",
        "done knee --date 2026-03-02 --value … --store ",
        "done pills --date 2026-03-02 --store ",
        "done check-in --date 2026-03-02 --value … --kind pain --value … --kind sleep --store ",
        "done pills --date 2026-03-02 --occurrence 3 --store ",
      ])
    for command in commands {
      let value = command.contains("check-in") ? "7" : "95"
      // The systolic pressure, which stands first, is above the diastolic one.
      let pressure =
        command.contains("systolic")
        ? command.replacing("…", with: "130", maxReplacements: 1) : command
      let words = pressure.replacing("…", with: value).split(separator: " ").map(String.init)
      #expect(await InProcess.run(words).status == 0)
    }
    let after = try await run("today", "--date", "2026-03-02", "--patient", "anna", "--json")
    #expect(after.objects.allSatisfy { $0["completed"] as? Bool == true })
  }

  @Test func `shows a week`() async throws {
    #expect(try await done("pills").status == 0)
    #expect(try await done("weigh-in", "--value", "63.9").status == 0)
    let week = try await run("week", "--date", "2026-03-04", "--patient", "anna")
    let lines = week.lines.filter { $0.contains("[") }
    #expect(week.lines.contains { $0.hasPrefix("task") && $0.contains("03-02") })
    #expect(lines.contains { $0.hasPrefix("Take the pills [pills]") && $0.contains("! 1/2") })
    #expect(week.lines.contains("✓ done   ! not recorded"))
    #expect(
      lines.contains { $0.hasPrefix("Weigh yourself [weigh-in]") && $0.contains("✓ 63.9 kg") })
    let events = try await run("week", "--date", "2026-03-04", "--patient", "anna", "--json")
    #expect(events.objects.count == 7 * 6 + 1)
  }

  /// A value without a kind is of the only kind that the task asks for.
  @Test func `takes the only kind of a task`() async throws {
    let open = try await done("knee", "--value", "89.7")
    #expect(open.lines.first == "◐ Bend the left knee, 2026-03-02: 89.7° of 90°")
    let done = try await done("knee", "--value", "94.6", "--json")
    #expect(done.objects.first?["completed"] as? Bool == true)
    let values = done.objects.first?["values"] as? [[String: Any]]
    #expect(values?.map { $0["kind"] as? String } == ["range"])
    #expect(values?.map { $0["unit"] as? String } == ["deg"])
    let today = try await run("today", "--date", "2026-03-02", "--patient", "Anna")
    #expect(today.lines.contains("  ✓ anytime  Bend the left knee: 95° of 90°  [knee]"))
  }

  @Test func `a survey is answered or not`() async throws {
    let answered = try await done(
      "check-in", "--value", "4", "--kind", "pain", "--value", "7.5", "--kind", "sleep", "--json")
    let progress = answered.objects.first?["progress"] as? [String: Any]
    #expect(progress?["value"] as? Double == 1 && progress?["fraction"] as? Double == 1)
    let week = try await run("week", "--date", "2026-03-04", "--patient", "anna")
    let row = try #require(week.lines.first { $0.hasPrefix("How are you") })
    #expect(row.split(separator: "  ").last?.trimmingCharacters(in: .whitespaces) == "✓")
  }

  /// A corrected title shows in every command from the same moment on.
  @Test func `prints the words of the day`() async throws {
    let edited = try folder.write(
      Self.plan.replacing("title: Take the pills", with: "title: Take two pills"),
      to: "edited.yaml")
    #expect(try await run("plan", "import", edited).status == 0)
    let done = try await run("done", "pills")
    #expect(done.lines.first?.contains("Take two pills") == true)
    let undone = try await run("undo", "pills", "--json")
    #expect(undone.objects.first?["title"] as? String == "Take two pills")
    #expect(try await run("today").output.contains("Take two pills"))
  }

  /// Gives Anna these units.
  func importPlan(units: String) async throws {
    let edited = try folder.write(
      Self.plan.replacing("name: {given: Anna}", with: "name: {given: Anna}, units: \(units)"),
      to: "edited.yaml")
    #expect(try await run("plan", "import", edited).status == 0)
  }

  @Test func `shows values in the persons units`() async throws {
    try await importPlan(units: "us")
    let typed = try await done("weigh-in", "--value", "63.9", "--unit", "kg")
    #expect(typed.lines.first == "✓ Weigh yourself, 2026-03-02: 140.9 lb")
    #expect(try await run("samples").output.contains("Weight 140.9 lb"))
    #expect(try await run("samples", "--summary").output.contains("140.9 lb"))
    let today = try await run("today", "--date", "2026-03-03", "--patient", "anna")
    #expect(today.output.contains("done weigh-in --date 2026-03-03 --value … --unit lb"))
    #expect(try await run("samples", "--json").objects.first?["value"] as? Double == 63.9)
  }

  @Test(
    arguments: [
      ("us", "141", "141 lb", 63.956_524_17), ("uk", "141", "10 st 1 lb", 63.956_524_17),
      ("metric", "63.9", "63.9 kg", 63.9),
    ])
  func `takes a value without a unit in the unit that the person reads`(
    units: String, value: String, shown: String, kilograms: Double
  ) async throws {
    try await importPlan(units: units)
    let typed = try await done("weigh-in", "--value", value)
    #expect(typed.lines.first == "✓ Weigh yourself, 2026-03-02: \(shown)", "\(typed.error)")
    #expect(
      try await run("samples", "--json").objects.map { $0["value"] as? Double } == [kilograms])
    // Scripts give and get the task's unit.
    let set = try await run(
      "outcome", "set", "--task", "weigh-in", "--patient", "anna", "--occurrence", "2", "--value",
      "64", "--json")
    let values = set.objects.first?["values"] as? [[String: Any]]
    #expect(values?.map { $0["value"] as? Double } == [64], "\(set.error)")
    #expect(values?.map { $0["unit"] as? String } == ["kg"])
  }

  @Test(arguments: [
    ("us", "64 kg", 64), ("us", "141 lb", 63.956_524_17), ("us", "12 st 13 lb", 82.100_219),
    ("uk", "12st 13", 82.100_219), ("metric", "81,6", 81.6), ("metric", "81.6kg", 81.6),
  ])
  func `takes a value with its unit`(units: String, value: String, kilograms: Double) async throws {
    try await importPlan(units: units)
    let typed = try await done("weigh-in", "--value", value)
    #expect(typed.status == 0, "\(typed.error)")
    let stored = try #require(try await run("samples", "--json").objects.first?["value"] as? Double)
    #expect(abs(stored - kilograms) < 1e-5)
  }

  @Test func `names the unit in which a bare number is read`() async throws {
    try await importPlan(units: "us")
    let heavy = try await done("weigh-in", "--value", "heavy")
    #expect(heavy.error.contains("Write 141, which is read in lb, or 64 kg."), "\(heavy.error)")
  }

  @Test func `says who else has something open`() async throws {
    for task in ["pills", "pills", "pressure", "weigh-in", "check-in", "knee"] {
      let values: [String] =
        switch task {
        case "pressure":
          ["--value", "120", "--kind", "systolic", "--value", "80", "--kind", "diastolic"]
        case "weigh-in": ["--value", "64"]
        case "knee": ["--value", "95"]
        case "check-in": ["--value", "4", "--kind", "pain", "--value", "7", "--kind", "sleep"]
        default: []
        }
      let done = await InProcess.run(
        ["done", task, "--date", "2026-03-02"] + values + store)
      #expect(done.status == 0, "\(done.error)")
    }
    let last = try await run("done", "walk", "--patient", "anna", "--date", "2026-03-02")
    #expect(
      last.lines.last?.hasPrefix(
        "Nothing else of anna is open on 2026-03-02; there is of karl: measured today --patient karl"
          + " --date 2026-03-02") == true, "\(last.output)")
    let karl = try await run("done", "walk", "--patient", "karl", "--date", "2026-03-02")
    #expect(karl.lines.last == "Nothing else is open on 2026-03-02.")
  }

  /// A further task, with steps.
  static let steps =
    "\n  - id: steps\n    patient: anna\n    title: Steps\n    schedule:\n      - {start: 2026-03-01,"
    + " interval: {days: 1}, duration: allDay, targets: [{value: 6000}]}\n    linkage: {quantity:"
    + " stepCount}\n"

  @Test func `a value takes the place of the steps that were measured`() async throws {
    let edited = try folder.write(
      Self.plan + Self.steps + "devices:\n  - {sensor: trunk, patient: anna}\n", to: "edited.yaml")
    #expect(try await run("plan", "import", edited).status == 0)
    let walk = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Examples/walk.csv").path
    let replay = try await run(
      "replay", walk, "--start", "2026-03-02T10:00:00+01:00", "--sensor", "trunk")
    #expect(replay.status == 0, "\(replay.error)")
    let typed = try await done("steps", "--value", "1000")
    #expect(
      typed.lines.contains {
        $0.hasPrefix("It counts in place of what was measured (steps), which is kept. To take")
      }, "\(typed.output) \(typed.error)")
    let again = try await done("steps", "--value", "6000")
    #expect(again.lines.first == "✓ Steps, 2026-03-02: 7000 of 6000", "\(again.error)")
    // A sum goes on beyond the goal.
    let more = try await done("steps", "--value", "500")
    #expect(more.lines.first == "✓ Steps, 2026-03-02: 7500 of 6000", "\(more.error)")
    let other = try await done("steps", "--value", "6500", "--replace")
    #expect(other.lines.first == "✓ Steps, 2026-03-02: 6500 of 6000", "\(other.error)")
    let nothing = try await done("steps")
    #expect(nothing.status == 3)
    #expect(nothing.error.contains("say how much: measured done steps --value …"))
  }

  @Test func `steps have no unit`() async throws {
    let edited = try folder.write(Self.plan + Self.steps, to: "edited.yaml")
    #expect(try await run("plan", "import", edited).status == 0)
    let result = try await done("steps", "--value", "5 km")
    #expect(result.status == 3)
    #expect(result.error == "measured: ‘steps’ takes steps, not values in km.\n")
  }

  @Test func `an empty store says how to begin`() async throws {
    let empty = folder.path("empty.sqlite")
    let file = try folder.write("timeZone: UTC\npatients: [{id: a}]\n", to: "empty.yaml")
    #expect(await InProcess.run(["plan", "import", file, "--store", empty]).status == 0)
    let tasks = await InProcess.run(["tasks", "--store", empty])
    #expect(
      tasks.output == "There are no tasks yet. To make a plan by questions: measured setup; or as a"
        + " file: measured plan new plan.yaml\n")
    #expect(try await run("tasks", "--tag", "none").output == "There are no such tasks.\n")
  }

  @Test func `refuses an implausible value in the unit that the person reads`() async throws {
    try await importPlan(units: "us")
    let result = try await done("weigh-in", "--value", "1410")
    #expect(result.status == 3)
    #expect(
      result.error.contains(
        "1410 lb is no plausible value of weight: it lies between 0.4 and 881.8 lb"),
      "\(result.error)")
  }

  @Test func `answers yesterdays task`() async throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let yesterday = Adherence.Period.day.span(around: Date(), in: zone).lowerBound - 1
    let done = try await run("done", "walk", "--patient", "karl", "--date", "yesterday", "--json")
    #expect(
      done.objects.first?["start"] as? String
        == Adherence.Period.day.span(around: yesterday, in: zone).lowerBound.rfc3339(in: zone))
    let span = ["--from", "yesterday", "--to", "today", "--patient", "karl", "--json"]
    let events = await InProcess.run(["events"] + span + store)
    #expect(events.objects.map { $0["completed"] as? Bool } == [true])
  }

  @Test func `adherence is of one person`() async throws {
    #expect(try await run("done", "walk", "--patient", "karl", "--date", "2026-03-02").status == 0)
    let span = ["--from", "2026-03-02", "--to", "2026-03-03"]
    let days = await InProcess.run(["adherence", "--json"] + span + store).objects
    #expect(days.map { $0["patient"] as? String } == ["anna", "karl"])
    #expect(days.map { $0["fraction"] as? Double } == [0, 1])
    let walk = await InProcess.run(["adherence", "--task", "walk"] + span + store)
    #expect(
      walk.lines.first == "Walk [walk]"
        && walk.lines.suffix(2) == ["Anna    2026-03-02  0 %", "Karl    2026-03-02  100 %"])
    let pills = await InProcess.run(["adherence", "--task", "pills", "--json"] + span + store)
    #expect(pills.objects.map { $0["patient"] as? String } == ["anna"])
  }

  @Test func `finds a patient by name`() async throws {
    let byName = try await run("today", "--patient", "KARL", "--json")
    #expect(byName.objects.map { $0["patient"] as? String } == ["karl"])
    let twins = try folder.write(
      Self.plan.replacing("given: Karl", with: "given: Anna").replacing("id: anna", with: "id: a")
        .replacing("patient: anna", with: "patient: a"), to: "twins.yaml")
    let both = ["--store", folder.path("twins.sqlite")]
    #expect(await InProcess.run(["plan", "import", twins] + both).status == 0)
    let ambiguous = await InProcess.run(["today", "--patient", "Anna"] + both)
    #expect(ambiguous.status == 3 && ambiguous.error.contains("‘a’, ‘karl’. Use the id."))
    // A command that cannot be taken back takes the id alone.
    #expect(try await run("store", "erase", "--patient", "Karl", "--yes").status == 4)
  }
}
