public import ArgumentParser
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Plans
public import Traces

/// `measured replay`.
struct Replay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Takes recorded sensor input the daemon's own path and completes tasks.",
    discussion: """
      Recordings are radio traces (JSON Lines), btsnoop captures (btmon -w, Android's HCI log) and \
      motion files (CSV, with --start); several are merged by their time. Everything happens in the \
      recording's own time. Replaying again changes nothing.

      Without --store a throw-away store is used.

      Example:
        measured replay weigh-in.jsonl --plan plan.yaml --store week.sqlite
      """)

  @Argument(help: "The recordings; - is standard input.")
  var traces: [String]

  @Option(help: "The care plan to import first.")
  var plan: String?

  @OptionGroup var storage: StoreOptions
  @OptionGroup var catalog: CatalogOptions

  @Option(help: "As fast as possible (max), or so many times its own speed (1 is real time).")
  var speed: Speed = .max

  @Option(help: "When a motion file starts, such as 2026-11-20T07:09:58-08:00.")
  var start: TimeArgument?

  @Option(help: "The sensor that a motion file is of (left-thigh). Default: the file's name.")
  var sensor: String?

  @Option(help: "A motion file's unit: g, mg, m/s2 or counts:LSB_PER_G.")
  var unit: MotionUnit = .g

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard !traces.isEmpty else { throw ValidationError("Name a recording to replay.") }
    guard plan != nil || storage.store != nil else {
      throw ValidationError("Name a care plan with --plan, or a store that has one with --store.")
    }
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let document = try plan.map { try PlanFile.load($0) }
      let store =
        try storage.store == nil ? SQLStore.inMemory(makeUUID: { UUID() }) : storage.open()
      let zone: TimeZone =
        if let document { document.timeZone } else {
          try await store.read { try $0.planTimeZone() } ?? .gmt
        }
      let opener = TraceFile(start: start?.date(in: zone), sensor: sensor, unit: unit)
      var readers: [any TraceReader] = []
      var total: Int? = 0
      for path in traces {
        let stream = try FileStream(path: path)
        total = total.flatMap { sum in stream.size.map { sum + $0 } }
        readers.append(try opener.open(stream))
      }
      let replay = ReplayRun(
        store: store, plan: document, patient: storage.patient,
        catalog: try DeviceCatalog.load(catalog),
        reporter: ReplayReporter(timeZone: zone, isJSON: json))
      let summary = try await replay.run(
        TraceRadio(readers, pace: speed.pace), totalBytes: total)
      replay.reporter.print(summary)
    }
  }
}

/// How fast a recording is replayed.
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

extension MotionUnit: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }

  public var defaultValueDescription: String { "g" }
}
