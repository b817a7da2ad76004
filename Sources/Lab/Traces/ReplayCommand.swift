import ArgumentParser
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Motion
import Plans
import Radio
import StrictYAML
import Terminal
import Traces

/// `measured replay`.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays recorded sensor input through the daemon's pipeline.",
    discussion: """
      Recordings are radio traces (JSON Lines), Bluetooth captures (btsnoop of btmon -w and \
      Android's HCI log, pcapng, PacketLogger) and \
      motion files (see measured help steps); several are merged by time. Times are the recording's \
      own; a motion file without dates needs --start. \
      Replaying a recording again changes nothing.

      Without --store the results go to a temporary store, never to the default one or that of \
      $MEASURED_STORE.

      Example:
        measured replay weigh-in.jsonl --plan plan.yaml --store week.sqlite
      """)

  @Argument(help: "The recordings; - is standard input.")
  var traces: [String]

  @Option(help: "The care plan to import first.")
  var plan: String?

  @Option(help: "The store's file. Default: a temporary store; $MEASURED_STORE is not used.")
  var store: String?

  @Option(help: "Attribute readings to this patient only, by id or unique name.")
  var patient: String?

  @OptionGroup var catalog: CatalogOptions

  @Option(help: "The speed: as fast as possible (max), or a multiple of real time.")
  var speed: Speed = .max

  @Option(
    help: "When a motion file starts, such as 2026-11-20T07:09:58-08:00; if it does not say.",
    transform: TimeArgument.init(entered:))
  var start: TimeArgument?

  @Option(help: "The sensor of a motion file (left-thigh). Default: the file's name.")
  var sensor: String?

  @OptionGroup var format: MotionFormatOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard !traces.isEmpty else { throw ValidationError("Name a recording to replay.") }
    guard plan != nil || store != nil else {
      throw ValidationError("Name a care plan with --plan, or a store that has one with --store.")
    }
  }

  func run() async throws {
    try await reporting(isJSON: json) { try await replay() }
  }

  private func replay() async throws {
    let document = try plan.map { try PlanFile.load($0, devices: catalog.folder) }
    let store = try store.map(open) ?? SQLStore.temporary(makeUUID: { UUID() })
    let stored = try await store.read { try $0.planTimeZone() }
    let zone = document?.timeZone ?? stored ?? .gmt
    let recordings = try openRecordings(in: zone)
    let run = ReplayRun(
      store: store, plan: document, patient: patient, catalog: try DeviceCatalog.load(catalog),
      reporter: ReplayReporter(timeZone: zone, isJSON: json), sensor: sensor)
    let radio = TraceRadio(recordings.readers, pace: speed.pace)
    // Losses of a capture explain a failure, too.
    defer {
      for (file, skipped) in zip(traces, radio.skipped) { CaptureLoss.report(skipped, of: file) }
    }
    let summary = try await run.run(radio, totalBytes: recordings.totalBytes)
    try run.reporter.print(summary)
  }

  /// Opens the store; a new one is made only with a plan, and if the recordings can be read.
  private func open(_ path: String) throws -> SQLStore {
    if try !StoreFileOptions.isPresent(path) {
      guard plan != nil else { throw StoreFileOptions.missing(path) }
      for trace in traces where trace != "-" {
        _ = try opener(in: .gmt).open(CommandFiles.stream(trace))
      }
    }
    return try StoreFileOptions.open(path)
  }

  private func opener(in zone: TimeZone) throws -> TraceFile {
    TraceFile(
      start: try start?.instant(in: zone, now: Date()), sensor: sensor, format: format.format,
      timeZone: zone)
  }

  /// Opens the recordings; their size is `nil` if one of them is a pipe.
  private func openRecordings(
    in zone: TimeZone
  ) throws -> (readers: [any TraceReader], totalBytes: Int?) {
    let opener = try opener(in: zone)
    var readers: [any TraceReader] = []
    var totalBytes: Int? = 0
    for path in traces {
      let stream = try CommandFiles.stream(path)
      totalBytes = totalBytes.flatMap { sum in stream.size.map { sum + $0 } }
      do {
        readers.append(try opener.open(stream))
      } catch {
        guard let hint = CommandFiles.historyHint(path) else { throw error }
        throw CommandFailure(.failed, hint)
      }
    }
    return (readers, totalBytes)
  }
}

/// The speed of a replay.
enum Speed: ExpressibleByArgument {
  case max
  case times(Double)

  init?(argument: String) {
    if argument == "max" {
      self = .max
    } else if let times = Double(argument), times > 0, times.isFinite {
      self = .times(times)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "max" }

  var pace: TraceRadio.Pace {
    switch self {
    case .max: .unbounded
    case .times(let times): .times(times, ContinuousClock())
    }
  }
}

// MARK: - Playing

/// Plays recordings through the hub into a store.
struct ReplayRun {
  var store: SQLStore
  var plan: PlanDocument?
  var patient: String?
  var catalog: DeviceCatalog
  var reporter: ReplayReporter
  /// The name that the command gives the sensor of motion files.
  var sensor: String?

  /// Imports the plan and plays `radio` to its end; `totalBytes` is the recordings' size for the
  /// progress bar, `nil` if it is unknown.
  func run(_ radio: TraceRadio, totalBytes: Int?) async throws -> HubSummary {
    if let plan {
      let now = try start(of: radio)
      let videos = try plan.videoFiles(for: store)
      _ = try await store.write { writer in
        for video in videos { try video.store(in: writer) }
        _ = try writer.importPlan(plan, now: now)
      }
    }
    let (patient, units, bindings) = try await store.read { [patient] reader in
      (
        try patient.map { try reader.patientID(named: $0) }, try reader.preferredUnits(),
        try reader.deviceBindings()
      )
    }
    if let sensor { warn(ofUnknown: sensor, bindings: bindings) }
    var reporter = reporter
    reporter.units = units
    let watched = ProgressRadio(radio, totalBytes: totalBytes)
    var hub = try await Hub(radio: watched, store: store, catalog: catalog, patient: patient) {
      [reporter] report in
      watched.clear()
      reporter.print(report)
    }
    defer { watched.clear() }
    let summary: HubSummary
    do {
      summary = try await hub.run()
    } catch let error as RadioError {
      throw CommandFailure(radio.failure ?? error)
    }
    if summary.isEmpty, !reporter.isSilent {
      watched.clear()
      for line in watched.hearing.explanations(for: bindings, catalog: catalog) {
        Console.error("measured: \(line).")
      }
    }
    return summary
  }

  /// Says that a sensor is neither in the plan nor worn anywhere, as far as its name tells.
  private func warn(ofUnknown sensor: String, bindings: [DeviceBinding]) {
    let bound = bindings.map(\.address.text)
    let known = Set(
      Side.allCases.map(\.rawValue) + Segment.allCases.map { $0.rawValue.lowercased() }
        + Joint.allCases.map(\.rawValue))
    let words = sensor.split { "-_ ".contains($0) }.map { $0.lowercased() }
    let isPlace = Placement(sensorName: sensor) != nil && words.allSatisfy(known.contains)
    guard !bound.contains(sensor), !isPlace else { return }
    let places = Side.allCases.flatMap { side in
      Segment.allCases.map { "\(side.rawValue)-\($0.rawValue)" }
    }
    Console.error(
      "measured: ‘\(sensor)’ is neither a sensor of the plan nor a place such as left-thigh or"
        + " trunk" + Spelling.suggestion(for: sensor, among: bound + places)
        + ". What of the name is unknown is ignored.")
  }

  /// The time of the first event; 1970 for recordings without one.
  private func start(of radio: TraceRadio) throws -> Date {
    do {
      return try radio.start() ?? Date(timeIntervalSince1970: 0)
    } catch {
      throw CommandFailure(radio.failure ?? error)
    }
  }
}

/// Recordings with a progress bar that moves as events are consumed, and with whom they hear.
final class ProgressRadio: Radio {
  private let recordings: TraceRadio
  private var progress: ProgressBar
  private(set) var hearing = ReplayHearing()

  /// Plays `recordings` of `totalBytes` bytes.
  init(_ recordings: TraceRadio, totalBytes: Int?) {
    self.recordings = recordings
    progress = ProgressBar("replaying", total: totalBytes)
  }

  var hasNext: Bool { recordings.hasNext }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    let step = try await recordings.next(until: deadline)
    progress.update(recordings.bytesRead)
    if case .event(let event) = step { hearing.add(event.event) }
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) {
    try await recordings.send(command)
  }

  /// Removes the bar, so that a line can be printed.
  func clear() {
    progress.finish()
  }
}
