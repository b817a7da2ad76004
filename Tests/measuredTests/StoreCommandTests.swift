import Foundation
import Testing

/// The commands that work on a store, in the order in which a person uses them.
@Suite struct StoreCommandTests {
  let folder: TemporaryFolder
  let store: [String]

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    _ = try folder.write(Recordings.plan, to: "plan.yaml")
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private static let prepared = PreparedStore(plan: Recordings.plan)

  @Test func `an import names everything that it adds`() async throws {
    let arguments = ["plan", "import", folder.path("plan.yaml"), "--json"]
    let imported = await InProcess.run(arguments + ["--store", folder.path("new.sqlite")])
    #expect(
      imported.objects.map { "\($0["kind"] ?? "") \($0["id"] ?? "") \($0["change"] ?? "")" }
        == [
          "zone America/Los_Angeles added", "patient john added", "task weigh-in added",
          "task pulse added", "task leaflet added", "task check-in added", "order tasks added",
        ])
  }

  func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + store)
  }

  @Test func `imports the same plan twice without a change`() async throws {
    let again = try await run("plan", "import", folder.path("plan.yaml"))
    #expect(again.output.contains("Nothing changed"))
    let exported = try await run("plan", "export", folder.path("copy.yaml"))
    #expect(exported.status == 0)
    let copy = try await run("plan", "import", folder.path("copy.yaml"), "--json")
    #expect(Set(copy.objects.compactMap { $0["change"] as? String }) == ["unchanged"])
    #expect(try await run("plan", "export", folder.path("copy.yaml")).status == 1)
  }

  @Test func `sets and deletes an outcome by hand`() async throws {
    let set = try await run(
      "outcome", "set", "--task", "check-in", "--occurrence", "3", "--json", "--value", "4",
      "--kind", "pain", "--value", "7.5", "--unit", "h", "--kind", "sleep")
    #expect(set.status == 0, "\(set.error)")
    let values = set.objects.first?["values"] as? [[String: Any]]
    #expect(values?.map { $0["kind"] as? String } == ["pain", "sleep"])
    #expect(values?.map { $0["value"] as? Double } == [4, 7.5])
    #expect(values?.map { $0["unit"] as? String } == [nil, "h"])
    #expect(values?.map { $0["provenance"] as? String } == ["manual", "manual"])
    #expect(set.objects.first?["completed"] as? Bool == true)

    let second = try await run(
      "outcome", "set", "--task", "check-in", "--occurrence", "3", "--json", "--value", "5",
      "--kind", "pain")
    #expect(second.status == 3)
    #expect(second.objects.first?["error"] as? String == "refused")
    #expect((second.objects.first?["reason"] as? String)?.contains("resettable") == true)

    let deleted = try await run(
      "outcome", "delete", "--task", "check-in", "--occurrence", "3", "--json")
    // A final result is not taken back: it could be given anew.
    #expect(deleted.status == 3)
    #expect((deleted.objects.first?["reason"] as? String)?.contains("resettable") == true)
    let weight = ["--task", "weigh-in", "--occurrence", "3", "--json"]
    #expect(
      await InProcess.run(["outcome", "set", "--value", "80"] + weight + store).status == 0)
    let again = await InProcess.run(["outcome", "delete"] + weight + store)
    #expect(again.objects.first?["completed"] as? Bool == false)
  }

  @Test func `converts an entered value to the unit of its task`() async throws {
    let set = try await run(
      "outcome", "set", "--task", "weigh-in", "--occurrence", "3", "--json", "--value", "160",
      "--unit", "lb")
    let value = (set.objects.first?["values"] as? [[String: Any]])?.first
    #expect(value?["unit"] as? String == "kg")
    #expect(abs((value?["value"] as? Double ?? 0) - 72.5747792) < 1e-9)
  }

  @Test(
    arguments: [
      (["outcome", "set", "--task", "leaflet", "--occurrence", "0"], 3, "read-only"),
      (
        ["outcome", "set", "--task", "weigh-in", "--occurrence", "99999"], 3, "cannot be completed"
      ),
      (["outcome", "set", "--task", "nothing", "--occurrence", "0"], 4, "no task ‘nothing’"),
      (
        ["outcome", "set", "--task", "check-in", "--occurrence", "0", "--version", "7"], 4,
        "version 7"
      ),
      (
        [
          "outcome", "set", "--task", "check-in", "--occurrence", "0", "--value", "1", "--unit",
          "ell",
        ],
        2, "no unit ‘ell’"
      ),
      (["events", "--from", "2019-10-02", "--to", "2019-10-01"], 2, "--to must be later"),
      (["events", "--from", "2019-10-01", "--to", "2019-10-02", "--task", "x"], 4, "no task ‘x’"),
      (["today", "--patient", "nobody"], 4, "no patient ‘nobody’"),
      (["samples", "--quantity", "bodyMess"], 4, "no quantity ‘bodyMess’"),
      (["samples", "delete", "77"], 4, "no sample 77"),
    ] as [([String], Int32, String)])
  func `refuses with a reason`(arguments: [String], status: Int32, reason: String) async throws {
    let result = await InProcess.run(arguments + store)
    #expect(result.status == status, "\(result.error)")
    #expect(result.error.contains(reason))
  }

  @Test func `assigns and deletes an unassigned sample`() async throws {
    // 41.12 kg is too far from the only expected weight, 62 kg.
    let visitor = [
      Recordings.header, Recordings.miScale(44, "0224e3070a1e163b2cfdff2020"),
      Recordings.miScale(60, "02a4e3070a1e17000bfdff2020"),
    ].joined(separator: "\n")
    let trace = try folder.write(visitor, to: "visitor.jsonl")
    let replayed = try await run("replay", trace, "--json")
    #expect(replayed.objects.map { $0["type"] as? String } == ["unassigned", "summary"])

    let tray = try await run("samples", "--unassigned", "--json")
    let id = try #require(tray.objects.first?["id"] as? Int)
    #expect(tray.objects.first?["value"] as? Double == 41.12)
    let assigned = try await run("samples", "assign", "\(id)", "--patient", "john", "--json")
    #expect(assigned.objects.first?["patient"] as? String == "john")
    #expect(try await run("samples", "--unassigned", "--json").lines.isEmpty)
    #expect(try await completed() == true)

    #expect(try await run("samples", "delete", "\(id)").status == 0)
    #expect(try await completed() == false)
    let again = try await run("replay", trace, "--json")
    #expect(again.objects.map { $0["type"] as? String } == ["duplicate", "summary"])
  }

  func completed() async throws -> Bool? {
    try await run(
      "events", "--from", "2019-10-30", "--to", "2019-10-31", "--task", "weigh-in", "--json"
    )
    .objects.last?["completed"] as? Bool
  }

  @Test func `prints the adherence of each day`() async throws {
    let before = try await run("adherence", "--from", "2000-01-01", "--to", "2000-01-03", "--json")
    #expect(before.objects.map { $0["status"] as? String } == ["noTasks", "noTasks"])
    #expect(before.objects.map { $0["date"] as? String } == ["2000-01-01", "2000-01-02"])
    _ = try await run("outcome", "set", "--task", "check-in", "--occurrence", "3", "--value", "4")
    let day = try await run("adherence", "--from", "2019-10-04", "--to", "2019-10-05", "--json")
    // Of three tasks one; the read-only one does not count.
    #expect(day.objects.first?["fraction"] as? Double == 1.0 / 3)
    let people = try await run("adherence", "--from", "2019-10-04", "--to", "2019-10-05")
    #expect(people.lines.last == "John Appleseed  2019-10-04  33 %")
    #expect(people.lines.first?.hasPrefix("done: of what was due, the mean share") == true)
    // An empty span is no error.
    let empty = try await run("adherence", "--from", "2000-01-02", "--to", "2000-01-02", "--json")
    #expect(empty.status == 0 && empty.lines.isEmpty)
  }

  @Test func `shows a day for people`() async throws {
    let trace = try folder.write(Recordings.weighIn, to: "trace.jsonl")
    #expect(try await run("replay", trace).status == 0)
    let today = try await run("today", "--date", "2019-10-30")
    let store = folder.path("s.sqlite")
    #expect(
      today.lines
        == [
          "2019-10-30 (America/Los_Angeles)", "John Appleseed",
          "  ✓ anytime  Weigh yourself: 61.75 kg  [weigh-in]",
          "  ! anytime  Heart rate  [pulse]  (not recorded)",
          "             → measured done pulse --date 2019-10-30 --value … --unit /min"
            + " --store \(store)",
          "  · anytime  Read the leaflet  [leaflet]",
          "  ! 08:00    How are you  [check-in]  (not recorded)",
          "             → measured done check-in --date 2019-10-30 --store \(store)",
        ])
  }

  @Test func `expands a schedule without a store`() async throws {
    let file = try folder.write(
      """
      timeZone: America/New_York
      schedule:
        - {start: 2023-01-31T09:00, interval: {months: 1}, duration: 1h}
      """, to: "schedule.yaml")
    let result = await InProcess.run(
      ["schedule", "expand", file, "--from", "2023-02-01", "--to", "2023-06-01", "--json"])
    #expect(
      result.objects.map { $0["start"] as? String } == [
        "2023-02-28T09:00:00-05:00", "2023-03-31T09:00:00-04:00", "2023-04-30T09:00:00-04:00",
        "2023-05-31T09:00:00-04:00",
      ])
    #expect(result.objects.map { $0["occurrence"] as? Int } == [1, 2, 3, 4])
  }
}
