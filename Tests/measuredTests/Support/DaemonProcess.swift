import Foundation
import Testing

@testable import Terminal

/// A daemon without a radio: `measured serve`, as a person runs it.
final class DaemonProcess {
  /// The store.
  let store: String
  /// The socket beside it.
  var socket: String { DaemonSocket.realPath(of: store) + ".sock" }
  private let process = Process()

  /// Starts the daemon of an existing store, and waits for its socket.
  init(store: String, as user: MeasuredProcess.User? = nil) async throws {
    self.store = store
    MeasuredProcess.prepare(
      process, ["serve", "--store", store, "--page", "127.0.0.1:0"], as: user)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    for _ in 0..<1_500 {
      let path = socket
      if try await onThread({ DaemonSocket(asking: path) }) != nil { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("The daemon has no socket")
  }

  deinit { crash() }

  /// Whether it runs.
  var isRunning: Bool { process.isRunning }

  /// Ends it orderly.
  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  /// Ends it with `kill -9`.
  func crash() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
