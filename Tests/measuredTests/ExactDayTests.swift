import Care
import CareStore
import Foundation
import Plans
import Testing

@testable import Terminal

/// The figures of days and weeks, as the commands print them.
@Suite struct ExactDayTests {
  private let folder: TemporaryFolder
  private let path: String
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: anna, name: {given: Anna}}]
    tasks:
      - {id: walk, patient: anna, title: Walk, linkage: {quantity: stepCount}, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay, targets: [{value: 100}]}]}
      - {id: bp, patient: anna, title: Pressure, schedule: [{start: 2026-03-02T07:00, interval: {days: 1}, duration: 1h, targets: [{value: 135, unit: mmHg, kind: systolic, atMost: true}]}], linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}], thresholds: [{kind: systolic, atLeast: 140, says: high}, {kind: systolic, atLeast: 180, says: very high}, {kind: diastolic, atLeast: 105, says: high below}, {kind: systolic, below: 200, says: ok}]}
      - {id: prn, patient: anna, title: Ibuprofen, optional: true, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay}]}
      - {id: rest, patient: anna, title: Rest, schedule: [{start: 2026-02-23T08:00, interval: {weeks: 1}, duration: 168h}]}
      - {id: pills, patient: anna, title: Pills, schedule: [{start: 2026-03-02T08:00, interval: {days: 1}, duration: 1h}]}
      - {id: mood, patient: anna, title: Mood, kind: assessment, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay}], survey: [{kind: mood, type: scale, minimum: 1, maximum: 10}], thresholds: [{kind: mood, atMost: 3, says: low}, {kind: mood, atMost: 1, says: very low, alert: true}]}
    """

  private static let prepared = PreparedStore(plan: plan)

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    try await Self.prepared.copy(to: path)
  }

  private func run(_ arguments: String...) async -> MeasuredProcess.Result {
    await InProcess.run(arguments + ["--store", path])
  }

  private func adherence(_ arguments: String...) async throws -> [[String: Any]] {
    let result = await InProcess.run(
      ["adherence", "--json"] + arguments + ["--store", path])
    try #require(result.status == 0, "\(result.error)")
    return result.objects
  }

  /// Steps of a minute that several sensors counted.
  private func walk(_ start: String, _ counts: [String: Double]) async throws {
    let start = try #require(Date(start, in: zone))
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    try await store.write { writer in
      for (place, count) in counts {
        let reading = Reading(
          quantity: .stepCount, value: count, arrival: start + 60,
          device: DeviceIdentity(address: DeviceID(place)), isStreamed: true)
        _ = try writer.insert(
          Sample(
            reading: reading, patient: "anna", start: start, end: start + 60,
            provenance: .passive))
      }
    }
  }

  /// A minute that ends at midnight is one of the day before; two sensors worn together are one
  /// walk, wherever it is added up.
  @Test(arguments: [["trunk": 1.0], ["trunk": 1.0, "left-wrist": 0.9]])
  func `a minute at midnight counts on one side and once`(sensors: [String: Double]) async throws {
    try await walk("2026-03-03T23:59", sensors.mapValues { $0 * 100 })
    try await walk("2026-03-04T00:00", sensors.mapValues { $0 * 20 })
    let events = await run(
      "events", "--from", "2026-03-03", "--to", "2026-03-05", "--task", "walk", "--json")
    let values = events.objects.compactMap { ($0["progress"] as? [String: Any])?["value"] }
    #expect(values as? [Double] == [100, 20])
    #expect(events.objects.map { $0["completed"] as? Bool } == [true, false])
    let days = await run(
      "samples", "--summary", "--from", "2026-03-01", "--to", "2026-03-06", "--json")
    #expect(days.objects.compactMap { $0["sum"] as? Double } == [100, 20])
    let shares = try await adherence("--task", "walk", "--from", "2026-03-03", "--to", "2026-03-05")
    #expect(shares.compactMap { $0["fraction"] as? Double } == [1, 0.2])
    #expect(shares.compactMap { $0["reached"] as? Int } == [1, 0])
  }

  @Test func `a week is the same wherever the question begins`() async throws {
    for day in ["2026-02-24", "2026-03-03"] {
      #expect(await run("done", "rest", "--date", day).status == 0)
    }
    var figures: Set<[String]> = []
    for from in ["2026-02-23", "2026-03-04", "2026-03-09", "2026-03-12"] {
      let weeks = try await adherence(
        "--task", "rest", "--by", "week", "--from", from, "--to", "2026-03-14")
      figures.insert(
        weeks.filter { $0["date"] as? String == "2026-03-09" }.map {
          "\($0["fraction"] ?? "") \($0["due"] ?? "")"
        })
    }
    #expect(figures == [["0 1"]])
    let week = await run("week", "--date", "2026-03-11")
    #expect(week.lines.contains { $0.contains("[rest]") && $0.contains("!") && !$0.contains("/") })
  }

  @Test func `performed reached and missed are three figures`() async throws {
    #expect(
      await run("done", "bp", "--value", "138/80", "--date", "2026-03-04").status == 0)
    #expect(
      await run("done", "bp", "--value", "130/80", "--date", "2026-03-05").status == 0)
    let days = try await adherence("--task", "bp", "--from", "2026-03-04", "--to", "2026-03-07")
    func figures(_ key: String) -> [Double] { days.compactMap { $0[key] as? Double } }
    #expect(figures("fraction") == [1, 1, 0])
    #expect(figures("performed") == [1, 1, 0])
    #expect(figures("reached") == [0, 1, 0])
    #expect(figures("due") == [1, 1, 1])
    let shown = await run("today", "--date", "2026-03-04")
    #expect(shown.lines.contains { $0.hasPrefix("  ◐ 07:00") && !$0.contains("missed") })
    let week = await run("week", "--date", "2026-03-04")
    #expect(week.output.contains("◐ goal not reached"))
    let events = await run(
      "events", "--from", "2026-03-04", "--to", "2026-03-05", "--task", "bp", "--json")
    #expect(events.objects.first?["performed"] as? Bool == true)
    #expect(events.objects.first?["completed"] as? Bool == false)
    let table = await run("adherence", "--from", "2026-03-04", "--to", "2026-03-05")
    #expect(table.output.contains("performed: with a value or the answer done."))
  }

  @Test func `what is not needed is neither missed nor nothing`() async throws {
    #expect(await run("done", "prn", "--date", "2026-03-04").status == 0)
    #expect(await run("done", "prn", "--date", "2026-03-04").status == 0)
    let week = await run("week", "--date", "2026-03-04")
    let row = try #require(week.lines.first { $0.contains("[prn]") })
    #expect(!row.contains("!"))
    #expect(row.contains("–"))
    let day = await run("today", "--date", "2026-03-05")
    #expect(day.lines.contains { $0.contains("[prn]") && !$0.contains("missed") })
    let days = try await adherence("--task", "prn", "--from", "2026-03-03", "--to", "2026-03-05")
    #expect(days.compactMap { $0["performed"] as? Int } == [0, 1])
    #expect(days.compactMap { $0["due"] as? Int } == [0, 0])
    #expect(days.allSatisfy { $0["fraction"] is NSNull })
  }

  @Test func `what is skipped is excused`() async throws {
    let skipped = await run(
      "done", "pills", "--skip", "--reason", "in hospital", "--date", "2026-03-04")
    #expect(skipped.lines.first == "~ Pills, 2026-03-04 08:00: skipped (in hospital)")
    #expect(await run("done", "pills", "--not", "--date", "2026-03-05").status == 0)
    let days = try await adherence("--task", "pills", "--from", "2026-03-04", "--to", "2026-03-06")
    #expect(days.compactMap { $0["status"] as? String } == ["noEvents", "progress"])
    #expect(days.compactMap { $0["excused"] as? Int } == [1, 0])
    #expect(days.compactMap { $0["due"] as? Int } == [0, 1])
    #expect(days.compactMap { $0["performed"] as? Int } == [0, 0])
    // The answer is part of an export, and is taken back like others.
    let exported = folder.path("e.jsonl")
    #expect(await run("store", "export", exported).status == 0)
    let other = folder.path("other.sqlite")
    #expect(await InProcess.run(["store", "import", exported, "--store", other]).status == 0)
    let answers = await InProcess.run([
      "events", "--from", "2026-03-04", "--to", "2026-03-05", "--task", "pills", "--json",
      "--store", other,
    ])
    let answer = answers.objects.first?["answer"] as? [String: Any]
    #expect(answer?["state"] as? String == "skipped")
    #expect(answer?["reason"] as? String == "in hospital")
    #expect(await run("undo", "pills", "--date", "2026-03-04").status == 0)
    #expect(await run("done", "pills", "--not", "--skip").status == 2)
  }

  @Test(arguments: [
    ("200/110", ["very high", "high below", "high"]), ("150/80", ["high", "ok"]),
    ("120/80", ["ok"]),
  ])
  func `every threshold that holds is said`(pressure: String, says: [String]) async throws {
    #expect(await run("done", "bp", "--value", pressure, "--date", "2026-03-04").status == 0)
    let events = await run(
      "events", "--from", "2026-03-04", "--to", "2026-03-05", "--task", "bp", "--json")
    let held = events.objects.first?["thresholds"] as? [[String: Any]] ?? []
    #expect(Set(held.compactMap { $0["says"] as? String }) == Set(says))
    #expect(held.first?["says"] as? String == says.first)
    let day = await run("today", "--date", "2026-03-04")
    let line = try #require(day.lines.first { $0.contains("[bp]") })
    for word in says { #expect(line.contains(word)) }
  }

  @Test func `an answer in words has its thresholds the alert first`() async throws {
    #expect(await run("done", "mood", "--value", "1", "--date", "2026-03-04").status == 0)
    let day = await run("today", "--date", "2026-03-04")
    #expect(day.output.contains("(very low, low)"))
  }

  @Test func `a result that is final is not taken back`() async throws {
    #expect(await run("done", "mood", "--value", "4", "--date", "2026-03-04").status == 0)
    for command in [["undo", "mood", "--date", "2026-03-04"]] {
      let undone = await InProcess.run(command + ["--store", path])
      #expect(undone.status == 3)
    }
    let deleted = await run("outcome", "delete", "--task", "mood", "--occurrence", "2")
    #expect(deleted.status == 3)
  }

  // MARK: Glucose

  private static let glucose = """
    timeZone: Europe/Berlin
    patients: [{id: anna, name: {given: Anna}}]
    tasks:
      - {id: gl, patient: anna, title: Glucose, linkage: {quantity: bloodGlucose}, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay}], thresholds: [{atLeast: 5, says: high, alert: true}]}
    """

  /// A meter in mg/dL completes a task in mmol/L, and its thresholds hold.
  @Test func `glucose is one thing in two quantities`() async throws {
    let path = folder.path("glucose.sqlite")
    try await PreparedStore(plan: Self.glucose).copy(to: path)
    let start = try #require(Date("2026-03-04T08:00", in: zone))
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    try await store.write { writer in
      let reading = Reading(
        quantity: .bloodGlucoseMass, value: 99.088, arrival: start,
        device: DeviceIdentity(address: "00:00:5E:00:53:01"))
      _ = try writer.insert(Sample(reading: reading, patient: "anna", start: start, end: start))
    }
    let events = await InProcess.run([
      "events", "--from", "2026-03-04", "--to", "2026-03-05", "--json", "--store", path,
    ])
    let value = (events.objects.first?["values"] as? [[String: Any]])?.first
    #expect(value?["value"] as? Double == 5.5)
    #expect(value?["unit"] as? String == "mmol/L")
    let held = events.objects.first?["thresholds"] as? [[String: Any]]
    #expect(held?.first?["says"] as? String == "high")
    #expect(held?.first?["alert"] as? Bool == true)
    let typed = await InProcess.run([
      "done", "gl", "--value", "90.08 mg/dL", "--date", "2026-03-05", "--json", "--store", path,
    ])
    let own = (typed.objects.first?["values"] as? [[String: Any]])?.first
    #expect(own?["value"] as? Double == 5)
    #expect(own?["provenance"] as? String == "manual")
  }

  // MARK: Amounts

  /// A drink with its unit is an amount in the unit of the goal, never a text that counts as one.
  @Test func `an amount is typed with its unit`() async throws {
    let path = folder.path("water.sqlite")
    let plan = """
      timeZone: Europe/Berlin
      patients: [{id: anna}]
      tasks:
        - {id: water, patient: anna, title: Water, progress: sum, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay, targets: [{value: 2000, unit: mL}]}]}
        - {id: cups, patient: anna, title: Cups, progress: sum, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay, targets: [{value: 8}]}]}
        - {id: dose, patient: anna, title: Dose, schedule: [{start: 2026-03-02, interval: {days: 1}, duration: allDay, targets: [{value: 500, unit: mg}]}]}
      """
    try await PreparedStore(plan: plan).copy(to: path)
    func done(_ task: String, _ value: String) async -> MeasuredProcess.Result {
      await InProcess.run([
        "done", task, "--value", value, "--date", "2026-03-04", "--store", path,
      ])
    }
    for (task, value, says) in [
      ("water", "300 mL", "300 mL of 2000 mL"), ("water", "0.25 L", "550 mL of 2000 mL"),
      ("water", "50", "600 mL of 2000 mL"), ("dose", "0.5 g", "500 mg"),
    ] {
      let result = await done(task, value)
      #expect(result.status == 0 && result.lines.first?.contains(says) == true, "\(result)")
    }
    for (task, value) in [
      ("water", "a glass"), ("water", "1 kg"), ("cups", "two"), ("dose", "half"),
    ] {
      #expect(await done(task, value).status == 3, "\(value)")
    }
  }

  // MARK: Words

  @Test func `a title has one line`() async throws {
    let path = folder.path("lines.sqlite")
    let plan = Self.plan.replacing(
      "title: Pills,", with: "title: \"T\\n  ✓ 08:00    Insulin: done  [insulin]\",")
    try await PreparedStore(plan: plan).copy(to: path)
    let day = await InProcess.run(["today", "--date", "2026-03-04", "--store", path])
    #expect(!day.lines.contains { $0.hasPrefix("  ✓") })
    #expect(day.lines.contains { $0.contains("T ") && $0.hasSuffix("[pills]  (not recorded)") })
  }

  @Test func `a time far from its event is refused`() async throws {
    let far = await run("done", "pills", "--date", "2026-03-04", "--at", "2020-01-01")
    #expect(far.status == 3)
    #expect(far.error.contains("more than a month before"))
    let near = await run("done", "pills", "--date", "2026-03-04", "--at", "2026-03-03T20:00")
    #expect(near.status == 0)
  }

  /// The id of one person's task may be the title of another's.
  @Test func `a name that could mean two peoples tasks names its person`() async throws {
    let path = folder.path("two.sqlite")
    let plan = """
      timeZone: Europe/Berlin
      patients: [{id: anna}, {id: bob}]
      tasks:
        - {id: metformin, patient: bob, title: Other, schedule: [{start: 2026-03-02T20:00, interval: {days: 1}}]}
        - {id: m1, patient: anna, title: Metformin, schedule: [{start: 2026-03-02T08:00, interval: {days: 1}}]}
      """
    try await PreparedStore(plan: plan).copy(to: path)
    let store = ["--date", "2026-03-04", "--store", path]
    let unclear = await InProcess.run(["done", "Metformin"] + store)
    #expect(unclear.status == 3)
    #expect(await InProcess.run(["done", "Metformin", "--patient", "anna"] + store).status == 0)
    let day = await InProcess.run(["today"] + store)
    #expect(day.output.contains("measured done metformin --patient bob --date 2026-03-04"))
  }

  @Test func `a plan without people says who was deleted`() async throws {
    #expect(await run("patient", "delete", "anna").status == 0)
    for command in ["today", "week"] {
      let shown = await run(command)
      #expect(shown.output.contains("Everyone was deleted from the plan: anna."))
      #expect(shown.output.contains("measured patient revive anna"))
    }
  }

  // MARK: Zones

  /// Ann is in Tokyo, the plan in Los Angeles: her 08:00 is 08:00 in Tokyo, and so are her days.
  @Test func `a persons days are in the persons zone`() async throws {
    let path = folder.path("tokyo.sqlite")
    let plan = """
      timeZone: America/Los_Angeles
      patients: [{id: ann, timeZone: Asia/Tokyo}, {id: bob}]
      tasks:
        - {id: a, patient: ann, title: A, schedule: [{start: 2026-03-02T08:00, interval: {days: 1}, duration: 1h}]}
        - {id: b, patient: bob, title: B, schedule: [{start: 2026-03-02T08:00, interval: {days: 1}, duration: 1h}]}
      """
    try await PreparedStore(plan: plan).copy(to: path)
    let store = ["--store", path]
    let day = await InProcess.run(["today", "--date", "2026-03-22"] + store)
    #expect(day.lines.filter { $0.hasPrefix("2026-03-22") }.count == 2)
    #expect(day.lines.contains("2026-03-22 (Asia/Tokyo)"))
    #expect(day.lines.contains("  ! 08:00    A  [a]  (not recorded)"))
    #expect(day.lines.contains("  ! 08:00    B  [b]  (not recorded)"))
    #expect(day.output.contains("measured done a --date 2026-03-22"))
    let done = await InProcess.run(
      ["done", "a", "--date", "2026-03-22", "--at", "8:15", "--json"] + store)
    #expect(done.objects.first?["start"] as? String == "2026-03-22T08:00:00+09:00")
    let answer = done.objects.first?["answer"] as? [String: Any]
    #expect(answer?["at"] as? String == "2026-03-22T08:15:00+09:00")
    let adherence = await InProcess.run(
      ["adherence", "--json", "--from", "2026-03-22", "--to", "2026-03-23"] + store)
    #expect(adherence.objects.map { $0["date"] as? String } == ["2026-03-22", "2026-03-22"])
    #expect(adherence.objects.map { $0["performed"] as? Int } == [1, 0])
    #expect(adherence.objects.map { $0["due"] as? Int } == [1, 1])
  }
}
