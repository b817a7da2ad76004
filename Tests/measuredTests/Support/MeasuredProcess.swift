import Foundation

/// The program itself, run as a person or a script runs it.
struct MeasuredProcess {
  /// The result of a run.
  struct Result {
    var status: Int32
    var output: String
    var error: String

    /// Standard output, line by line.
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Standard output as JSON objects, one a line; a line that is none gives an empty object.
    var objects: [[String: Any]] {
      lines.map { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
      }
    }
  }

  /// The executable, which the build puts beside the tests.
  static var executable: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "measured")
  }

  /// Another user than the tests', whom only root can be.
  struct User {
    var id: Int
    /// The group in which the user is, beside one of its own.
    var group: Int
  }

  /// Gives a process its command line.
  static func prepare(_ process: Process, _ arguments: [String], as user: User? = nil) {
    guard let user else {
      (process.executableURL, process.arguments) = (executable, arguments)
      return
    }
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments =
      ["--reuid", "\(user.id)", "--regid", "\(user.id)", "--groups", "\(user.group)"]
      + [executable.path] + arguments
  }

  /// Runs the program to its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    as user: User? = nil
  ) throws -> Result {
    let process = try start(arguments, input: input, environment: environment, as: user)
    let output = process.output.fileHandleForReading.readDataToEndOfFile()
    let error = process.error.fileHandleForReading.readDataToEndOfFile()
    process.process.waitUntilExit()
    return Result(
      status: process.process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      error: String(decoding: error, as: UTF8.self))
  }

  /// Starts the program and ends it with `kill -9` after `delay` seconds.
  ///
  /// - Returns: Whether it was killed before it had finished by itself.
  static func killed(_ arguments: [String], after delay: TimeInterval) throws -> Bool {
    let process = try start(arguments, input: "", environment: [:], as: nil).process
    Thread.sleep(forTimeInterval: delay)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  private static func start(
    _ arguments: [String], input: String, environment: [String: String], as user: User?
  ) throws -> (process: Process, output: Pipe, error: Pipe) {
    let process = Process()
    prepare(process, arguments, as: user)
    process.environment = ProcessInfo.processInfo.environment
      .merging(["LC_ALL": "C"]) { $1 }.merging(environment) { $1 }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try? stdin.fileHandleForWriting.close()
    return (process, stdout, stderr)
  }
}

/// A folder that is gone when its test ends.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "measured-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of a file in it.
  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file into it.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }
}
