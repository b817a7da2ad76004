import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Outlets
import Pages
import Plans
import Terminal

/// `measured plan`.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Checks, imports and exports care plans (YAML or JSON), and shows their rules.",
    discussion: """
      measured setup makes a plan by questions; measured plan new writes an example to edit.

      Example:
        measured plan new plan.yaml
        measured plan validate plan.yaml
        measured plan import plan.yaml --store week.sqlite
      """,
    subcommands: [
      New.self, Validate.self, Import.self, Undo.self, Diff.self, Export.self,
      PlanCalendar.self, Rules.self, Zone.self,
    ])

  /// `measured plan new`.
  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes an example plan with comments, to edit.",
      discussion: "Example:\n  measured plan new plan.yaml")

    @Argument(help: "The file to write; - is standard output.")
    var file: String = "-"

    @Flag(help: "Replace the file if it exists.")
    var force = false

    func run() async throws {
      try await reporting(isJSON: false) {
        let zone = Console.timeZone
        let text = ExamplePlan(timeZone: zone, day: Console.now.day(in: zone)).text
        guard file != "-" else { return Console.write(text, to: .standardOutput) }
        try CommandFiles.requireRoom(at: file, force: force)
        try await OutputFile.write(text, to: file, id: UUID())
        Console.error(
          "\(file): an example. Edit it, then: measured plan validate \(file.shellQuoted)")
      }
    }
  }

  /// `measured plan validate`.
  struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks a plan, and reports mistakes with file and line.",
      discussion: """
        Also names what is valid and probably not meant: a target that nobody reaches, a task that is \
        over, a device whose readings go to nobody, a birthday to come, an unknown language.

        Example:
          measured plan validate plan.yaml
        """)

    @Argument(help: "The plan; - is standard input.")
    var file: String

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let (plan, doubts) = try PlanFile.check(
          try TextFile.read(file), of: file, devices: catalog.folder, now: Console.now)
        guard !json else {
          try Console.json(
            Summary(
              file: file, patients: plan.patients.count, tasks: plan.tasks.count,
              devices: plan.devices.count, doubts: doubts))
          return
        }
        defer { doubts.forEach(Console.out) }
        guard !plan.isPart else {
          return Console.out(
            "\(file): a valid part of a plan with \(plan.tasks.count) task(s), in"
              + " \(plan.timeZone.identifier); the store has the patients, and keeps everything else"
          )
        }
        Console.out(
          "\(file): a valid plan with \(plan.patients.count) patient(s), \(plan.tasks.count) task(s)"
            + " and \(plan.devices.count) device(s), in \(plan.timeZone.identifier)")
      }
    }

    struct Summary: Encodable {
      var file: String
      var patients: Int
      var tasks: Int
      var devices: Int
      var doubts: [String]
    }
  }

  /// `measured plan import`.
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Imports a plan into a store, in one transaction.",
      discussion: """
        Prints every change, and what the store has that the plan does not hold. A task that is \
        unchanged keeps its version; a task that differs gets a new version from now on, or from \
        its effectiveDate. What only the plan changed since the last import, the plan decides; what \
        only a person changed, on the page or by a command, stays, key by key. Of what both changed \
        you are asked; without a terminal the plan's holds. Tasks and devices that are missing from \
        the plan stay, unless --prune \
        is given. A plan with tasks and without patients is a part: it adds and changes its tasks, of \
        people whom the store knows.

        A file of FHIR (R4 or DSTU2; a Bundle, CarePlan, ServiceRequest, MedicationRequest, \
        MedicationOrder, Questionnaire, Patient or Device) is such a plan, or a part of one if it has \
        no Patient. What it says and a plan cannot is refused; what only describes is named. With --from \
        it comes from the server of an outlet: the active care plans, requests and medicines of the \
        people that the mapping names, and their questionnaires.

        Example:
          measured plan import plan.yaml --store week.sqlite
          measured plan import plan.yaml --store week.sqlite --dry-run
          measured plan import careplan.json --patient john --start 2026-12-01
          measured plan import --from clinic --dry-run
        """)

    @Argument(help: "The plan; - is standard input.")
    var file: String?

    @Option(help: "In place of a file: the outlet of kind fhir whose server has the plan.")
    var from: String?

    @Option(help: "The settings file with the outlet. Default: \(ServiceSettings.path).")
    var settings: String?

    @OptionGroup var storage: StoreFileOptions

    @OptionGroup var catalog: CatalogOptions

    @OptionGroup var fhir: FHIROptions

    @Flag(help: "Show what would change, and import nothing.")
    var dryRun = false

    @Flag(help: "End the tasks and unbind the devices that are missing from the plan.")
    var prune = false

    @Flag(help: "Let a change leave results without their event.")
    var dropOutcomes = false

    @Flag(help: .hidden)
    var noDoubts = false

    @Flag(help: "Refuse what both the plan and a person changed since the last import.")
    var strict = false

    @Flag(help: "Print JSON Lines: every change, and what is unchanged.")
    var json = false

    func validate() throws {
      guard (file == nil) != (from == nil) else {
        throw ValidationError("Give the plan's file, or --from with an outlet.")
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let outlet = try await outlet()
        let fhir = try fhir.reading(of: outlet)
        let (text, name) =
          if let outlet { (try await fetched(from: outlet, fhir), outlet.name) } else {
            (try TextFile.read(file ?? "-"), file ?? "-")
          }
        let (plan, doubts) = try PlanFile.check(
          text, of: name, devices: catalog.folder, fhir: fhir, zone: try await zone(),
          now: Console.now)
        if let file, let exposure = plan.exposure(in: file) {
          Console.error("measured: \(exposure)")
        }
        if !noDoubts { doubts.forEach(Console.error) }
        let options = PlanImportOptions(
          prunes: prune, dropsOutcomes: dropOutcomes, isStrict: strict, isLive: true)
        if dryRun {
          let store = try storage.openExistingOrTemporary()
          let report = try await store.preview(plan, options: options, now: Console.now)
          try report.print(
            isJSON: json, in: plan.timeZone, changes: try await plan.changes(in: store))
          if !json { Console.out("Nothing was imported: this was a dry run.") }
          return
        }
        let now = Console.now
        // A plan that is refused leaves no empty store.
        let (report, waiting) = try await storage.withStore { store in
          let options = try await decideConflicts(of: plan, in: store, options: options, now: now)
          let videos = try plan.videoFiles(for: store)
          return try await store.write { writer in
            let report = try ImportPlan(plan, options: options, videos: videos)
              .perform(in: writer, by: .owner, now: now)
            return (report, try report.waitingReadings(in: writer))
          }
        }
        try report.print(isJSON: json, in: plan.timeZone)
        if !json, report.isUnchanged {
          Console.out("Nothing changed: the store has this plan already.")
        }
        if !json { waiting.forEach(Console.out) }
      }
    }

    /// The outlet whose server has the plan; `nil` for a file.
    private func outlet() async throws -> OutletSettings? {
      guard let from else { return nil }
      return try await OutletSettings.named(
        from, in: OutletSettings.ofSettings(settings), store: try openedStore())
    }

    private func openedStore() throws -> SQLStore? {
      try StoreFileOptions.isPresent(try storage.path) ? try storage.openExisting() : nil
    }

    /// The plan on an outlet's server.
    private func fetched(
      from outlet: OutletSettings, _ reading: FHIRAdditions
    ) async throws -> String {
      let transport = Transport(authorities: Console.variables["SSL_CERT_FILE"])
      let source = try FHIRPlanSource(
        outlet, patient: reading.patient, mapping: reading.names, store: try openedStore(),
        send: { await transport.send($0) })
      guard let bundle = try await source.bundle() else {
        throw CommandFailure(.failed, LocalizedText("fhir.nothing", ["name": "\(outlet.name)"]))
      }
      return String(decoding: FHIRJSON.text(of: bundle), as: UTF8.self)
    }

    /// The zone of the store's plan, else of this machine.
    private func zone() async throws -> TimeZone {
      guard FileManager.default.fileExists(atPath: try storage.path) else {
        return Console.timeZone
      }
      return try await storage.open().read { try $0.planTimeZone() } ?? Console.timeZone
    }

    /// Asks of each thing of which both the plan and a person changed something whose values hold;
    /// elsewhere than on a terminal the plan's do, and the command says so.
    private func decideConflicts(
      of plan: PlanDocument, in store: SQLStore, options: PlanImportOptions, now: Date
    ) async throws -> PlanImportOptions {
      var options = options
      guard !options.isStrict else { return options }
      let report = try await store.preview(plan, options: options, now: now)
      let isAsked = Console.isInputTerminal && Console.isErrorTerminal
      for line in report.lines where !line.contestedKeys.isEmpty {
        let keys = line.contestedKeys.joined(separator: ", ")
        let what = line.thing?.message ?? "the device \(line.id)"
        let fact = "Both the plan and a person changed \(what) (\(keys)) since the last import"
        guard isAsked, let thing = line.thing else {
          Console.error("\(fact); the plan's version holds.")
          continue
        }
        if !(await Console.confirm("\(fact). Take the plan's version?")) {
          options.personDecides.insert(thing)
        }
      }
      return options
    }
  }

  /// `measured plan undo`.
  struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes the last import or edit of the plan back.",
      discussion: """
        The tasks, people, devices and the time zone are then what they were before it. An edit is \
        what a person saved on the page. It can be repeated, back to the first import.

        Example:
          measured plan undo --store week.sqlite
        """)

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let (report, zone) = try await storage.openExisting().write { writer in
          do {
            return (try UndoEdit().perform(in: writer, by: .owner, now: now), try writer.zone())
          } catch StoreError.refused(let refusal) {
            throw CommandFailure(.refused, refusal.ofUndo)
          }
        }
        try report.print(isJSON: json, in: zone, isUndone: true)
        if !json { Console.out("The last change of the plan is taken back.") }
      }
    }
  }

  /// `measured plan zone`.
  struct Zone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets the plan's time zone, in which its days and times are; without one shows it.",
      discussion: "Example:\n  measured plan zone Europe/Berlin")

    @Argument(help: "An IANA name such as Europe/Berlin.")
    var zone: String?

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let store = try storage.openExisting()
        if let zone {
          guard let zone = TimeZone(iana: zone) else {
            throw CommandFailure(
              .malformedArgument, LocalizedText("refused.noZone"))
          }
          try await store.write { writer in
            try SetPlanZone(zone).perform(in: writer, by: .owner, now: now)
          }
        }
        let name = try await store.read { try $0.zone().identifier }
        if json { try Console.json(["timeZone": name]) } else { Console.out(name) }
      }
    }
  }

  /// `measured plan diff`.
  struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows how a plan differs from the one in a store; changes nothing.",
      discussion: "Example:\n  measured plan diff plan.yaml --store week.sqlite")

    @Argument(help: "The plan; - is standard input.")
    var file: String

    @OptionGroup var storage: StoreFileOptions

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines: every change, and what is unchanged.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let plan = try PlanFile.load(file, devices: catalog.folder)
        // Differences that an import would refuse are shown, too.
        let options = PlanImportOptions(dropsOutcomes: true, isLive: true)
        let store = try storage.openExisting()
        let report = try await store.preview(plan, options: options, now: Console.now)
        try report.print(
          isJSON: json, in: plan.timeZone, changes: try await plan.changes(in: store))
        if !json, report.isUnchanged { Console.out("The plan is the store's.") }
      }
    }
  }

  /// `measured plan export`.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a store's plan as YAML that can be imported again.",
      discussion: """
        Only the file's owner may read it. With --fhir it is a Bundle of FHIR R4, which can be imported \
        again, too.

        Example:
          measured plan export plan.yaml --store week.sqlite
          measured plan export --fhir plan.json --store week.sqlite
        """)

    @Argument(help: "The file to write; - is standard output.")
    var file: String = "-"

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Flag(help: "Write FHIR R4.")
    var fhir = false

    @Option(help: "Of FHIR: a file with codes of the other system (docs/fhir.md).")
    var mapping: String?

    func run() async throws {
      try await reporting(isJSON: false) { try await export() }
    }

    private func export() async throws {
      let plan = try await storage.openExisting().read { reader in
        let patient = try storage.patient(in: reader)
        return try PlanDocument(current: reader, patient: patient)
      }
      var text = PlanFile.encode(plan)
      if fhir {
        let coder = try FHIRCoder(of: plan, mapping: mapping, now: Console.now)
        text = String(decoding: FHIRJSON.text(of: try coder.encode(plan)), as: UTF8.self) + "\n"
      }
      guard file != "-" else {
        Console.write(text, to: .standardOutput)
        return
      }
      try CommandFiles.requireRoom(at: file, force: force)
      try await OutputFile.write(text, to: file, id: UUID())
    }
  }
}

extension StoreFileOptions {
  /// Opens the store; one in memory stands in for a store that does not exist.
  fileprivate func openExistingOrTemporary() throws -> SQLStore {
    guard FileManager.default.fileExists(atPath: try path) else {
      return try SQLStore.inMemory(makeUUID: { UUID() })
    }
    return try open()
  }
}

extension PlanImportReport {
  /// The unassigned readings of devices that have an owner now, with the command that assigns them.
  fileprivate func waitingReadings(in reader: any StoreReader) throws -> [String] {
    let most = 10_000
    return try lines.compactMap { line in
      guard line.kind == .device, [.added, .updated].contains(line.change),
        let patient = line.patient
      else { return nil }
      let device = DeviceID(line.id)
      let query = SampleQuery(owner: .unassigned, device: device, limit: most)
      let count = try reader.samples(query).count
      guard count > 0 else { return nil }
      return
        "\(count)\(count == most ? " or more" : "") unassigned reading(s) are from \(device). To"
        + " give them to \(patient): measured samples assign --device \(device.text.shellQuoted)"
        + " --patient \(patient.shellQuoted)"
    }
  }

  /// Prints a line for each change and for what is missing; in JSON one for everything.
  fileprivate func print(
    isJSON: Bool, in timeZone: TimeZone, isUndone: Bool = false, changes: PlanChanges? = nil
  ) throws {
    guard !isJSON else {
      for line in lines { try Console.json(PlanChangeOutput(line, in: timeZone)) }
      return
    }
    text(in: timeZone, isUndone: isUndone, changes: changes).forEach(Console.out)
  }
}

extension PlanDocument {
  /// The changes of its import in a store, key by key.
  fileprivate func changes(in store: SQLStore) async throws -> PlanChanges? {
    guard let english = try Site.once().language("en") else { return nil }
    let viewer = Viewer(language: english, patient: nil, now: Console.now, timeZone: timeZone)
    return PlanChanges(try await store.read { try PlanParts($0) }, self, PlanWords(viewer))
  }
}

/// The effect of an import on one thing, as JSON.
struct PlanChangeOutput: Encodable {
  var kind: String
  var id: String
  var patient: String?
  var change: String
  var version: Int?
  var closed: [String]?
  var kept: String?
  var changedKeys: [String]?
  var keptKeys: [String]?
  var contestedKeys: [String]?
  /// When a task's version begins that would change what is due today.
  var begins: String?

  init(_ line: PlanImportReport.Line, in timeZone: TimeZone) {
    kind = line.kind.rawValue
    id = line.id
    patient = line.patient
    change = line.change.rawValue
    version = line.version
    closed = line.closed.isEmpty ? nil : line.closed.map { $0.rfc3339(in: timeZone) }
    kept = line.kept?.rawValue
    changedKeys = line.changedKeys.isEmpty ? nil : line.changedKeys
    keptKeys = line.keptKeys.isEmpty ? nil : line.keptKeys
    contestedKeys = line.contestedKeys.isEmpty ? nil : line.contestedKeys
    begins = line.begins?.rfc3339(in: timeZone)
  }
}
