import Foundation
import Testing
import WebTestSupport

/// Consent on the command line, through exports, and on the day's page.
@Suite struct ConsentCommandTests {
  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: anna, name: {given: Anna}}]
    carePlans: [{id: heart, title: Heart failure, consent: consent.md}]
    tasks:
      - {id: pills, title: Take the pills, carePlan: heart, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
    """
  private let folder: TemporaryFolder
  private let store: String

  init() async throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    try await importPlan(version: 1)
  }

  private func importPlan(version: Int) async throws {
    _ = try folder.write(
      "---\nversion: \(version)\n---\n# Your data\n\n## Where\nOn this box.\n", to: "consent.md")
    let plan = try folder.write(Self.plan, to: "plan.yaml")
    try await run("plan", "import", plan)
  }

  @discardableResult
  private func run(
    _ arguments: String..., store other: String? = nil, expecting status: Int32 = 0
  ) async throws -> MeasuredProcess.Result {
    let result = await InProcess.run(arguments + ["--store", other ?? store])
    #expect(result.status == status, "\(arguments): \(result.output) \(result.error)")
    return result
  }

  private func states(of store: String? = nil) async throws -> [String] {
    try await run("consent", "list", "--json", store: store).objects.map {
      "\($0["state"] as? String ?? "") \($0["mayLeave"] as? Bool ?? false)"
    }
  }

  @Test func `is asked, shown, given and withdrawn`() async throws {
    #expect(try await states() == ["open false"])
    #expect(try await run("today").output.contains("measured consent show heart --patient anna"))
    let shown = try await run("consent", "show", "heart").output
    #expect(shown.contains("“Your data”, version 1: Waits for an answer"))
    #expect(shown.contains("Where\nOn this box."))
    try await run("consent", "agree", "heart", "--name", "Anna Muster")
    #expect(try await states() == ["agreed true"])
    #expect(try await !run("today").output.contains("measured consent show"))
    try await importPlan(version: 2)
    #expect(try await states() == ["open false"])
    try await run("consent", "withdraw", "heart", "--name", "Anna Muster")
    #expect(try await states() == ["withdrawn false"])
    let after = try await run("consent", "show", "heart").output
    #expect(after.contains("Anna Muster agreed to version 1"))
    #expect(after.contains("Anna Muster did not agree to version 2 or withdrew"))
  }

  @Test func `refuses what is not there and what was not read`() async throws {
    try await run("consent", "agree", "liver", "--name", "Anna", expecting: 4)
    try await run("consent", "agree", "heart", "--name", " ", expecting: 2)
    try await run("consent", "agree", "heart", "--name", "Anna", "--digest", "00", expecting: 3)
    #expect(try await states() == ["open false"])
  }

  @Test func `an export carries it, and an erasure removes it`() async throws {
    try await run("consent", "agree", "heart", "--name", "Anna Muster")
    let export = folder.path("export.jsonl")
    try await run("store", "export", export)
    let other = folder.path("other.sqlite")
    try await run("store", "import", export, store: other)
    #expect(try await states(of: other) == ["agreed true"])
    #expect(try await run("store", "check").status == 0)
    // A document that is not what its digest says is refused.
    let text = try String(contentsOfFile: export, encoding: .utf8)
    let forged = try folder.write(
      text.replacingOccurrences(of: "On this box.", with: "On any box."), to: "forged.jsonl")
    try await run("store", "import", forged, store: folder.path("third.sqlite"), expecting: 1)
    try await run("store", "erase", "--patient", "anna", "--yes")
    try await run("store", "export", export)
    #expect(try !String(contentsOfFile: export, encoding: .utf8).contains("Muster"))
  }

  @Test func `comes on the page before anything else of the care plan`() async throws {
    let site = try SameThroughEveryFaceTests.Site(store)
    let before = try await site.get("/today?date=2026-03-09").text
    #expect(before.contains("Your data") && !before.contains("Take the pills"))
    let page = try await site.get("/consent?patient=anna&plan=heart").text
    #expect(page.contains("<p>On this box.</p>") && page.contains("I agree"))
    try await run("consent", "withdraw", "heart", "--name", "Anna")
    let after = try await site.get("/today?date=2026-03-09").text
    #expect(!after.contains("Your data") && after.contains("Take the pills"))
  }
}
