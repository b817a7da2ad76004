import Care
import CareStore
import Foundation
import Testing

@testable import Terminal

/// `measured setup`, on a terminal and with its input from a pipe.
@Suite(.serialized) struct SetupCommandTests {
  /// A zone that the machine of the test may not have.
  private static let zone = ["TZ": "America/Los_Angeles"]

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    _ = try folder.write(Recordings.weighIn, to: "weigh-in.jsonl")
    return folder
  }

  private func setup(
    _ folder: String, _ answers: [String], _ more: [String] = []
  ) async throws -> MeasuredProcess.Result {
    await InProcess.run(
      [
        "setup", "--store", folder + "/s.sqlite", "--from-trace", folder + "/weigh-in.jsonl",
      ] + more, input: answers.map { $0 + "\n" }.joined(), environment: Self.zone)
  }

  /// The zone, and a place of the test's own for temporary files.
  private static func environment(_ folder: TemporaryFolder) throws -> [String: String] {
    let temporary = folder.path("temporary")
    try FileManager.default.createDirectory(
      atPath: temporary, withIntermediateDirectories: true)
    return zone.merging(["TMPDIR": temporary, "HOME": folder.url.path]) { $1 }
  }

  /// Types into a set-up that runs on a terminal.
  private func onTerminal(
    _ folder: TemporaryFolder, _ body: @escaping @Sendable (Terminal) throws -> Void
  ) async throws {
    let arguments = [
      "setup", "--store", folder.path("s.sqlite"), "--from-trace", folder.path("weigh-in.jsonl"),
    ]
    let environment = try Self.environment(folder)
    try await onThread { try body(Terminal(arguments, environment: environment)) }
  }

  /// The temporary files that are left.
  private func leftovers(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("temporary"))
  }

  private static let answers = ["", "John", "", "", "", "", "", "", "", "", "", ""]

  @Test func `a conversation on a terminal ends in a plan`() async throws {
    let folder = try folder()
    let store = folder.path("s.sqlite")
    try await onTerminal(folder) { terminal in
      let talk: [(question: String, answer: String)] = [
        ("Time zone [America/Los_Angeles]: ", ""),
        ("one person; others follow: ", "John Appleseed"),
        ("Units [metric]: ", ""), ("then learns it.) [-]: ", "heavy"),
        ("then learns it.) [-]: ", ""), ("(y, n) [n]: ", ""),
        ("Language [that of the browser]: ", ""),
        ("[go on]: ", "Mary"), ("Units [metric]: ", "us"), ("then learns it.) [-]: ", "180"),
        ("(y, n) [n]: ", ""), ("Language [that of the browser]: ", ""), ("[go on]: ", ""),
        ("none (not of this house) [all]: ", ""), ("Mary or none [none]: ", "john"),
        ("commas [weigh]: ", ""), ("time of the day.) [-]: ", ""), ("[go on]: ", ""),
        ("commas [weigh]: ", "pills"), ("Metformin 500 mg.): ", "Iron"),
        ("time of the day.) [08:00]: ", "8:00 20:00"), ("[go on]: ", ""),
      ]
      var said: [String] = []
      for (question, answer) in talk {
        said.append(terminal.wait(for: question))
        terminal.type(answer)
      }
      #expect(said[4].contains("Please enter a number."))
      #expect(
        said[13].contains(
          "Mi Body Composition Scale 2 (5C:CA:D3:70:D4:A2): Weight 61.75 kg"))
      #expect(said[15].contains("The usual weight of John Appleseed is now 61.75 kg."))
      let review = terminal.wait(for: "Save this (y, n) [y]: ")
      #expect(
        review.contains(
          "  Mary [mary], about 180 lb\n    Iron: Every day at "))
      #expect(
        review.contains("  Mi Body Composition Scale 2 (5C:CA:D3:70:D4:A2): everybody\n"))
      #expect(!FileManager.default.fileExists(atPath: store))
      terminal.type("y")
      let (output, status) = terminal.finish()
      #expect(status == 0)
      #expect(output.contains("task iron of mary: added"))
      #expect(output.contains("Weight 61.75 kg  john"))
      #expect(output.contains("assigned to john"))
    }
    let plan = await InProcess.run(["plan", "export", "--store", store]).output
    #expect(plan.contains("{id: john, name: {given: John, family: Appleseed}, expects: "))
    #expect(plan.contains(#"{address: "5C:CA:D3:70:D4:A2", definition: xiaomi-mi-scale-2}"#))
    let samples = await InProcess.run(["samples", "--store", store, "--csv"])
    #expect(samples.lines.contains { $0.contains("bodyMass,61.75,kg") && $0.contains(",john,") })
    #expect(try leftovers(folder) == [])
  }

  @Test func `a dry run prints the plan and saves nothing`() async throws {
    let folder = try folder()
    let result = try await setup(folder.url.path, Self.answers, ["--dry-run"])
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.output.hasPrefix(
        "timeZone: America/Los_Angeles\npatients:\n  - {id: john, name: {given: John}, expects: "))
    #expect(!FileManager.default.fileExists(atPath: folder.path("s.sqlite")))
    let file = try folder.write(result.output, to: "plan.yaml")
    #expect(await InProcess.run(["plan", "validate", file]).status == 0)
  }

  @Test func `the end of the input saves nothing`() async throws {
    let folder = try folder()
    for count in 0..<Self.answers.count {
      let result = try await setup(folder.url.path, Array(Self.answers.prefix(count)))
      #expect(result.status == 1)
      #expect(result.error.contains("measured: The input has ended; nothing was saved."))
      #expect(result.output.isEmpty)
    }
    let store = folder.path("s.sqlite")
    try await onTerminal(folder) { terminal in
      terminal.wait(for: "Time zone")
      terminal.endInput()
      #expect(terminal.finish().status == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: store))
    #expect(try leftovers(folder) == [])
  }

  @Test func `a plan that changes meanwhile is not overwritten`() async throws {
    let folder = try folder()
    let store = folder.path("s.sqlite")
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let edited = try folder.write(
      Recordings.plan.replacing("title: ", with: "title: Edited "), to: "edited.yaml")
    #expect(await InProcess.run(["plan", "import", plan, "--store", store]).status == 0)
    try await onTerminal(folder) { terminal in
      terminal.wait(for: "Time zone")
      let imported = try MeasuredProcess.run(["plan", "import", edited, "--store", store])
      #expect(imported.status == 0)
      for _ in 0..<40 { terminal.type("") }
      let (output, status) = terminal.finish()
      #expect(status == 3 && output.contains("The plan was changed meanwhile"), "\(output)")
      #expect(output.contains("Your answers are kept in"))
    }
    let kept = await InProcess.run(["plan", "validate", folder.path("measured-plan.yaml")])
    #expect(kept.status == 0, "\(kept.error)")
    #expect(
      await InProcess.run(["plan", "export", "--store", store]).output.contains("Edited"))
  }

  /// A folder with the definition of the scale under another id.
  private func definitions(in folder: TemporaryFolder) throws -> String {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: repository.appending(path: "Devices/xiaomi-mi-scale-2.yaml"), encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: folder.path("devices"), withIntermediateDirectories: true)
    _ = try folder.write(
      text.replacing("id: xiaomi-mi-scale-2\n", with: "id: step-scale\n"), to: "devices/own.yaml")
    return folder.path("devices")
  }

  @Test func `definitions of a folder hold until the last question`() async throws {
    let folder = try folder()
    let devices = try definitions(in: folder)
    let result = try await setup(folder.url.path, Self.answers, ["--devices", devices])
    #expect(result.status == 0, "\(result.error)")
    let store = ["--store", folder.path("s.sqlite")]
    let plan = await InProcess.run(["plan", "export"] + store).output
    #expect(plan.contains("definition: step-scale"))
    let file = try folder.write(plan, to: "plan.yaml")
    let commands = [
      ["plan", "validate", file], ["plan", "import", file] + store, ["plan", "diff", file] + store,
    ]
    for command in commands {
      let unknown = await InProcess.run(command)
      #expect(unknown.status == 1)
      #expect(unknown.error.contains("there is no device definition ‘step-scale’ in "))
      #expect(
        unknown.error.contains("/etc/measured/devices.d (another folder is named with --devices)"))
      #expect(await InProcess.run(command + ["--devices", devices]).status == 0)
    }
    let missing = await InProcess.run(["plan", "validate", file, "--devices", "/nowhere"])
    #expect(missing.status == 1 && missing.error.contains("there is no folder /nowhere"))
  }

  @Test func `answers that cannot be saved are kept`() async throws {
    let folder = try folder()
    // Only the import finds out that no file can have such a name.
    let store = folder.path(String(repeating: "s", count: 260))
    for name in ["measured-plan.yaml", "measured-plan-2.yaml"] {
      let result = await InProcess.run(
        ["setup", "--store", store, "--from-trace", folder.path("weigh-in.jsonl")],
        input: Self.answers.map { $0 + "\n" }.joined(),
        environment: Self.zone.merging(["HOME": folder.url.path]) { $1 })
      #expect(result.status != 0)
      let path = folder.path(name)
      #expect(
        result.error.hasSuffix(
          "Your answers are kept in \(path). To save them: measured plan import \(path) --store"
            + " \(store)\n"), "\(result.error)")
      let kept = try String(contentsOfFile: path, encoding: .utf8)
      #expect(kept.contains("{id: john, name: {given: John}"))
    }
  }

  @Test func `an input without end is stopped`() async throws {
    let folder = try folder()
    for input in [String(repeating: "x", count: 10_000), String(repeating: "\n", count: 3000)] {
      let result = await InProcess.run(
        [
          "setup", "--store", folder.path("s.sqlite"), "--from-trace",
          folder.path("weigh-in.jsonl"),
        ], input: input, environment: Self.zone)
      #expect(result.status == 1 && result.error.contains("nothing was saved"))
    }
  }

  @Test func `an interruption saves nothing`() async throws {
    let folder = try folder()
    let store = folder.path("s.sqlite")
    try await onTerminal(folder) { terminal in
      terminal.wait(for: "Time zone")
      terminal.type("")
      terminal.wait(for: "one person; others follow: ")
      kill(terminal.process.processIdentifier, SIGINT)
      let (output, status) = terminal.finish()
      #expect(status == 130)
      #expect(output.contains("Nothing was saved."))
    }
    #expect(!FileManager.default.fileExists(atPath: store))
    #expect(try leftovers(folder) == [])
  }

  private static let plan = """
    timeZone: America/Los_Angeles
    patients:
      - {id: john, name: {given: John}, expects: {bodyMass: 62 kg}, allergies: [nuts]}
    contacts:
      - {id: gp, name: {family: Grey}, role: GP}
    tasks:
      - id: iron
        patient: john
        title: Iron
        schedule:
          - {start: 2019-10-01T08:00, interval: {weeks: 1}, duration: 30m, text: Morning}
    notes:
      - {id: n, patient: john, content: Hello}
    devices:
      - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: john, key: 000102030405060708090a0b0c0d0e0f}
    """

  @Test func `run again it changes the plan and loses nothing`() async throws {
    let folder = try folder()
    let file = try folder.write(Self.plan, to: "plan.yaml")
    let store = folder.path("s.sqlite")
    try #require(await InProcess.run(["plan", "import", file, "--store", store]).status == 0)
    let same = try await setup(folder.url.path, ["", "", "none", "", ""])
    #expect(same.status == 0, "\(same.error)")
    #expect(same.output.contains("Nothing changed: the store has this plan already."))
    let before = await InProcess.run(["plan", "export", "--store", store]).output
    let result = try await setup(
      folder.url.path, ["", "john", "", "64", "", "", "", "", "walk", "", "", ""])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.lines.contains("patient john: changed (expects)"), "\(result.output)")
    #expect(result.lines.contains("task walk of john: added"))
    #expect(result.lines.contains("device 5C:CA:D3:70:D4:A2 (john): added"))
    let after = await InProcess.run(["plan", "export", "--store", store]).lines
    let lost = before.split(separator: "\n").map(String.init).filter { !after.contains($0) }
    #expect(lost.count == 1 && lost[0].contains("62.0 kg"))
    let opened = try SQLStore.open(path: store, makeUUID: { UUID() })
    let bindings = try await opened.read { try $0.deviceBindings() }
    #expect(
      bindings.first { $0.address == "A0:9E:1A:00:00:02" }?.key?.revealed == Array(0..<16))
  }

  @Test func `works beside a daemon`() async throws {
    let folder = try folder()
    let store = folder.path("s.sqlite")
    let file = try folder.write(Self.plan, to: "plan.yaml")
    try #require(await InProcess.run(["plan", "import", file, "--store", store]).status == 0)
    let daemon = try await DaemonProcess(store: store)
    let result = try await setup(
      folder.url.path, ["", "Mary", "", "90", "", "", "", "all", "john", "", "", "", "", ""])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.lines.contains("patient mary: added"), "\(result.output)")
    #expect(result.output.contains("Weight 61.75 kg  john"))
    #expect(daemon.isRunning)
    let plan = await InProcess.run(["plan", "export", "--store", store])
    #expect(plan.output.contains("{id: mary, name: {given: Mary}"))
    daemon.stop()
  }

  @Test func `asks for the settings that it is given`() async throws {
    let folder = try folder()
    let settings = try folder.write("radio: kernel\npage: off\n", to: "measured.yaml")
    let result = try await setup(
      folder.url.path, Array(Self.answers.dropLast()) + ["house", "home", "y"],
      ["--settings", settings])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("Answer here, home or off."))
    #expect(
      try String(contentsOfFile: settings, encoding: .utf8)
        == "radio: kernel\npage: {listen: \"0.0.0.0:8473\"}\n")
  }

  @Test func `says before the first question that a store cannot be made`() async throws {
    let result = await InProcess.run(
      ["setup", "--store", "/dev/null/none/s.sqlite", "--dry-run"], input: "\n")
    #expect(result.status == 1)
    #expect(result.error.contains("The store /dev/null/none/s.sqlite cannot be made"))
    #expect(!result.error.contains("Time zone"))
  }
}
