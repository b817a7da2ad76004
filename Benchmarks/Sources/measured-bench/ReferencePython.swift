import Foundation

/// A program of `references` with a Python of its own below `.build`, which is made on first use and
/// needs `python3` with `venv` and a way to the package index.
struct ReferencePython {
  private let python: String
  private let script: String

  /// Why there are no figures to stand beside ours.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// A program that imports `module`, which comes with `packages`.
  init(_ script: String, module: String, packages: [String]) throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = package.appending(path: ".build/references")
    self.script = package.appending(path: "references/\(script)").path
    python = folder.appending(path: "bin/python").path
    if (try? Self.run(python, ["-c", "import \(module)"])) != nil { return }
    do {
      _ = try Self.run("/usr/bin/env", ["python3", "-m", "venv", folder.path])
      _ = try Self.run(python, ["-m", "pip", "install", "--quiet"] + packages)
    } catch {
      throw Missing(
        description: "\(module) is left out (\(error)); to have it, install python3 with venv "
          + "(apt install python3-venv) and run this where pip reaches its index")
    }
  }

  /// Its output, given these arguments, and a file as its input.
  func output(_ arguments: [String] = [], input: URL? = nil) throws -> String {
    try Self.run(python, [script] + arguments, input: input)
  }

  /// The output of a program.
  private static func run(
    _ program: String, _ arguments: [String], input: URL? = nil
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Missing(description: "\(arguments.prefix(3).joined(separator: " ")) failed")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

/// A new folder for files that a reference reads or writes.
func withReferenceFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "measured-bench-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}
