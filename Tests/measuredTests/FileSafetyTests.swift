import Foundation
import Testing

@testable import Daemon
@testable import Terminal

/// Files that commands read and write: secrets, pipes, and what files say to a terminal.
@Suite struct FileSafetyTests {
  private static let keyed =
    Recordings.plan + """

      devices:
        - {address: "5C:CA:D3:70:D4:A2", definition: xiaomi-mi-scale-2, patient: john, key: 00112233445566778899aabbccddeeff}
      """

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [(0o644, true), (0o640, false), (0o600, false)])
  func `warns of a plan with keys that every user may read`(mode: Int, isWarned: Bool) async throws
  {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.keyed, to: "plan.yaml")
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    try files.setAttributes([.posixPermissions: mode], ofItemAtPath: plan)
    let store = folder.path("s.sqlite")
    let result = await InProcess.run(["plan", "import", plan, "--store", store])
    #expect(result.status == 0)
    #expect(result.error.contains("every user of this machine may read it") == isWarned)
    #expect(!result.error.contains("00112233"))
    // A folder that other users may not enter protects the file.
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    let again = await InProcess.run(["plan", "import", plan, "--store", store])
    #expect(!again.error.contains("every user of this machine may read it"))
  }

  /// The service's plan is checked by `doctor`, too.
  @Test func `finds the exposed plan of the settings`() throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.keyed, to: "plan.yaml")
    let settings = try folder.write("plan: \(plan)", to: "measured.yaml")
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: plan)
    #expect(MachineFacts.planFault(settings: settings)?.contains("keys or consent codes") == true)
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: plan)
    #expect(MachineFacts.planFault(settings: settings) == nil)
    try Data("timeZone: nowhere".utf8).write(to: URL(fileURLWithPath: plan))
    #expect(MachineFacts.planFault(settings: settings)?.contains("plan.yaml:1: ") == true)
    #expect(MachineFacts.planFault(settings: folder.path("none")) == nil)
  }

  @Test func `exports a plan for its owner alone`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let store = folder.path("s.sqlite")
    #expect(await InProcess.run(["plan", "import", plan, "--store", store]).status == 0)
    let exported = folder.path("exported.yaml")
    let export = ["plan", "export", exported, "--store", store]
    #expect(await InProcess.run(export).status == 0)
    #expect(try permissions(exported) == 0o600)
    #expect(await InProcess.run(export).error.contains("add --force"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: exported)
    #expect(await InProcess.run(export + ["--force"]).status == 0)
    #expect(try permissions(exported) == 0o600)
    #expect(await InProcess.run(["plan", "validate", exported]).status == 0)
  }

  /// A pipe without a writer, and a folder, in place of a file: a message at once.
  @Test(arguments: [["plan", "validate"], ["measure", "steps"], ["replay", "--plan", "p"]])
  func `refuses pipes and folders`(command: [String]) async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    let status = unsafe mkfifo(pipe, 0o600)
    #expect(status == 0)
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let arguments = command.map { $0 == "p" ? plan : $0 }
    let piped = await InProcess.run(arguments + [pipe])
    #expect(piped.status == 1)
    #expect(piped.error.contains("named pipe"))
    let directory = await InProcess.run(arguments + [folder.url.path])
    #expect(directory.status == 1)
    #expect(directory.error.contains("this is a folder"))
  }

  /// A file's content reaches the terminal without the characters that control it.
  @Test(arguments: [
    ("esc.csv", "t,\u{1B}]0;owned\u{07},y\n"),
    ("esc.jsonl", "{\"measured-trace\":1,\"start\":\"\\u001b[31m\u{9B}2J\"}\n"),
  ])
  func `filters what controls a terminal`(name: String, content: String) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(content, to: name)
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let result = await InProcess.run(
      [
        "replay", file, "--plan", plan, "--store", folder.path("s.sqlite"), "--start",
        "2026-11-20T07:00",
      ])
    #expect(result.status == 1)
    #expect(result.error.contains(name))
    #expect(
      !result.error.unicodeScalars.contains {
        $0.properties.generalCategory == .control && $0 != "\n"
      })
    #expect(result.error.contains("\u{FFFD}"))
  }

  @Test func `keeps line ends and tabs`() {
    #expect(Console.harmless("a\tb\nc\u{1B}[0m\u{7F}") == "a\tb\nc\u{FFFD}[0m\u{FFFD}")
    #expect(Console.harmless("Zoë 👩‍⚕️ 82 °C") == "Zoë 👩‍⚕️ 82 °C")
    #expect(Console.harmless("al\u{202E}nna") == "al\u{FFFD}nna")
  }
}
