import Foundation
import Radio
import Traces

/// A radio whose events are written down as they are taken.
final class RecordedRadio: Radio {
  private let radio: any Radio
  private let writing: TraceWriting

  init(_ radio: any Radio, writing: TraceWriting) {
    self.radio = radio
    self.writing = writing
  }

  var hasNext: Bool { radio.hasNext }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    let step = try await radio.next(until: deadline)
    if case .event(let event) = step { try writing.write(event) }
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) {
    try await radio.send(command)
  }
}

/// A trace that is being written.
final class TraceWriting {
  /// How many events were written.
  private(set) var count = 0
  private let handle: FileHandle
  private let only: Set<DeviceAddress>
  private var writer: RadioTraceWriter?

  /// Starts a trace, for the owner's eyes only.
  ///
  /// - Parameters:
  ///   - file: The trace's file; `-` is standard output.
  ///   - force: Whether a file that is there is written over.
  ///   - only: The devices whose events are written; empty for all.
  /// - Throws: ``CommandFailure`` where the file is there already or cannot be made.
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
          ? "\(file) is there already; name another file, or write over it with --force"
          : "\(file) cannot be written: \(unsafe String(cString: strerror(errno)))")
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes an event down, at once: what was recorded survives the program.
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
      throw RadioError("The trace cannot be written: \(error.localizedDescription)")
    }
    count += 1
  }
}
