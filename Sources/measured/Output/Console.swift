import Foundation
import Web

/// Standard output and standard error, of this process or of the client of a daemon.
enum Console {
  /// Whether standard error is a terminal.
  static var isErrorTerminal: Bool {
    CommandHost.current?.request.terminals.error ?? own.error
  }

  /// Whether standard output is a terminal.
  static var isOutputTerminal: Bool {
    CommandHost.current?.request.terminals.output ?? own.output
  }

  /// How many columns standard output has; `nil` if it is no terminal.
  static var outputWidth: Int? {
    let terminals = CommandHost.current?.request.terminals ?? own
    return terminals.output ? terminals.width : nil
  }

  /// Whether standard input is a terminal.
  static var isInputTerminal: Bool {
    CommandHost.current?.request.terminals.input ?? own.input
  }

  /// Which of this process's streams are terminals.
  static let own = CommandRequest.Terminals(
    input: isatty(STDIN_FILENO) == 1, output: isatty(STDOUT_FILENO) == 1,
    error: isatty(STDERR_FILENO) == 1, width: width)

  private static var width: Int? {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Asks a question on standard error; anything but yes is no.
  static func confirm(_ question: String) async -> Bool {
    if let host = CommandHost.current { return await host.confirm(question) }
    write(question + " [y/N] ", to: .standardError)
    return ["y", "yes"].contains(await line()?.lowercased() ?? "")
  }

  /// The next line of the input, without its end, read on a thread of its own; `nil` at the end of
  /// the input, and for a line that is longer than any answer.
  static func line() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: nextLine()) }
    }
  }

  /// As ``line()``, on this thread.
  ///
  /// The C library's own input is locked while somebody waits for a line, and since glibc 2.41
  /// `exit` waits for that lock: an interrupted program would not end.
  static func nextLine() -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= longestLine {
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

  /// The longest answer.
  private static let longestLine = 4096

  /// Prints a line for people.
  static func out(_ text: String) {
    write(harmless(text) + "\n", to: .standardOutput)
  }

  /// Prints a line for people to standard error.
  static func error(_ text: String) {
    write(harmless(text) + "\n", to: .standardError)
  }

  /// Prints a line of data for programs, unchanged.
  static func data(_ line: String) {
    write(line + "\n", to: .standardOutput)
  }

  /// The text with `�` for each character that controls a terminal, but line ends and tabs, and for
  /// each that overrides the direction of what follows: messages contain what files and devices say.
  static func harmless(_ text: String) -> String {
    func controls(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        || scalar == "\u{202D}" || scalar == "\u{202E}"
    }
    guard text.unicodeScalars.contains(where: controls) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { controls($0) ? "\u{FFFD}" : $0 }))
  }

  /// Prints one object as a line of JSON.
  static func json(_ value: some Encodable) {
    guard let text = try? JSONText.of(value) else { return }
    data(String(decoding: text, as: UTF8.self))
  }

  /// Writes to a file handle; ends the program if that fails, in silence if the reader is gone.
  static func write(_ text: String, to handle: FileHandle) {
    if let host = CommandHost.current {
      host.write(text, isError: handle === FileHandle.standardError)
      return
    }
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      if handle === FileHandle.standardOutput, cause?.code != Int(EPIPE) {
        let reason = "measured: Standard output cannot be written: \(Message.of(error)).\n"
        try? FileHandle.standardError.write(contentsOf: Data(reason.utf8))
      }
      exit(ExitCode.failed.rawValue)
    }
  }
}
