import Foundation
import Testing

/// The program on a terminal, as a person uses it: a pseudo-terminal whose other end is the test.
final class Terminal {
  let process = Process()
  private let master: Int32
  private var unread = ""

  /// Starts the program.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(unsafe openpty(&master, &slave, nil, nil, nil) == 0)
    self.master = master
    let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    process.executableURL = MeasuredProcess.executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["LC_ALL": "C"]) { $1 }.merging(environment) { $1 }
    process.standardInput = handle
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    try handle.close()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(master)
  }

  /// Reads until the output ends with `text`, which it then leaves behind.
  ///
  /// - Returns: The output since the last call.
  @discardableResult
  func wait(for text: String, _ location: SourceLocation = #_sourceLocation) -> String {
    while !unread.contains(text) {
      guard let more = read() else {
        Issue.record("‘\(text)’ is not in: \(unread)", sourceLocation: location)
        return unread
      }
      unread += more
    }
    defer { unread = "" }
    return unread
  }

  /// Types a line.
  func type(_ line: String) { write(line + "\n") }

  /// Ends the input, as Ctrl-D at the beginning of a line does.
  func endInput() { write("\u{4}") }

  /// Reads the rest, and waits for the end.
  ///
  /// - Returns: The output since the last call, and the exit code.
  func finish() -> (output: String, status: Int32) {
    while let more = read() { unread += more }
    process.waitUntilExit()
    return (unread, process.terminationStatus)
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe Glibc.write(master, bytes, bytes.count)
  }

  /// The next bytes as text; `nil` at the end, and after a minute without any.
  private func read() -> String? {
    var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&ready, 1, 60_000) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // Linux reports the end of the other side as an error.
    let count = unsafe Glibc.read(master, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self).replacing("\r\n", with: "\n")
  }
}
