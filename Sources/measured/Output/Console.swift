import Foundation

/// Standard output and standard error.
enum Console {
  /// Whether a person watches standard error.
  static let isErrorTerminal = isatty(STDERR_FILENO) == 1
  /// Whether a person watches standard output.
  static let isOutputTerminal = isatty(STDOUT_FILENO) == 1

  /// Prints a line.
  static func out(_ text: String) {
    write(text + "\n", to: .standardOutput)
  }

  /// Prints a line for people to standard error.
  static func error(_ text: String) {
    write(text + "\n", to: .standardError)
  }

  /// Prints one object as a line of JSON.
  static func json(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return }
    out(String(decoding: data, as: UTF8.self))
  }

  /// Writes to a file handle; a reader that has gone away ends the program quietly.
  static func write(_ text: String, to handle: FileHandle) {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      exit(ExitCode.failed.rawValue)
    }
  }
}
