import Foundation
import Testing

/// Plans and stores as FHIR.
@Suite struct FHIRCommandTests {
  let folder: TemporaryFolder
  let store: [String]

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private static let prepared = PreparedStore(plan: AnswerCommandTests.plan)

  func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments + store)
  }

  @Test func `an exported plan changes nothing when it is imported again`() async throws {
    let file = folder.path("plan.json")
    #expect(try await run("plan", "export", "--fhir", file).status == 0)
    let again = try await run("plan", "import", file, "--json")
    #expect(again.status == 0, "\(again.error)")
    #expect(again.objects.allSatisfy { $0["change"] as? String == "unchanged" })
    let fresh = await InProcess.run([
      "plan", "import", file, "--json", "--store", folder.path("t.sqlite"),
    ])
    func tasks(_ result: MeasuredProcess.Result) -> [String?] {
      result.objects.filter { $0["kind"] as? String == "task" }.map { $0["id"] as? String }
    }
    #expect(tasks(fresh) == tasks(again) && !tasks(again).isEmpty)
    #expect(fresh.objects.allSatisfy { $0["change"] as? String == "added" })
  }

  private static let order = """
    {"resourceType":"MedicationRequest","id":"24","status":"active","intent":"order",
    "medicationCodeableConcept":{"text":"Amlodipine"},"subject":{"reference":"Patient/4711"},
    "requester":{"display":"Dr Lin"},"dosageInstruction":[{"text":"5 mg",
    "timing":{"repeat":{"frequency":1,"period":1,"periodUnit":"d","when":["MORN"]}}}]}
    """

  @Test func `an order of a clinic becomes a task that can be taken back`() async throws {
    let file = try folder.write(Self.order, to: "order.json")
    let mapping = try folder.write(
      "patients: {Patient/4711: anna}\ntimes: {MORN: \"07:30\"}\n", to: "mapping.yaml")
    let refused = try await run("plan", "import", file)
    #expect(refused.status == 1)
    #expect(
      refused.error.contains(
        "MedicationRequest.dosageInstruction[0].timing.repeat.when: a plan cannot say ‘MORN’."))
    let added = try await run(
      "plan", "import", file, "--mapping", mapping, "--start", "2026-03-02", "--json")
    #expect(added.status == 0, "\(added.error)")
    #expect(added.error.contains("MedicationRequest.requester"))
    #expect(
      added.objects.contains { $0["id"] as? String == "24" && $0["change"] as? String == "added" })
    let task = try #require(try await run("tasks", "--id", "24", "--json").objects.first)
    #expect(task["patient"] as? String == "anna" && task["text"] as? String == "5 mg")
    #expect(try await run("plan", "undo").status == 0)
    #expect(try await run("tasks", "--id", "24").status == 4)
  }

  @Test func `a store is a transaction, or a file for each type`() async throws {
    let result = try await run("store", "export", "--fhir", "-", "--patient", "anna")
    let bundle = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let entries = try #require(bundle["entry"] as? [[String: Any]])
    let urls = entries.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
    #expect(urls.count == entries.count && Set(urls).count == urls.count)
    let bulk = folder.path("bulk")
    #expect(try await run("store", "export", "--fhir", "--ndjson", bulk).status == 0)
    let people = try String(contentsOfFile: bulk + "/Patient.ndjson", encoding: .utf8)
    #expect(people.split(separator: "\n").count == 2)
    #expect(try await run("store", "export", "--ndjson", bulk).status == 2)
  }

  @Test func `a server's key is made once, and what lacks a secret says so`() async throws {
    let key = folder.path("clinic.key")
    let made = await InProcess.run(["outlet", "key", key])
    #expect(made.status == 0, "\(made.error)")
    let keys = made.objects.first?["keys"] as? [[String: Any]]
    #expect(keys?.first?["crv"] as? String == "P-384" && keys?.first?["d"] == nil)
    #expect(await InProcess.run(["outlet", "key", key]).output == made.output)
    let settings = try folder.write(
      """
      outlets:
        clinic: {kind: fhir, address: "https://clinic.example/fhir", people: all, client: box-17,
          secretFile: \(folder.path("missing.key"))}
        hook: {kind: webhook, address: "https://example.org/in", people: all, secretFile: \(key)}
      """, to: "settings.yaml")
    let mapping = try folder.write("patients: {Patient/4711: anna}\n", to: "mapping.yaml")
    let from = ["--settings", settings, "--mapping", mapping]
    let missing = await InProcess.run(["plan", "import", "--from", "clinic"] + from + store)
    #expect(missing.status == 1 && missing.error.contains("There is no secret in"))
    let other = await InProcess.run(["plan", "import", "--from", "hook"] + from + store)
    #expect(other.error.contains("‘hook’ is no server of FHIR"))
    let unknown = await InProcess.run(["plan", "import", "--from", "nowhere"] + from + store)
    #expect(unknown.status == 4 && unknown.error.contains("There is no outlet ‘nowhere’"))
    let both = await InProcess.run(["plan", "import", "--from", "clinic", "plan.yaml"] + store)
    #expect(both.status == 2)
    #expect(await InProcess.run(["plan", "import"] + store).status == 2)
  }
}
