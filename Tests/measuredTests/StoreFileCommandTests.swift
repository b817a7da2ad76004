import Foundation
import Testing

/// `measured store`: the file itself.
@Suite struct StoreFileCommandTests {
  let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    _ = try folder.write(AnswerCommandTests.plan, to: "plan.yaml")
    try await Self.prepared.copy(to: folder.path("a.sqlite"))
  }

  private static let prepared = PreparedStore { folder, path in
    let plan = try folder.write(AnswerCommandTests.plan, to: "plan.yaml")
    let commands = [
      ["plan", "import", plan], ["done", "weigh-in", "--date", "2026-03-02", "--value", "63.9"],
    ]
    for command in commands {
      let result = await InProcess.run(command + ["--store", path])
      try #require(result.status == 0, "\(result.error)")
    }
  }

  /// Runs a command on the first store, or on another one.
  func run(_ arguments: String..., on store: String = "a.sqlite") async throws
    -> MeasuredProcess.Result
  {
    await InProcess.run(
      arguments, environment: ["MEASURED_STORE": folder.path(store)])
  }

  func weights(in store: String) async throws -> [Double?] {
    try await run("samples", "--quantity", "bodyMass", "--json", on: store).objects
      .map { $0["value"] as? Double }
  }

  @Test func `finds nothing in a sound store`() async throws {
    // A store of its own: of a copy, the check says that it is one.
    let imported = try await run("plan", "import", folder.path("plan.yaml"), on: "own.sqlite")
    #expect(imported.status == 0, "\(imported.error)")
    let check = try await run("store", "check", on: "own.sqlite")
    #expect(check.status == 0, "\(check.error)")
    #expect(check.output.contains("is as it should be.\n"))
    let facts = try await run("store", "check", "--json", on: "own.sqlite")
    #expect(facts.output.isEmpty, "\(facts.output)")
  }

  @Test func `saves and restores`() async throws {
    #expect(try await run("store", "backup", folder.path("copy.sqlite")).status == 0)
    #expect(try await run("undo", "weigh-in", "--date", "2026-03-02").status == 0)
    #expect(try await weights(in: "a.sqlite").isEmpty)
    // A copy is found, but is no damage that loses anything.
    let restored = try await run("store", "restore", folder.path("copy.sqlite"))
    #expect(restored.status == 0, "\(restored.error)")
    #expect(try await weights(in: "a.sqlite") == [63.9])
    #expect(try await weights(in: "a.sqlite.before-restore").isEmpty)
    #expect(try await run("store", "restore", folder.path("plan.yaml")).status == 1)
  }

  @Test func `merges an export`() async throws {
    let export = folder.path("a.jsonl")
    #expect(try await run("store", "export", export).status == 0)
    let lines = try await run("store", "export").lines
    #expect(lines.first == #"{"measured-store":1}"#)
    #expect(try String(contentsOfFile: export, encoding: .utf8) == lines.map { $0 + "\n" }.joined())

    let merged = try await run("store", "import", export, "--json", on: "b.sqlite")
    #expect(merged.status == 0, "\(merged.error)")
    #expect(merged.objects.first?["samples"] as? Int == 1)
    #expect(try await weights(in: "b.sqlite") == [63.9])
    let again = try await run("store", "import", export, on: "b.sqlite")
    #expect(again.lines == ["Nothing changed: the store has all of it already."])
    #expect(try await run("store", "export", on: "b.sqlite").lines == lines)
    let piped = await InProcess.run(
      ["store", "import", "-"], input: lines.map { $0 + "\n" }.joined(),
      environment: ["MEASURED_STORE": folder.path("c.sqlite")])
    #expect(piped.status == 0, "\(piped.error)")
    #expect(try await weights(in: "c.sqlite") == [63.9])
    #expect(try await run("store", "import", folder.path("plan.yaml")).status == 1)
  }

  @Test func `replaces a store after a backup`() async throws {
    let export = folder.path("a.jsonl")
    #expect(try await run("store", "export", export).status == 0)
    #expect(
      try await run("done", "weigh-in", "--date", "2026-03-03", "--value", "64.1").status == 0)
    let replaced = try await run("store", "import", export, "--replace")
    #expect(replaced.status == 0, "\(replaced.error)")
    #expect(try await weights(in: "a.sqlite") == [63.9])
    #expect(try await weights(in: "a.sqlite.before-restore") == [63.9, 64.1])
  }

  /// As far as a limit on file sizes stands in for a full disk.
  @Test(arguments: ["export", "backup"])
  func `names the file that cannot be written`(command: String) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let target = folder.path("copy")
    // Both are longer than the limit, which the store's own log and index keep.
    let long = String(repeating: "Drink a glass of water with it. ", count: 4_000)
    let plan = try folder.write(
      AnswerCommandTests.plan.replacing("With food.", with: long), to: "long.yaml")
    #expect(try await run("plan", "import", plan).status == 0)
    process.arguments = [
      "-c",
      "trap '' XFSZ; ulimit -f 100; exec '\(MeasuredProcess.executable.path)' store \(command)"
        + " '\(target)' --store '\(folder.path("a.sqlite"))'",
    ]
    let error = Pipe()
    process.standardError = error
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    #expect(text.hasPrefix("measured: The file ‘\(target)’ cannot be written: "), "\(text)")
    #expect(text.contains("(ulimit -f)"), "\(text)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.allSatisfy { !$0.hasPrefix("copy") })
  }

  @Test func `names standard output on a full disk`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      "exec '\(MeasuredProcess.executable.path)' store export --store '\(folder.path("a.sqlite"))'"
        + " > /dev/full",
    ]
    let error = Pipe()
    process.standardError = error
    try process.run()
    let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    #expect(
      text == "measured: Standard output cannot be written: No space left on device.\n", "\(text)")
  }

  /// Two stores answer one event; the command that is printed settles it.
  @Test(arguments: ["done", "undo"])
  func `settles two answers with the printed command`(verb: String) async throws {
    let export = folder.path("a.jsonl")
    #expect(try await run("store", "export", export).status == 0)
    #expect(try await run("store", "import", export, on: "b.sqlite").status == 0)
    let pills = ["done", "pills", "--date", "2026-03-02", "--occurrence", "3"]
    for store in ["a.sqlite", "b.sqlite"] {
      let answered = await InProcess.run(
        pills + ["--reason", store], environment: ["MEASURED_STORE": folder.path(store)])
      #expect(answered.status == 0, "\(answered.error)")
    }
    #expect(try await run("store", "export", export, on: "b.sqlite").status == 0)
    let merged = try await run("store", "import", export)
    let line = try #require(merged.lines.last)
    #expect(line.hasPrefix("event of task ‘pills’ of ‘anna’ at 2026-03-02T20:00"), "\(line)")
    let listed = try await run("tasks", "--conflicts", "--json")
    #expect(listed.objects.map { $0["occurrence"] as? Int } == [3])
    let command = try #require(
      line.split(separator: " measured ").map { $0.prefix { $0 != ";" } }
        .first { $0.hasPrefix(verb) })
    #expect(command == "\(verb) pills --patient anna --date 2026-03-02 --occurrence 3")
    let settled = await InProcess.run(
      command.split(separator: " ").map(String.init),
      environment: ["MEASURED_STORE": folder.path("a.sqlite")])
    #expect(settled.status == 0, "\(settled.error)")
    #expect(try await run("tasks", "--conflicts").lines == ["There is nothing to settle."])
  }

  /// A version that would leave an answer without its event; the refusal names what can be done.
  @Test func `a refused settlement names the next commands`() async throws {
    let export = folder.path("a.jsonl")
    #expect(try await run("store", "export", export).status == 0)
    #expect(try await run("store", "import", export, on: "b.sqlite").status == 0)
    #expect(try await run("task", "end", "pills", "--at", "2026-03-05", on: "b.sqlite").status == 0)
    let edited = try folder.write(
      AnswerCommandTests.plan.replacing(
        "title: Take the pills", with: "title: Take two pills\n    effectiveDate: 2026-03-04"),
      to: "edited.yaml")
    #expect(try await run("plan", "import", edited).status == 0)
    #expect(try await run("done", "pills", "--date", "2026-03-20").status == 0)
    #expect(try await run("store", "export", export, on: "b.sqlite").status == 0)
    #expect(try await run("store", "import", export).status == 0)
    let refused = try await run("task", "settle", "pills", "--patient", "anna", "--version", "2")
    #expect(refused.status == 3)
    #expect(
      refused.error.contains("measured task settle pills --patient anna --version 1"),
      "\(refused.error)")
    let undo = "measured undo pills --patient anna --date 2026-03-20"
    #expect(refused.error.contains(undo), "\(refused.error)")
    #expect(try await run("undo", "pills", "--patient", "anna", "--date", "2026-03-20").status == 0)
    #expect(
      try await run("task", "settle", "pills", "--patient", "anna", "--version", "2").status == 0)
  }

  @Test func `refuses a plan that brings an erased person back`() async throws {
    #expect(try await run("store", "erase", "--patient", "anna", "--yes").status == 0)
    let plan = folder.path("plan.yaml")
    for result in [
      try await run("plan", "import", plan), try await run("plan", "import", plan, "--dry-run"),
    ] {
      #expect(result.status == 3)
      #expect(result.error.contains("The id ‘anna’ is taken, or was once."), "\(result.error)")
    }
  }

  @Test func `says what a check cannot find`() async throws {
    let help = try await run("store", "check", "--help").output.replacing("\n", with: " ")
    #expect(help.contains("It cannot find a value of an answer, a single sample, a device binding"))
  }

  @Test func `lists and settles conflicts`() async throws {
    let export = folder.path("a.jsonl")
    #expect(try await run("store", "export", export).status == 0)
    #expect(try await run("store", "import", export, on: "b.sqlite").status == 0)
    #expect(try await run("task", "delete", "pills", on: "b.sqlite").status == 0)
    #expect(try await run("task", "end", "pills", "--at", "2026-04-01").status == 0)
    #expect(try await run("store", "export", export, on: "b.sqlite").status == 0)
    let merged = try await run("store", "import", export)
    #expect(
      merged.lines.last?.contains("measured task settle pills --patient anna --version 1") == true)
    let list = try await run("tasks", "--conflicts").lines
    #expect(list.count == 4 && list[1].hasPrefix("  1  “Take the pills”, ended at 2026-04-01"))
    #expect(list[2].hasPrefix("  2  “Take the pills”, deleted, by hand in another store at "))
    let conflicts = try await run("tasks", "--conflicts", "--json")
    #expect(conflicts.objects.map { $0["id"] as? String } == ["pills"])
    let check = try await run("store", "check", "--json")
    #expect(check.status == 3)
    #expect(check.objects.first?["finding"] as? String == "conflict")
    #expect(check.objects.first?["advice"] is String)
    let unknown = try await run("task", "settle", "pills", "--patient", "anna", "--version", "3")
    #expect(unknown.status == 4 && unknown.error.contains("no version ‘3’"))
    #expect(
      try await run("task", "settle", "pills", "--patient", "anna", "--version", "2").status == 0)
    #expect(try await run("tasks", "--conflicts").lines == ["There is nothing to settle."])
    #expect(try await run("tasks", "--conflicts", "--json").output.isEmpty)
    // The other store's deletion holds.
    #expect(try await run("tasks", "--id", "pills").status == 4)
    #expect(try await run("store", "check").status == 0)
  }

  @Test func `erases a patient`() async throws {
    let unconfirmed = try await run("store", "erase", "--patient", "anna")
    #expect(unconfirmed.status == 3 && unconfirmed.error.contains("--yes"))
    #expect(try await run("store", "erase", "--patient", "ana", "--yes").status == 4)
    let erased = try await run("store", "erase", "--patient", "anna", "--yes")
    #expect(erased.status == 0, "\(erased.error)")
    #expect(try await run("patient", "--json").objects.map { $0["id"] as? String } == ["karl"])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.sqlite")))
    #expect(bytes.range(of: Data("Take the pills".utf8)) == nil)
    #expect(bytes.range(of: Data("anna".utf8)) == nil)
  }

  @Test(arguments: ["restore", "import"])
  func `names a missing file`(command: String) async throws {
    let missing = try await run("store", command, folder.path("nothing"))
    #expect(missing.status == 1)
    #expect(missing.error.contains("There is no file \(folder.path("nothing")). Name "))
    let directory = try await run("store", command, folder.url.path)
    #expect(directory.status == 1 && directory.error.contains("is a directory"))
  }
}
