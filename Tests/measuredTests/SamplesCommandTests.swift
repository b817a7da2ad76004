import Foundation
import Testing

/// `measured samples`: who measurements belong to, and whether they count.
@Suite struct SamplesCommandTests {
  let folder: TemporaryFolder
  let store: [String]
  static let strap = "A0:9E:1A:00:00:02"

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    _ = try folder.write(Self.plan, to: "plan.yaml")
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private static let plan =
    Recordings.plan.replacing(
      "patients:",
      with: "patients:\n  - {id: anna, name: {given: Anna}, expects: {bodyMass: 90 kg}}")
    + "\ndevices:\n  - {address: \"\(strap)\", patient: john}\n"

  private static let prepared = PreparedStore { folder, path in
    var commands = [["plan", "import", try folder.write(plan, to: "plan.yaml")]]
    for (name, text) in [("weigh-in", Recordings.weighIn), ("strap", Recordings.heartBeats(40))] {
      commands.append(["replay", try folder.write(text, to: "\(name).jsonl")])
    }
    for command in commands {
      let result = await InProcess.run(command + ["--store", path])
      try #require(result.status == 0, "\(result.error)")
    }
  }

  func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + store)
  }

  func weights(_ arguments: String...) async throws -> [[String: Any]] {
    await InProcess.run(
      ["samples", "--quantity", "bodyMass", "--json"] + arguments + store
    ).objects
  }

  @Test func `prints the latest twenty for people and all for programs`() async throws {
    let text = try await run("samples")
    #expect(text.lines.count == 2 + 20)
    #expect(text.lines.contains { $0.hasPrefix("–  ") })
    #expect(text.error.contains("The latest 20") && text.error.contains("--device"))
    #expect(try await run("samples", "--last", "5").lines.count == 2 + 5)
    let all = try await run("samples", "--json")
    let csv = try await run("samples", "--csv")
    #expect(all.lines.count > 40 && csv.lines.count == all.lines.count + 1)
    #expect(csv.lines.first?.hasPrefix("id,quantity,value,unit") == true)
    #expect(try await run("samples", "--csv", "--last", "1").lines.count == 2)
  }

  @Test func `summarizes days`() async throws {
    let days = try await run("samples", "--summary", "--quantity", "heartRate", "--json").objects
    let day = try #require(days.first)
    #expect(days.count == 1)
    #expect(day["date"] as? String == "2019-10-30" && day["patient"] as? String == "john")
    #expect(day["count"] as? Int == 40)
    #expect(day["least"] as? Double == 60 && day["most"] as? Double == 89)
    let text = try await run("samples", "--summary")
    #expect(text.lines.contains { $0.hasPrefix("2019-10-30  john") && $0.contains("61.75") })
  }

  @Test func `moves a sample between people and the tray`() async throws {
    let id = try await #require(weights().first?["id"] as? Int)
    let number = String(id)
    #expect(try await isWeighed() == true)
    let moved = try await run("samples", "assign", number, "--patient", "anna", "--reason", "hers")
    #expect(moved.status == 0, "\(moved.error)")
    #expect(
      moved.lines.contains {
        $0.hasPrefix("\(id)  Weight 61.75 kg of 2019-10-30") && $0.hasSuffix(": assigned to anna")
      })
    #expect(try await weights("--patient", "anna").count == 1)
    #expect(try await isWeighed() == false)
    #expect(try await run("samples", "unassign", number).status == 0)
    #expect(try await weights("--unassigned").count == 1)
    #expect(try await run("samples", "assign", number, "--patient", "john").status == 0)
    #expect(try await isWeighed() == true)
    let disowned = try await run("samples", "assign", number, "--nobody", "--json")
    #expect(disowned.objects.first?["patient"] == nil)
    #expect(try await isWeighed() == false)
  }

  func isWeighed() async throws -> Bool? {
    try await run(
      "events", "--from", "2019-10-30", "--to", "2019-10-31", "--task", "weigh-in", "--json"
    )
    .objects.last?["completed"] as? Bool
  }

  @Test func `deletes and restores`() async throws {
    let number = String(try await #require(weights().first?["id"] as? Int))
    let deleted = try await run("samples", "delete", number, "--json")
    #expect(deleted.objects.first?["state"] as? String == "deleted")
    #expect(try await weights().isEmpty)
    #expect(try await weights("--deleted").count == 1)
    #expect(try await run("samples", "restore", number).status == 0)
    #expect(try await weights().count == 1)
  }

  @Test func corrects() async throws {
    let number = String(try await #require(weights().first?["id"] as? Int))
    let corrected = try await run(
      "samples", "correct", number, "--value", "140", "--unit", "lb", "--reason", "boots")
    #expect(corrected.lines.first?.contains("is corrected to 63.5 kg") == true)
    let current = try await #require(weights().first)
    #expect(current["provenance"] as? String == "manual" && current["correction"] as? Bool == true)
    #expect(try await isWeighed() == true)
    #expect(current["corrects"] as? Int == Int(number) && current["reason"] as? String == "boots")
    let listed = try await run("samples", "--quantity", "bodyMass").lines.last
    #expect(listed?.hasSuffix("corrects 61.75 kg (id \(number)); “boots”") == true)
    let implausible = try await run("samples", "correct", number, "--value", "-5")
    #expect(implausible.status == 3 && implausible.error.contains("−5 kg is no plausible value"))
    #expect(try await run("samples", "correct", number, "--value", "nan").status == 3)
    // An earlier correction neither counted nor counts.
    #expect(try await run("samples", "correct", number, "--value", "62").status == 0)
    for command in ["delete", "restore"] {
      let changed = try await run("samples", command, number)
      #expect(changed.lines.filter { $0.contains("Weight") }.count == 2, "\(changed.lines)")
      #expect(changed.lines.allSatisfy { !$0.contains("63.5 kg") })
    }
    let wrong = try await run("samples", "correct", number, "--value", "140", "--unit", "s")
    #expect(wrong.status == 3 && wrong.error.contains("Weight is measured in kg, not in s"))
  }

  @Test(arguments: [("64 kg", 64), ("12 st 13 lb", 82.100_219), ("81,6", 81.6)])
  func `corrects to a value with its unit`(value: String, kilograms: Double) async throws {
    let number = String(try await #require(weights().first?["id"] as? Int))
    let corrected = try await run("samples", "correct", number, "--value", value)
    #expect(corrected.status == 0, "\(corrected.error)")
    let stored = try await #require(weights().first?["value"] as? Double)
    #expect(abs(stored - kilograms) < 1e-5)
    let heavy = try await run("samples", "correct", number, "--value", "heavy")
    #expect(heavy.status == 3 && heavy.error.contains("‘heavy’ is no weight. Write 63.9, which"))
  }

  @Test func `says what else is deleted`() async throws {
    let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Examples/weigh-in.jsonl").path
    #expect(try await run("replay", example).status == 0)
    let number = try await #require(weights().last?["id"] as? Int)
    let deleted = try await run("samples", "delete", String(number))
    let own = deleted.lines.first { $0.hasPrefix("\(number)  Weight") }
    #expect(own?.hasSuffix(": deleted") == true)
    #expect(
      deleted.lines.contains {
        $0.contains("Body impedance") && $0.hasSuffix(": deleted, as it was measured with it")
      }, "\(deleted.lines)")
    let help = try await run("samples", "delete", "--help").output
    #expect(
      help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("deleted with it"))
  }

  @Test func `a measured value is corrected and not answered again`() async throws {
    let number = try await #require(weights().first?["id"] as? Int)
    let way =
      "To correct it: measured samples correct \(number) --value … --unit kg --store \(store[1]); to take"
      + " it out: measured samples delete \(number) --store \(store[1])."
    let again = try await run("done", "weigh-in", "--value", "63.9", "--date", "2019-10-30")
    #expect(again.status == 3 && again.error.contains("It was measured. \(way)"), "\(again.error)")
    let undone = try await run("undo", "weigh-in", "--date", "2019-10-30")
    #expect(
      undone.status == 3
        && undone.error.contains("‘weigh-in’ was measured, and not answered by hand. \(way)"),
      "\(undone.error)")
  }

  @Test
  func `a correction without a unit is in the one that the person reads`() async throws {
    let plan = await InProcess.run(["plan", "export"] + store).output
    let american = plan.replacing("{id: john,", with: "{id: john, units: us,")
    let file = try folder.write(american, to: "american.yaml")
    #expect(try await run("plan", "import", file).status == 0)
    let number = String(try await #require(weights().first?["id"] as? Int))
    let corrected = try await run("samples", "correct", number, "--value", "140")
    #expect(
      corrected.lines.first?.contains("is corrected to 140 lb") == true, "\(corrected.lines)")
  }

  @Test func `changes everything of a device`() async throws {
    let moved = try await run(
      "samples", "assign", "--device", Self.strap, "--from", "2019-10-30", "--to", "2019-11-01",
      "--patient", "anna")
    #expect(moved.status == 0, "\(moved.error)")
    #expect(moved.lines.last?.contains(" of a stream: assigned to anna") == true)
    let days = try await run("samples", "--summary", "--quantity", "heartRate", "--json").objects
    #expect(days.map { $0["patient"] as? String } == ["anna"])
    let unknown = try await run("samples", "delete", "--device", "A0:9E:1A:00:00:03")
    #expect(unknown.status == 4 && unknown.error.contains("(did you mean ‘\(Self.strap)’?)"))
  }

  @Test(arguments: [
    ["assign", "1"], ["assign", "1", "--patient", "john", "--nobody"], ["delete"],
    ["delete", "1", "--device", "x"], ["delete", "1", "--from", "2019-10-30"],
    ["list", "--csv", "--json"], ["list", "--last", "0"],
  ])
  func `refuses contradictions`(arguments: [String]) async throws {
    #expect(await InProcess.run(["samples"] + arguments + store).status == 2)
  }

  @Test func `says that there is nothing`() async throws {
    let none = try await run("samples", "--quantity", "height")
    #expect(none.lines == ["There are no samples of this selection."] && none.status == 0)
    #expect(try await run("samples", "--quantity", "height", "--json").output.isEmpty)
    #expect(try await run("samples", "--quantity", "height", "--summary", "--json").output.isEmpty)
    #expect(try await run("samples", "--deleted").lines == ["There are no deleted samples."])
    let named = try await run("samples", "--quantity", "weight")
    #expect(named.status == 4 && named.error.contains("(did you mean ‘bodyMass’?)"))
  }
}
