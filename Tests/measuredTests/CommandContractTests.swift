import ArgumentParser
import Foundation
import Testing

@testable import measured

/// The contract with users and scripts: exit codes, and only JSON on standard output with --json.
@Suite struct CommandContractTests {
  @Test(
    arguments: [
      (["--help"], 0), (["--version"], 0), (["replay", "--help"], 0),
      (["devices", "test"], 0), (["devices", "lint"], 0), (["devices"], 0),
      // Malformed arguments.
      (["rply"], 2), (["replay"], 2), (["replay", "trace.jsonl"], 2), (["decode", "2A37"], 2),
      (["decode", "2A37", "004"], 2), (["decode", "2A37", "zz"], 2), (["measure", "steps"], 2),
      (["measure", "steps", "a.csv", "--unit", "stone"], 2),
      (["measure", "range-of-motion", "a.csv", "--joint", "tail"], 2),
      (["measure", "range-of-motion", "a.csv", "--joint", "knee"], 2),
      (["events", "--from", "lately", "--to", "2019-11-01"], 2),
      (["replay", "a.jsonl", "--plan", "p.yaml", "--speed", "-1"], 2),
      // Input that cannot be read or decoded.
      (["decode", "2A37", "00"], 1), (["decode", "--advertisement", "05ff"], 1),
      (["measure", "steps", "/nonexistent.csv"], 1),
      (["plan", "validate", "/nonexistent.yaml"], 1),
      (["events", "--store", "/nonexistent", "--from", "2019-10-01", "--to", "2019-11-01"], 1),
      // Unknown ids.
      (["decode", "2AFF", "00"], 4), (["decode", "2A37", "0048", "--device", "nothing"], 4),
      (["devices", "show", "nothing"], 4),
    ] as [([String], Int32)])
  func `exits with its code`(arguments: [String], status: Int32) async throws {
    let result = await InProcess.run(arguments)
    #expect(result.status == status, "\(arguments): \(result.error)")
    #expect(result.status == 0 || !result.error.isEmpty)
  }

  @Test(arguments: commands(of: Measured.self))
  func `helps with an example`(command: String) async throws {
    let result = await InProcess.run(
      command.split(separator: " ").map(String.init) + ["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("Example:") && result.output.contains("measured \(command)"))
  }

  /// Every command and subcommand: `samples`, `samples list`.
  private static func commands(of command: any ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.flatMap { subcommand in
      [subcommand._commandName]
        + commands(of: subcommand).map { "\(subcommand._commandName) \($0)" }
    }
  }

  @Test(
    arguments: [
      (
        ["2A9D", "0e783eea07050c12353601ee002607"],
        [
          "bodyMass 79.96 kg 2026-05-12T18:53:54", "bodyMassIndex 23.8 kg/m2 2026-05-12T18:53:54",
          "height 1.83 m 2026-05-12T18:53:54",
        ]
      ),
      (["2A37", "16480004"], ["heartRate 72 /min", "rrInterval 1 s"]),
      (
        ["2A35", "007800500050 00".replacingOccurrences(of: " ", with: "")],
        [
          "bloodPressureSystolic 120 mm[Hg]", "bloodPressureDiastolic 80 mm[Hg]",
          "bloodPressureMean 80 mm[Hg]",
        ]
      ),
      (
        ["--advertisement", "020106 10161b18 0226e607020e10293af7019a38"],
        ["impedance 503 Ohm 2022-02-14T16:41:58", "bodyMass 72.45 kg 2022-02-14T16:41:58"]
      ),
    ] as [([String], [String])])
  func decodes(arguments: [String], expected: [String]) async throws {
    let result = await InProcess.run(["decode"] + arguments)
    let lines = result.objects.map { object in
      [
        object["quantity"] as? String,
        (object["value"] as? Double).map { "\($0)" }?
          .replacingOccurrences(of: ".0", with: "", options: [.anchored, .backwards]),
        object["unit"] as? String, object["time"] as? String,
      ].compactMap(\.self).joined(separator: " ")
    }
    #expect(lines == expected, "\(result.error)")
  }

  @Test func `refuses a broken plan with file line and reason`() async throws {
    let folder = try TemporaryFolder()
    let broken = Recordings.plan.replacingOccurrences(of: "duration: 1h", with: "duraton: 1h")
    let plan = try folder.write(broken, to: "plan.yaml")
    let store = folder.path("s.sqlite")
    let result = await InProcess.run(["plan", "import", plan, "--store", store])
    #expect(result.status == 1)
    #expect(result.error.contains("plan.yaml:28: ") && result.error.contains("‘duraton’"))
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `measures the other files if one is refused`() async throws {
    let folder = try TemporaryFolder()
    let rows = (0..<500).map { "\(Double($0) / 50),0,0,1" }.joined(separator: "\n")
    let still = try folder.write("t,x,y,z\n" + rows, to: "still.csv")
    let empty = try folder.write("t,x,y,z\n", to: "empty.csv")
    let result = await InProcess.run(["measure", "steps", empty, still, "--json"])
    #expect(result.status == 3)
    #expect(result.objects.map { $0["file"] as? String } == [empty, still])
    #expect(result.objects[0]["error"] as? String == "refused")
    #expect((result.objects[0]["reason"] as? String)?.contains("nothing to measure") == true)
    #expect(result.objects[1]["steps"] as? Int == 0)
    #expect((result.objects[1]["quality"] as? [String: Any])?["verdict"] as? String == "good")
  }

  @Test func `prints one row for each input row`() async throws {
    let rows = (0..<50).map { "\(Double($0) / 50),0.6,0,0.8" }.joined(separator: "\n")
    let result = await InProcess.run(
      ["measure", "inclination", "--acc-only", "-"], input: "t,ax,ay,az\n" + rows)
    #expect(result.status == 0)
    #expect(result.lines.count == 51)
    #expect(result.lines.first == "t,ux,uy,uz")
    #expect(result.lines.last == "0.980000,0.600000000,0.000000000,0.800000000")
  }

  @Test func `refuses a newer programs store untouched`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let store = folder.path("s.sqlite")
    #expect(await InProcess.run(["plan", "import", plan, "--store", store]).status == 0)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    // The user version in a SQLite file's header: four bytes at 60, big-endian.
    bytes.replaceSubrange(60..<64, with: [0, 0, 0x7F, 0xFF])
    try bytes.write(to: URL(fileURLWithPath: store))
    let result = await InProcess.run(
      ["events", "--store", store, "--from", "2019-10-01", "--to", "2019-11-01"])
    #expect(result.status == 3)
    #expect(result.error.contains("newer"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["plan.yaml", "s.sqlite"])
  }

  @Test(arguments: [4, 5, 8])
  func `says that too many files are open`(limit: Int) throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = "ulimit -n \(limit); exec '\(MeasuredProcess.executable.path)' today --store"
    process.arguments = ["-c", "\(command) '\(folder.path("s.sqlite"))'"]
    let error = Pipe()
    process.standardError = error
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 1)
    #expect(text.hasPrefix("measured: "), "\(text)")
  }
}
