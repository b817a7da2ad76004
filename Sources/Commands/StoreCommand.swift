import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Localization
import Terminal

/// `measured store`.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Checks, saves, restores, exchanges and erases stores.",
    discussion: """
      Example:
        measured store backup monday.sqlite
        measured store export box.jsonl
        measured store import other-box.jsonl
      """,
    subcommands: [
      Check.self, Backup.self, Restore.self, Export.self, Import.self, Erase.self,
    ])

  /// `measured store check`.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Looks for everything in a store that is not as it should be; changes nothing.",
      discussion: """
        Ends with code 3 if it finds something. The whole file is read.

        It finds damage of the file and of streamed samples; rows that cannot be read; missing rows \
        of plans, answers and changes of samples; a changed row of a plan that was imported; \
        answers without their event; what is computed and does not follow from the rows; and what \
        several stores changed independently. It cannot find a value of an answer, a single \
        sample, a device binding or the record of an import that was changed to another valid one, \
        nor a single sample that was removed: compare with an export or a backup for that.

        Example:
          measured store check --store week.sqlite
        """)

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Print JSON Lines: the findings.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let findings = try await file.openExisting().check()
        for finding in findings {
          if json { try Console.json(FindingOutput(finding)) } else { Console.out(finding.message) }
        }
        // A copy takes a name of its own by itself; nothing is to be done.
        guard findings.allSatisfy({ $0.kind == .copiedFile }) else {
          throw CommandFailure(.refused)
        }
        guard !json else { return }
        Console.out("The store \(try file.path) is as it should be.")
        Console.out(
          "What a failing disk changed to another valid value shows only beside a backup or an"
            + " export.")
      }
    }

    /// A finding as JSON.
    private struct FindingOutput: Encodable {
      /// The kind of finding: `orphanedOutcome`.
      var finding: String
      /// The kind of thing that the id names: `outcome`.
      var kind: String
      var id: String
      var detail: String
      var advice: String

      init(_ finding: StoreFinding) {
        self.finding = finding.kind.rawValue
        kind = finding.thing
        id = finding.id
        detail = finding.detail
        advice = finding.advice.message
      }
    }
  }

  /// `measured store backup`.
  struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a copy of a store to a file.",
      discussion: """
        The daemon may go on working meanwhile. The copy has no keys and consent codes of devices: \
        keep the plan that has them, too. A file that exists is replaced once the copy is complete. Of a \
        store on a server it is an export.

        Example:
          measured store backup monday.sqlite --store week.sqlite
        """)

    @Argument(help: "The file to write.")
    var target: String

    @OptionGroup var file: StoreFileOptions

    func run() async throws {
      try await reporting(isJSON: false) {
        let store = try file.openExisting()
        guard !store.isOnServer else {
          try await store.export(to: target)
          return Console.out(
            LocalizedText(
              "command.store.exportForBackup", ["file": "\(target)", "store": "\(try file.path)"]
            ).message)
        }
        try await store.backup(to: target)
        Console.out("\(target) is a copy of \(try file.path).")
      }
    }
  }

  /// `measured store restore`.
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the content of a backup the content of a store.",
      discussion: """
        What the store contained until then stays beside it, with the ending \
        \(SQLStore.restorationSuffix).

        Example:
          measured store restore monday.sqlite --store week.sqlite
        """)

    @Argument(help: "The backup.")
    var backup: String

    @OptionGroup var file: StoreFileOptions

    func run() async throws {
      try await reporting(isJSON: false) {
        let path = try file.path
        try CommandFiles.require(backup, "command.file.nameBackup")
        let saved = try await file.restore(from: backup)
        Console.out(
          "\(path) has the content of \(backup)."
            + (saved.map { " What it contained is in \($0)." } ?? ""))
      }
    }
  }

  /// `measured store export`.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes everything that stores exchange as JSON Lines.",
      discussion: """
        Without a file it goes to standard output. There are no secrets and no device bindings in \
        it; a file that exists is replaced once the export is complete.

        With --fhir it is FHIR R4 for other systems: a Bundle that stores each resource under its own id, \
        so that sending it again changes nothing; with --ndjson a folder with a file for each type. \
        Of streams it has an Observation an hour.

        Example:
          measured store export box.jsonl --store week.sqlite
          measured store export --fhir week.json --patient john --from 2026-11-01
          measured store export --fhir --ndjson folder
        """)

    @Argument(help: "The file to write, or the folder of --ndjson; - is standard output.")
    var target = "-"

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Write FHIR R4.")
    var fhir = false

    @Flag(help: "Of FHIR: a file of lines for each type of resource, in a folder.")
    var ndjson = false

    @Option(help: "Of FHIR: only this patient, by id or unique name.")
    var patient: String?

    @Option(help: "Of FHIR: only what starts from this day on.")
    var from: String?

    @Option(help: "Of FHIR: a file with codes of the other system (docs/fhir.md).")
    var mapping: String?

    func validate() throws {
      guard fhir || (!ndjson && patient == nil && from == nil && mapping == nil) else {
        throw ValidationError("--ndjson, --patient, --from and --mapping need --fhir.")
      }
      guard !ndjson || target != "-" else { throw ValidationError("--ndjson needs a folder.") }
    }

    func run() async throws {
      try await reporting(isJSON: false) {
        let store = try file.openExisting()
        guard !fhir else { return try await exportFHIR(store) }
        guard target != "-" else { return try await store.export { Console.data($0) } }
        try await store.export(to: target)
        Console.out("\(target) is an export of \(try file.path).")
      }
    }

    private func exportFHIR(_ store: SQLStore) async throws {
      let now = Console.now
      let (target, ndjson) = (target, ndjson)
      let count = try await store.readOnce { [patient, from, mapping] reader in
        let person = try patient.map { try reader.patientID(named: $0) }
        let plan = try PlanDocument(current: reader, patient: person)
        var start: Date?
        if let from {
          start = Date(from, in: plan.timeZone)
          guard start != nil else {
            throw CommandFailure(.failed, LocalizedText("fhir.noDate", ["text": "\(from)"]))
          }
        }
        let export = FHIRStoreExport(
          coder: try FHIRCoder(of: plan, mapping: mapping, now: now), plan: plan, patient: person,
          from: start, now: now)
        let output = try FHIROutput(target, isBulk: ndjson)
        try export.forEach(in: reader) { try output.write($0) }
        try output.finish()
        return output.count
      }
      guard target != "-" else { return }
      Console.out(
        LocalizedText("fhir.exported", ["number": "\(count)", "path": "\(target)"]).message)
    }
  }

  /// `measured store import`.
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Merges the export of another store into a store.",
      discussion: """
        The store then has what both had; importing again changes nothing. What both changed \
        independently is listed; the newest version is shown until someone settles it. With \
        --replace the store has the export's content alone, and what it contained is saved first.

        Example:
          measured store import other-box.jsonl --store week.sqlite
        """)

    @Argument(help: "The export; - is standard input.")
    var source: String

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Replace the store's content, after a backup.")
    var replace = false

    @Flag(help: "Print JSON Lines: what was merged, then the conflicts.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        if source != "-" {
          try CommandFiles.require(source, "command.file.nameExport")
        }
        if replace { try await replaceContent() }
        // An export that is refused leaves no empty store.
        let (report, conflicts, answers, zone) = try await file.withStore { store in
          let report = replace ? nil : try await merge(into: store)
          return try await store.read {
            (report, try $0.conflicts(), try $0.numberedConflicts(), try $0.zone())
          }
        }
        if let report {
          if json {
            try Console.json(MergeOutput(report))
          } else {
            report.lines.forEach(Console.out)
          }
        }
        try conflicts.print(isJSON: json, in: zone)
        try answers.print(isJSON: json, in: zone)
      }
    }

    private func merge(into store: SQLStore) async throws -> MergeReport {
      guard source == "-" else { return try await store.merge(contentsOf: source) }
      return try await store.merge(lines: StandardInputLines(surroundings: Console.surroundings))
    }

    /// Builds a store of the export alone beside the present one, and restores it there.
    private func replaceContent() async throws {
      guard try !SQLStore.isOnServer(file.path) else {
        throw StoreError.failed(.onServer, store: try file.path)
      }
      let draft = try file.path + ".import"
      defer {
        for companion in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: draft + companion)
        }
      }
      for companion in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: draft + companion)
      }
      let new = try SQLStore.open(path: draft, makeUUID: { UUID() })
      let report = try await merge(into: new)
      try new.close()
      let saved = try await file.restore(from: draft)
      if json {
        try Console.json(MergeOutput(report))
      } else {
        report.lines.forEach(Console.out)
        if let saved { Console.out("What the store contained is in \(saved).") }
        Console.out("Exports contain no device bindings: import the plan, too.")
      }
    }

    /// The lines of standard input.
    private struct StandardInputLines: Sequence, IteratorProtocol, Sendable {
      let surroundings: any Surroundings
      mutating func next() -> String? { surroundings.nextDataLine() }
    }

    /// The counts of a merge, as JSON.
    private struct MergeOutput: Encodable {
      var versions: Int
      var outcomes: Int
      var samples: Int
      var streamedSamples: Int
      var changes: Int
      var renamedPatients: Int
      var erasures: Int
      var firings: Int
      var attachments: Int
      var dropped: Int
      var foundCopy: Bool

      init(_ report: MergeReport) {
        versions = report.versions
        outcomes = report.outcomes
        samples = report.samples
        streamedSamples = report.streamedSamples
        changes = report.changes
        renamedPatients = report.renamedPatients
        erasures = report.erasures
        firings = report.firings
        attachments = report.attachments
        dropped = report.dropped
        foundCopy = report.hasFoundCopy
      }
    }
  }

  /// `measured store erase`.
  struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes every value, raw byte and name of a patient from a store's file.",
      discussion: """
        This cannot be taken back, and holds for later imports, too. Backups and exports that exist \
        are not touched, but for what store restore left beside the store. To hide a person only, see measured patient delete.

        Example:
          measured store erase --patient john --store week.sqlite
        """)

    @OptionGroup var file: StoreFileOptions

    @Option(help: "The patient's id.")
    var patient: String

    @Flag(help: "Do not ask.")
    var yes = false

    func run() async throws {
      try await reporting(isJSON: false) {
        let store = try file.openExisting()
        let path = try file.path
        // By the id alone: a name could be meant for someone else.
        try await store.read { try $0.checkPatient(patient, amongDeleted: true) }
        if !yes {
          guard Console.isInputTerminal else {
            throw CommandFailure(.refused, "command.store.eraseUnconfirmed")
          }
          guard
            await Console.confirm(
              "Remove everything of ‘\(patient)’ from \(path)? It cannot be taken back.")
          else { throw CommandFailure(.refused, "command.store.nothingErased") }
        }
        let now = Console.now
        try await store.erase(patient: patient, now: now)
        let copies = await store.eraseCopies(patient: patient, now: now)
        Console.out(
          "Everything of ‘\(patient)’ is removed from \(path). Remove them from the plan file,"
            + " and delete backups and exports that contain them.")
        for copy in copies where copy.isErased {
          Console.out("It is removed from \(copy.path), too, which a restoration left.")
        }
        for copy in copies where !copy.isErased {
          Console.error(
            "\(copy.path), which a restoration left, cannot be opened and may still contain it."
              + " Delete that file.")
        }
      }
    }
  }
}

extension MergeReport {
  /// The counts of the merge, for people.
  fileprivate var lines: [String] {
    let counts = [
      (versions, "version(s) of people, tasks and other parts of the plan"),
      (outcomes, "outcome(s)"), (samples, "sample(s)"), (streamedSamples, "streamed sample(s)"),
      (changes, "change(s) of samples"), (renamedPatients, "renamed patient(s)"),
      (erasures, "erasure(s)"), (firings, "reminder(s), alert(s) and firing(s) of rules"),
      (attachments, "picture(s) and video(s)"),
    ].filter { $0.0 > 0 }
    var lines = counts.map { "\($0.0) \($0.1) are new" }
    if hasChangedTimeZone { lines.append("The plan's time zone is that of the export") }
    if dropped > 0 { lines.append("\(dropped) row(s) of erased patients were not stored") }
    if hasFoundCopy {
      lines.append("A copy of this store's file exists; this store writes under a new name now.")
    }
    return isUnchanged ? lines + ["Nothing changed: the store has all of it already."] : lines
  }
}
