import ArgumentParser
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Localization
import Plans
import Radio
import SystemBus
import Terminal
import Traces
import UnixSignals

/// `measured record`.
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records radio events in a trace for measured replay.",
    discussion: """
      It connects to devices and reads them as the daemon does, and writes every event at once; \
      nothing is stored. With --plan, devices are read as the plan binds them. Ctrl-C ends the \
      recording. A trace contains addresses and health data: share it with care.

      Example:
        measured record weigh-in.jsonl --seconds 60
      """)

  @Argument(help: "The trace to write; - is standard output.")
  var file: String

  @Option(help: "How long to record, in seconds. Default: until Ctrl-C.")
  var seconds: Double?

  @Option(
    name: .customLong("device"), help: "Only this device; may be repeated.",
    transform: AddressArgument.init(entered:))
  var addresses: [AddressArgument] = []

  @Option(help: "A care plan with device bindings.")
  var plan: String?

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  func validate() throws {
    try RadioOptions.validate(seconds: seconds)
  }

  func run() async throws {
    try await reporting(isJSON: false) {
      let definitions = try DeviceCatalog.load(catalog)
      let document = try plan.map { try PlanFile.load($0, devices: catalog.folder) }
      let writing = try TraceWriting(file: file, force: force, only: Set(addresses.map(\.address)))
      let store = try SQLStore.inMemory(makeUUID: { UUID() })
      if let document {
        _ = try await store.write { try $0.importPlan(document, now: Console.now) }
      }
      let summary = try await RadioListening(air, for: .recording).use { opened in
        let interruption = Task {
          for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            opened.radio.interrupt()
          }
        }
        defer { interruption.cancel() }
        let timer = seconds.map { seconds in
          opened.loop.schedule(after: .seconds(seconds)) { opened.radio.interrupt() }
        }
        defer { if let timer { opened.loop.cancel(timer) } }
        let radio = RecordedRadio(opened.radio, writing: writing)
        var hub = try await Hub(radio: radio, store: store, catalog: definitions) { _ in }
        return try await hub.run()
      }
      Console.error(
        LocalizedText(
          "command.radio.recorded",
          ["readings": .init(summary.stored + summary.unassigned)], count: writing.count
        ).message)
    }
  }
}

// MARK: - Writing

/// A radio whose events are written to a trace as they are consumed.
final class RecordedRadio: Radio {
  private let radio: any Radio
  private let writing: TraceWriting
  /// By how many seconds the wall clock was set since the beginning: a trace has one line of time.
  private var jumps: TimeInterval = 0
  /// Whether the links are another program's, which does not end them for this one.
  private let isShared: Bool
  private var hasEnded = false

  init(_ radio: any Radio, writing: TraceWriting) {
    self.radio = radio
    isShared = (radio as? LiveRadio)?.backend is RemoteRadio
    self.writing = writing
  }

  var hasNext: Bool { radio.hasNext }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    guard !(hasEnded && isShared) else { return .end(nil) }
    let step = try await radio.next(until: deadline)
    if case .end = step { hasEnded = true }
    if case .event(var event) = step {
      event.time.addTimeInterval(-jumps)
      try writing.write(event)
    } else if case .clockSet(let jump, _) = step {
      jumps += jump
    }
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) {
    try await radio.send(command)
  }
}

/// A trace file that is being written.
final class TraceWriting {
  /// How many events were written.
  private(set) var count = 0
  private let handle: FileHandle
  private let only: Set<DeviceAddress>
  private var writer: RadioTraceWriter?

  /// Starts a trace that only its owner may read.
  ///
  /// - Parameters:
  ///   - file: The trace's file; `-` is standard output.
  ///   - force: Whether an existing file is replaced.
  ///   - only: The devices whose events are written; empty for all.
  /// - Throws: ``CommandFailure`` if the file exists already or cannot be created.
  init(file: String, force: Bool, only: Set<DeviceAddress>) throws {
    self.only = only
    guard file != "-" else {
      handle = .standardOutput
      return
    }
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL)
    let descriptor = unsafe open(file, flags, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(
        .failed,
        errno == EEXIST
          ? LocalizedText("command.file.recordingExists", ["path": "\(file)"])
          : LocalizedText(
            "command.file.unwritable", ["path": "\(file)", "reason": .system(errno)]))
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes an event at once, so that it survives a crash of the program.
  func write(_ event: TimedEvent) throws(RadioError) {
    if !only.isEmpty, let address = event.event.address, !only.contains(address) { return }
    do {
      if writer == nil {
        let writer = RadioTraceWriter(start: event.time)
        try handle.write(contentsOf: writer.header(adapter: nil, timeZone: .current))
        self.writer = writer
      }
      if let line = try writer?.line(event) { try handle.write(contentsOf: line) }
    } catch {
      throw .recording(
        LocalizedText(
          "command.radio.traceUnwritable", ["reason": .init(Message.of(error))]
        ).message)
    }
    count += 1
  }
}
