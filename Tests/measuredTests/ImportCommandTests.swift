import Foundation
import Testing

/// `measured import`: the history of another program.
@Suite struct ImportCommandTests {
  let folder: TemporaryFolder
  let store: [String]

  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: ann, name: {given: Ann}, expects: {bodyMass: 64 kg}}
      - {id: bob, name: {given: Bob}, expects: {bodyMass: 90 kg}}
    """
  private static let scale = """
    DATE,TIME,BODY_FAT,WEIGHT
    2026-03-02,07:04:31,25.1,64.2
    2026-03-03,25:00:00,25.1,64.1
    2026-03-04,07:10:00,,64.3

    """
  private static let prepared = PreparedStore { folder, path in
    let plan = try folder.write(plan, to: "plan.yaml")
    let result = await InProcess.run(["plan", "import", plan, "--store", path])
    try #require(result.status == 0, "\(result.error)")
  }

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private func run(_ arguments: String...) async -> MeasuredProcess.Result {
    await InProcess.run(arguments + store)
  }

  @Test func `says what it would import, imports it, and knows it again`() async throws {
    let file = try folder.write(Self.scale, to: "anything.txt")
    let expected: [(arguments: [String], new: Int, known: Int)] = [
      (["--dry-run"], 3, 0), ([], 3, 0), (["--zone", "Asia/Tokyo"], 0, 3),
    ]
    for (arguments, new, known) in expected {
      let result = await InProcess.run(
        ["import", file, "--patient", "ann", "--json"] + arguments + store)
      let line = try #require(result.objects.first, "\(result.error)")
      #expect(result.status == 0)
      #expect(line["kind"] as? String == "openScale" && line["read"] as? Int == 3)
      #expect(line["new"] as? Int == new && line["known"] as? Int == known)
      #expect(line["unassigned"] as? Int == 0)
      let skipped = try #require((line["skipped"] as? [[String: Any]])?.first)
      #expect(skipped["line"] as? Int == 3)
      #expect(skipped["reason"] as? String == "‘2026-03-03 25:00:00’ is no time of the past")
    }
    let samples = await run("samples", "--quantity", "bodyMass", "--json").objects
    #expect(
      samples.map { $0["time"] as? String } == [
        "2026-03-02T07:04:31+01:00", "2026-03-04T07:10:00+01:00",
      ])
    #expect(samples.allSatisfy { $0["patient"] as? String == "ann" })
  }

  @Test func `decides whose a weight is, and says so to people`() async throws {
    let file = try folder.write(Self.scale, to: "scale.csv")
    let result = await run("import", file)
    #expect(
      result.output
        == "\(file): openScale: 3 values: 3 new, 0 known, 0 without a person yet.\n")
    #expect(result.error.contains("Times without a zone are read in Europe/Berlin"))
    #expect(result.error.contains("line 3: ‘2026-03-03 25:00:00’ is no time of the past"))
    let samples = await run("samples", "--quantity", "bodyMass", "--json").objects
    #expect(samples.allSatisfy { $0["patient"] as? String == "ann" })
  }

  @Test func `what was erased stays out, and says how it comes for another person`() async throws {
    let file = try folder.write(Self.scale, to: "scale.csv")
    _ = await run("import", file, "--patient", "bob")
    #expect(await run("store", "erase", "--patient", "bob", "--yes").status == 0)
    let unnamed = await run("import", file)
    #expect(unnamed.output.contains("3 values: 0 new, 0 known, 0 without a person yet"))
    #expect(
      unnamed.error.contains(
        "3 left out, the first in line 2: it was erased with a person. Where it is another one’s,"
          + " choose that person (--patient)"))
    let named = await run("import", file, "--patient", "ann")
    #expect(named.output.contains("3 values: 3 new, 0 known"))
    let samples = await run("samples", "--quantity", "bodyMass", "--json").objects
    #expect(samples.count == 2 && samples.allSatisfy { $0["patient"] as? String == "ann" })
  }

  @Test func `what is no history says what it looks like`() async throws {
    let file = try folder.write("a,b\n1,2\n", to: "table.csv")
    let unknown = await run("import", file)
    #expect(unknown.status == 1)
    #expect(
      unknown.error
        == "measured: \(file): this is no history that is known; it looks like a table with the"
        + " columns a, b. Say which is what: --columns date=1 --columns weight=3:kg\n")
    #expect(await run("import", folder.path("missing.csv")).status == 1)
    #expect(await run("import", file, "--zone", "CET").status == 2)
    let wrong = await run("import", file, "--columns", "date")
    #expect(wrong.error.contains("‘date’ says no column"))
  }

  @Test func `other commands name it`() async throws {
    let file = try folder.write(Self.scale, to: "scale.csv")
    let hint = "\(file): this is a history (openScale export): measured import \(file)"
    let plan = try folder.write(Self.plan, to: "plan.yaml")
    #expect(await InProcess.run(["replay", file, "--plan", plan]).error.contains(hint))
    #expect(await InProcess.run(["measure", "steps", file]).error.contains(hint))
  }
}
