import ArgumentParser
import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import Localization
import Pages
import Plans
import Radio
import Terminal
import Traces
import UnixSignals

/// `measured setup`.
struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Makes or changes a plan by questions: people, devices, tasks.",
    discussion: """
      Asks who lives here, listens for devices (step on the scale: its first reading is shown, and \
      you say whose it is), asks for the tasks, and imports the plan into the store. Run again, it \
      begins with the plan that is in force; what it does not ask for stays. Nothing is saved before \
      the last question; Ctrl-C leaves everything as it was. If the plan cannot be saved then, it is \
      written into a file in your home folder.

      Example:
        measured setup
        measured setup --store week.sqlite --from-trace weigh-in.jsonl
        measured setup --dry-run > plan.yaml
      """)

  @OptionGroup var storage: StoreFileOptions

  @Option(help: "Take devices and readings from this recording instead of the radio.")
  var fromTrace: String?

  @Flag(help: "Print the plan, and save nothing.")
  var dryRun = false

  @Option(help: "How long to listen for a device, in seconds.")
  var seconds: Double = 60

  @Option(
    help: ArgumentHelp(
      "Ask for the settings in this file, too. Default: the service's, if you may write it.",
      valueName: "file"))
  var settings: String?

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  func validate() throws {
    guard (1...3_600).contains(seconds) else {
      throw ValidationError(LocalizedText("command.setup.seconds").message)
    }
  }

  func run() async throws {
    try await reporting(isJSON: false) {
      let folder = try SetupFolder()
      defer { folder.remove() }
      let interruption =
        Console.surroundings.isProcess ? await Self.removalAtSignal(of: folder) : nil
      defer { interruption?.cancel() }
      try await converse(in: folder)
    }
  }

  /// Removes the folder and ends the program when a signal ends the conversation.
  private static func removalAtSignal(of folder: SetupFolder) async -> Task<Void, Never> {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    return Task {
      for await signal in signals {
        folder.remove()
        Console.error("\n" + LocalizedText("command.setup.nothingSaved").message)
        Glibc.exit(128 + signal.rawValue)
      }
    }
  }

  // MARK: The conversation

  private func converse(in folder: SetupFolder) async throws {
    let definitions = try DeviceCatalog.load(catalog)
    let languages = LanguageCatalogue.embedded.languages
    let surroundings = PlanSurroundings(
      activeTasks: AssessmentList.forms, definitions: DefinitionIndex(definitions),
      languages: languages.map(\.code), now: Console.now)
    // A fault of the recording is reported before anything is typed.
    if let fromTrace { _ = try TraceFile().open(CommandFiles.stream(fromTrace)) }
    let store = try storage.path
    let settingsFile = self.settingsFile
    let settings = try settingsFile.map { file in
      try ServiceSettings(parsing: TextFile.read(file), file: file)
    }
    let plan = try await currentPlan(of: store)
    var (answers, asked): (Int, SetupConversation.Question?) = (0, nil)
    var talk = SetupConversation(
      plan: plan,
      context: SetupConversation.Context(
        zone: Console.timeZone, now: Console.now, words: Console.language, languages: languages,
        isRecorded: fromTrace != nil,
        page: settings.flatMap(PageAudience.init),
        deviceNames: Dictionary(
          definitions.definitions.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }
        ), doubts: { plan in plan.doubts(in: surroundings).map(\.text) }))
    while true {
      talk.remarks.forEach(Console.error)
      switch talk.turn {
      case .ask(let question):
        answers = question == asked ? answers + 1 : 1
        asked = question
        guard answers <= Self.mostAnswers, let line = await Self.line(after: question.prompt) else {
          throw CommandFailure(.failed, "command.setup.inputEnded")
        }
        talk.answer(line)
      case .listen:
        do {
          talk.hear(try await listen(talk, definitions, folder))
        } catch  where fromTrace == nil {
          let failure = LocalizedText(
            "command.setup.noRadio", ["reason": .init(Message.of(error))])
          talk.hear([], failure: failure.message)
        }
      case .leave:
        Console.error(LocalizedText("command.setup.nothingSaved").message)
        return
      case .save:
        try await save(talk, over: plan, into: store, settingsFile, folder)
        return
      }
    }
  }

  /// Asks a question, and waits for a line.
  private static func line(after prompt: String) async -> String? {
    Console.write(Console.harmless(prompt), to: .standardError)
    let line = await Console.line()
    // On a terminal the person's own line end is there already.
    if !Console.isInputTerminal || line == nil { Console.error("") }
    return line
  }

  /// The most answers to one question: a program that answers without end is stopped.
  private static let mostAnswers = 100

  // MARK: The plan in force

  /// The store's plan; `nil` if there is no store yet.
  private func currentPlan(of store: String) async throws -> PlanDocument? {
    guard FileManager.default.fileExists(atPath: store) else {
      try checkRoom(for: store)
      return nil
    }
    let opened = try StoreFileOptions.open(store)
    defer { try? opened.close() }
    let plan = try await opened.read { try PlanDocument(current: $0, patient: nil) }
    // As the file that an export makes: without secrets.
    return try PlanFile.plan(in: PlanFile.encode(plan), file: store)
  }

  /// Checks before the first question that the store can be made.
  private func checkRoom(for store: String) throws {
    var parent = URL(fileURLWithPath: store).deletingLastPathComponent().path
    while parent.count > 1, !FileManager.default.fileExists(atPath: parent) {
      parent = (parent as NSString).deletingLastPathComponent
    }
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: parent, isDirectory: &isFolder),
      isFolder.boolValue, FileManager.default.isWritableFile(atPath: parent)
    else {
      throw CommandFailure(
        .failed,
        LocalizedText("command.setup.noRoom", ["store": "\(store)", "folder": "\(parent)"]))
    }
  }

  /// The settings file that is asked about.
  private var settingsFile: String? {
    if let settings { return settings }
    let standard = ServiceSettings.path
    return FileManager.default.isWritableFile(atPath: standard) ? standard : nil
  }

  // MARK: Devices

  /// Listens to the recording or the radio; what the radio receives is recorded in the folder.
  private func listen(
    _ talk: SetupConversation, _ definitions: DeviceCatalog, _ folder: SetupFolder
  ) async throws -> [FoundDevice] {
    let listening = SetupListening(
      plan: talk.plan, catalog: definitions, known: Set(talk.devices.map(\.address)))
    if let fromTrace {
      let radio = TraceRadio([try TraceFile().open(CommandFiles.stream(fromTrace))])
      do {
        return try await listening.devices(on: radio, until: nil)
      } catch let error as RadioError {
        throw CommandFailure(radio.failure ?? error)
      }
    }
    Console.error(
      LocalizedText(
        "command.setup.listening", ["seconds": .init(Int(saturating: seconds))]
      ).message)
    let writing = try TraceWriting(file: folder.newTrace(), force: false, only: [])
    return try await RadioListening(air, for: .connecting).use { opened in
      try await listening.devices(
        on: RecordedRadio(opened.radio, writing: writing),
        until: Console.now.addingTimeInterval(seconds))
    }
  }

  // MARK: Saving

  /// Imports the plan over the one in force at the beginning, and stores the received readings.
  private func save(
    _ talk: SetupConversation, over plan: PlanDocument?, into store: String,
    _ settingsFile: String?, _ folder: SetupFolder
  ) async throws {
    let text = PlanFile.encode(talk.plan)
    do {
      // The text is read back, so that only a valid plan file is saved.
      _ = try PlanFile.plan(
        in: text, file: "the plan", definitions: DefinitionIndex.load(folder: catalog.folder))
      guard !dryRun else {
        Console.write(text, to: .standardOutput)
        Console.error(LocalizedText("command.setup.dryRun").message)
        return
      }
      guard
        try await currentPlan(of: store).map(PlanFile.encode) == plan.map(PlanFile.encode)
      else {
        throw CommandFailure(.refused, "command.setup.changedMeanwhile")
      }
      let file = folder.path("plan.yaml")
      try await OutputFile.write(text, to: file, id: UUID())
      // Doubts about the plan were shown before the last question.
      try await run(["plan", "import", file, "--no-doubts"] + catalogArguments, store)
    } catch {
      throw await keeping(text, CommandFailure(error))
    }
    do {
      if let page = talk.page, let settingsFile {
        let settings = try page.settings(from: TextFile.read(settingsFile), file: settingsFile)
        try Data(settings.utf8).write(to: URL(fileURLWithPath: settingsFile), options: .atomic)
        Console.out(
          LocalizedText("command.setup.settingsChanged", ["file": "\(settingsFile)"]).message)
      }
      try await storeReadings(of: talk, store, folder)
    } catch {
      let failure = CommandFailure(error)
      let fact: LocalizedText = "command.setup.planAlone"
      throw CommandFailure(
        failure.code,
        failure.message.isEmpty ? fact : fact.followed(by: .verbatim(failure.message)))
    }
    Console.out(LocalizedText("command.setup.goOn").message)
  }

  /// Writes the plan that could not be saved into the user's folder, and adds to the failure where
  /// it is and how to go on.
  private func keeping(_ text: String, _ failure: CommandFailure) async -> CommandFailure {
    let files = FileManager.default
    let home = Console.variables["HOME"] ?? files.homeDirectoryForCurrentUser.path
    let names = ["measured-plan.yaml"] + (2...99).map { "measured-plan-\($0).yaml" }
    let folders = [home, files.currentDirectoryPath, files.temporaryDirectory.path]
    var failure = failure
    for folder in folders where folder.hasPrefix("/") {
      let paths = names.map { URL(fileURLWithPath: folder).appending(path: $0).path }
      guard let path = paths.first(where: { !files.fileExists(atPath: $0) }),
        (try? await OutputFile.write(text, to: path, id: UUID())) != nil
      else { continue }
      var words = ["measured", "plan", "import", path.shellQuoted] + catalogWords
      if let named = storage.store { words += ["--store", named.shellQuoted] }
      let kept = LocalizedText(
        "command.setup.kept",
        ["path": "\(path)", "command": .init(words.joined(separator: " "))])
      failure.message += (failure.message.isEmpty ? "" : "\n") + kept.message
      return failure
    }
    failure.message +=
      (failure.message.isEmpty ? "" : "\n") + LocalizedText("setupTalk.plan").message + "\n" + text
    return failure
  }

  /// Stores what was received meanwhile, as the daemon does, and gives it to its owners.
  private func storeReadings(
    of talk: SetupConversation, _ store: String, _ folder: SetupFolder
  ) async throws {
    let bound = Set(talk.plan.devices.map(\.address))
    let devices = talk.devices.filter { bound.contains($0.address) && !$0.readings.isEmpty }
    guard !devices.isEmpty else { return }
    let recordings =
      try fromTrace.map { [$0] } ?? folder.traces(of: devices.map(\.address.text))
    try await run(["replay"] + recordings + catalogArguments, store)
    for device in devices {
      guard let patient = talk.owners[device.address], let span = device.span else { continue }
      try await run(
        [
          "samples", "assign", "--device", device.address.text, "--patient", patient, "--from",
          span.lowerBound.rfc3339(in: talk.plan.timeZone), "--to",
          (span.upperBound + 1).rfc3339(in: talk.plan.timeZone), "--reason", "set-up",
        ], store)
    }
  }

  private var catalogArguments: [String] { catalog.folder.map { ["--devices", $0] } ?? [] }
  /// The same for a person to type.
  private var catalogWords: [String] { catalog.folder.map { ["--devices", $0.shellQuoted] } ?? [] }

  /// Runs another command of the program.
  private func run(_ arguments: [String], _ store: String) async throws {
    try await Program.current.perform(arguments + ["--store", store])
  }
}

/// A folder for the files that pass from one command to the next; only its owner may read it.
private final class SetupFolder: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "measured-setup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func remove() { try? FileManager.default.removeItem(at: url) }

  private var traces: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [])
      .filter { $0.hasSuffix(".jsonl") }.sorted().map(path)
  }

  /// The file of the next recording.
  func newTrace() -> String { path("\(100 + traces.count).jsonl") }

  /// The recordings, reduced to the events of devices with these addresses.
  func traces(of addresses: [String]) throws -> [String] {
    for trace in traces {
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      let kept = lines.enumerated().filter { place, line in
        place == 0 || addresses.contains { line.contains($0) }
      }
      try Data((kept.map(\.element).joined(separator: "\n") + "\n").utf8)
        .write(to: URL(fileURLWithPath: trace))
    }
    return traces
  }
}
