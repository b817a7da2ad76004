package import Foundation
import Localization
package import Traces

/// The streams of a command, the variables of its environment and its clock.
///
/// Commands use it through ``Console`` and ``CommandFiles``; ``Console/surroundings`` is that of the
/// command which runs in the task. So tests run many commands in one process, each with its own.
package protocol Surroundings: Sendable {
  /// Which streams are terminals.
  var terminals: Terminals { get }
  /// The variables of the environment.
  var variables: [String: String] { get }
  /// The time that the clock shows.
  var now: Date { get }
  /// Whether the whole process is the command's, with its signals.
  var isProcess: Bool { get }
  /// Prints text; a command whose text cannot be printed has no reason to go on.
  func write(_ text: String, to stream: Console.Stream)
  /// Asks the person; anything but yes is no.
  func confirm(_ question: String) async -> Bool
  /// The next line that a person types, without its end; `nil` at the end of the input, and for a
  /// line that is longer than any answer. It waits on this thread.
  func nextLine() -> String?
  /// The next line of data, of any length; `nil` at the end of the input. It waits on this thread.
  func nextDataLine() -> String?
  /// The bytes of standard input.
  func input() throws(TraceError) -> any ByteStream
}

extension Surroundings {
  package func confirm(_ question: String) async -> Bool {
    write(question + " [y/N] ", to: .standardError)
    return ["y", "yes"].contains(await line()?.lowercased() ?? "")
  }

  /// As ``nextLine()``, on a thread of its own.
  package func line() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: nextLine()) }
    }
  }
}

/// Which streams of a command are terminals.
package struct Terminals: Hashable, Sendable {
  package var input = false
  package var output = false
  package var error = false
  /// How many columns standard output has.
  package var width: Int?
}

/// The surroundings of a command that has a process of its own.
struct OwnProcess: Surroundings {
  let terminals = Terminals(
    input: isatty(STDIN_FILENO) == 1, output: isatty(STDOUT_FILENO) == 1,
    error: isatty(STDERR_FILENO) == 1, width: Self.width)
  let isProcess = true

  var variables: [String: String] { ProcessInfo.processInfo.environment }
  var now: Date { Date() }

  private static var width: Int? {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Writes the text; ends the program if that fails, in silence if the reader is gone.
  func write(_ text: String, to stream: Console.Stream) {
    let handle =
      switch stream {
      case .standardOutput: FileHandle.standardOutput
      case .standardError: FileHandle.standardError
      }
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      if stream == .standardOutput, cause?.code != Int(EPIPE) {
        let reason = LocalizedText(
          "command.output.unwritable", ["reason": .init(Message.of(error))])
        let line = "measured: \(reason.message)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
      }
      exit(ExitCode.failed.rawValue)
    }
  }

  /// The C library's own input is locked while somebody waits for a line, and since glibc 2.41
  /// `exit` waits for that lock: an interrupted program would not end.
  func nextLine() -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= Console.longestLine {
      var byte: UInt8 = 0
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else {
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  func nextDataLine() -> String? { readLine() }

  func input() throws(TraceError) -> any ByteStream { try FileStream(path: "-") }
}
