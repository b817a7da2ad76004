import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Synchronization
import Terminal
import UnixSignals

/// `measured import`.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports the history of another program: weights, pressures, glucose, steps.",
    discussion: """
      A file is recognised by its content: openScale, Withings, Fitbit, Google Takeout, Apple Health, \
      Health Connect, Renpho, Beurer HealthManager, Zepp Life, Garmin, Samsung Health, Omron Connect, Health Auto \
      Export, LibreView, Dexcom Clarity, Nightscout, xDrip+, blood pressure diaries, answers of medTimer \
      and Loop Habit Tracker, the CSV of measured samples, and tables of any program. An archive (ZIP) is read as it is.

      Importing again changes nothing. What the box measured itself, and the file has, too, stays one \
      measurement. A weight goes to a person by evidence, unless --patient says whose they are; what is \
      unclear waits. Times without a zone are read in the person's, or in --zone.

      Example:
        measured import export.zip --dry-run
        measured import openScale.csv --patient john --zone Europe/Berlin
        measured import table.csv --columns date=1 --columns weight=3:lb
      """)

  @Argument(help: "The files, as the other programs exported them; - is standard input.")
  var files: [String]

  @Option(help: "Whose the values are, by id or unique name. Default: decided by evidence.")
  var patient: String?

  @Option(help: "The zone of times that have none, such as Europe/Berlin. Default: the person's.")
  var zone: String?

  @Option(
    help:
      "What a column of a table is: date=1, time=Hora, weight=3:lb, systolic=Sys. May be given several times."
  )
  var columns: [String] = []

  @Flag(help: "Only say what would be imported.")
  var dryRun = false

  @Flag(help: "Delete what the other program deleted since its last import, too.")
  var follow = false

  @OptionGroup var storage: StoreFileOptions

  @Flag(help: "Print JSON Lines: a line for each file.")
  var json = false

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name a file to import.") }
    guard !follow || !dryRun else { throw ValidationError("Give either --follow or --dry-run.") }
    guard zone.map({ TimeZone(iana: $0) != nil }) ?? true else {
      throw ValidationError("--zone is an IANA name such as Europe/Berlin.")
    }
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let columns = try columns.map { try HistoryColumn($0) }
      let store = try storage.openExisting()
      let chosen = try await store.read { reader in
        try patient.map { try reader.patientID(named: $0) }
      }
      let interruption = Interruption()
      defer { interruption.end() }
      for path in files {
        let run = HistoryRun(
          path: path, patient: chosen, zone: zone.flatMap { TimeZone(iana: $0) },
          columns: columns, isDryRun: dryRun, follows: follow, store: store, isJSON: json,
          interruption: interruption)
        try await run.run()
        guard !interruption.isRequested else {
          throw CommandFailure(
            .failed,
            LocalizedText(dryRun ? "history.interruptedDryRun" : "history.interrupted"))
        }
      }
    }
  }
}

/// Notices that a person wants the command to end; the current batch is then finished.
private final class Interruption: Sendable {
  private let requested = Atomic(false)
  private let task = Mutex<Task<Void, Never>?>(nil)

  init() {
    guard Console.surroundings.isProcess else { return }
    task.withLock {
      $0 = Task { [weak self] in
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
          self?.requested.store(true, ordering: .relaxed)
        }
      }
    }
  }

  var isRequested: Bool { requested.load(ordering: .relaxed) }

  func end() { task.withLock { $0?.cancel() } }
}

/// The import of one file.
private struct HistoryRun {
  var path: String
  var patient: String?
  var zone: TimeZone?
  var columns: [HistoryColumn]
  var isDryRun: Bool
  var follows: Bool
  var store: SQLStore
  var isJSON: Bool
  var interruption: Interruption

  func run() async throws {
    let bytes = try CommandFiles.history(path)
    let file = try HistoryFile(bytes, columns: columns, copy: store.makeDraftPath())
    var progress = ProgressBar("importing", total: file.size)
    defer { progress.finish() }
    let transfer = HistoryTransfer(
      patient: patient, zone: zone, isDryRun: isDryRun, follows: follows)
    let report: HistoryTransfer.Report?
    do {
      report = try await transfer.run(
        file, in: store, by: .owner, now: { Console.now }, progress: { progress.update($0) },
        isInterrupted: { interruption.isRequested })
    } catch HistoryTransfer.Refusal.needsZone {
      throw CommandFailure(
        .refused, LocalizedText("history.needsZone", ["file": .verbatim(path)]))
    }
    guard let report else { return }
    progress.finish()
    try self.report(
      ImportReport(
        file: path, kind: report.kind.id, read: report.read, result: report.result,
        deleted: follows ? report.deleted : nil),
      program: report.kind.title, usedZone: zone == nil ? report.usedZone?.identifier : nil)
    if let failure = report.failure { throw failure }
  }

  private func report(_ report: ImportReport, program: String, usedZone: String?) throws {
    guard !isJSON else { return try Console.json(report) }
    let result = report.result
    Console.out(
      LocalizedText(
        isDryRun ? "history.wouldImport" : "history.imported",
        [
          "file": .verbatim(path), "program": .verbatim(program), "read": .init(report.read),
          "new": .init(result.new), "known": .init(result.known),
          "unassigned": .init(result.unassigned),
        ]
      ).message)
    if let usedZone {
      Console.error(LocalizedText("history.zone", ["zone": .verbatim(usedZone)]).message)
    }
    for skip in result.skips.summary { Console.error(skip.message) }
    for (count, key) in [
      (result.skipsBeyond, "history.skippedBeyond"), (result.ambiguous, "history.ambiguous"),
      (result.shifted, "history.shifted"),
      (report.deleted ?? 0, "history.deleted"),
    ] where count > 0 {
      Console.error(LocalizedText(key, ["count": .init(count)], count: count).message)
    }
    if result.unassigned > 0 { Console.error(LocalizedText("history.unassigned").message) }
  }
}

/// The result of a file, for programs.
struct ImportReport: Encodable {
  /// More rows that were left out are counted alone.
  private static let mostSkips = 1000

  var file: String
  var kind: String
  var read: Int
  var result: ImportHistory.Result
  var deleted: Int?

  private struct Skip: Encodable {
    var line: Int?
    var reason: String
    var count: Int?
  }

  private enum Key: String, CodingKey {
    case file, kind, read, new, known, unassigned, skipped, skippedCount, ambiguous, shifted,
      deleted
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(file, forKey: .file)
    try container.encode(kind, forKey: .kind)
    try container.encode(read, forKey: .read)
    try container.encode(result.new, forKey: .new)
    try container.encode(result.known, forKey: .known)
    try container.encode(result.unassigned, forKey: .unassigned)
    let skips = result.skips.prefix(Self.mostSkips).map {
      Skip(line: $0.line, reason: $0.reason.message, count: $0.count == 1 ? nil : $0.count)
    }
    try container.encode(skips, forKey: .skipped)
    let count = result.skips.reduce(result.skipsBeyond) { $0 + $1.count }
    if count > skips.count { try container.encode(count, forKey: .skippedCount) }
    if result.ambiguous > 0 { try container.encode(result.ambiguous, forKey: .ambiguous) }
    if result.shifted > 0 { try container.encode(result.shifted, forKey: .shifted) }
    try container.encodeIfPresent(deleted, forKey: .deleted)
  }
}
