import CareStore
import Foundation
import Synchronization
import Traces
import Web

/// The surroundings of a command that the daemon runs for a client: its console, files and store.
///
/// A command without a host uses the files and the store of its own process.
final class CommandHost: Surroundings {
  /// The host of the command that runs in this task.
  static var current: CommandHost? { Console.surroundings as? CommandHost }

  /// The client's request.
  let request: CommandRequest
  /// The daemon's store.
  let store: SQLStore
  /// Where that is, as the daemon calls it.
  let storePath: String
  /// The files that the client sent.
  let files: ReceivedFiles
  /// Records what is due by the plan.
  let settle: @Sendable () async -> Void
  private let outbox: LineQueue
  private let state = Mutex(State())

  private struct State {
    var question: CheckedContinuation<Bool, Never>?
    var isGone = false
    var isOverfull = false
  }

  init(
    request: CommandRequest, store: SQLStore, storePath: String, files: ReceivedFiles,
    settle: @escaping @Sendable () async -> Void, outbox: LineQueue
  ) {
    self.request = request
    self.store = store
    self.storePath = storePath
    self.files = files
    self.settle = settle
    self.outbox = outbox
  }

  // MARK: Console

  var terminals: CommandRequest.Terminals { request.terminals }
  var variables: [String: String] { ProcessInfo.processInfo.environment }
  var isProcess: Bool { false }

  /// Prints text for one of the client's streams.
  func write(_ text: String, to stream: Console.Stream) {
    switch stream {
    case .standardOutput: send(DaemonFrame(out: text))
    case .standardError: send(DaemonFrame(error: text))
    }
  }

  /// A client sends its standard input as one of the files, and answers questions alone.
  func nextLine() -> String? { nil }

  func nextDataLine() -> String? { nil }

  func input() throws(TraceError) -> any ByteStream {
    guard let input = files.input("-") else { throw TraceError(file: "-", .missingFile) }
    if let problem = input.problem { throw TraceError(file: "-", problem.problem) }
    return try FileStream(path: files.path(of: "-"), named: "-")
  }

  /// Asks the client's person; anything but yes is no.
  func confirm(_ question: String) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isGone = state.withLock { state in
          guard !state.isGone, !Task.isCancelled else { return true }
          state.question = continuation
          return false
        }
        guard !isGone else { return continuation.resume(returning: false) }
        send(DaemonFrame(question: question))
      }
    } onCancel: {
      leave()
    }
  }

  /// The client answered.
  func answer(_ isYes: Bool) {
    let question = state.withLock { state in
      defer { state.question = nil }
      return state.question
    }
    question?.resume(returning: isYes)
  }

  /// The client is gone: nobody answers.
  func leave() {
    state.withLock { $0.isGone = true }
    answer(false)
  }

  /// Ends with an exit code.
  func exit(_ code: Int32) {
    guard !state.withLock({ $0.isOverfull }) else {
      outbox.finish(
        with: FrameCoding.line(
          DaemonFrame(
            error: "measured: The command printed more than the daemon can hold for a slow"
              + " reader. Write it to a file instead.\n", exit: ExitCode.failed.rawValue)))
      return
    }
    outbox.finish(with: FrameCoding.line(DaemonFrame(exit: code)))
  }

  private func send(_ frame: DaemonFrame) {
    guard !state.withLock({ $0.isOverfull }) else { return }
    do throws(LineQueue.Full) {
      try outbox.put(FrameCoding.line(frame))
    } catch {
      state.withLock { $0.isOverfull = true }
    }
  }

  // MARK: Files

  /// Sends a file that the command has written.
  func send(file path: String) async throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw CommandFailure(.failed, "The daemon cannot read what it has written.")
    }
    defer { try? file.close() }
    while let piece = try file.read(upToCount: DaemonFrame.piece), !piece.isEmpty {
      try Task.checkCancellation()
      try await outbox.write(FrameCoding.line(DaemonFrame(data: piece)))
    }
    try await outbox.write(FrameCoding.line(DaemonFrame(isEnd: true)))
  }

  /// The text with the client's names in place of the daemon's.
  func translated(_ text: String) -> String {
    var text = files.translated(text)
    if storePath != request.store { text = text.replacing(storePath, with: request.store) }
    return text
  }
}
