import Foundation
import Motion

/// VQF's directions for the same trials, from the package of its authors.
///
/// Runs `references/inclination.py` with a Python of its own below `.build`, which is made on first use
/// and needs `python3` with `venv` and a way to the package index.
struct InclinationReference {
  /// The directions of each trial: VQF 6D, its offline variant, and a 2 Hz zero-phase low-pass of the
  /// accelerometer.
  let causal: [[SIMD3<Double>]]
  let whole: [[SIMD3<Double>]]
  let alone: [[SIMD3<Double>]]
  /// Nanoseconds a sample that VQF 6D took.
  let nanoseconds: String

  /// Why there are no figures to stand beside ours.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the reference over the trials' files, or over their rows without rest.
  init(_ trials: [BroadTrial], withoutRests: Bool) throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let python = try Self.python(in: package.appending(path: ".build/references"))
    let output = FileManager.default.temporaryDirectory.appending(
      path: "measured-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: output) }
    let script = package.appending(path: "references/inclination.py").path
    nanoseconds = try Self.run(
      python,
      [script, withoutRests ? "moving" : "all", output.path] + trials.map(\.path)
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
    let tables = try trials.map { trial in
      let name = (trial.path as NSString).lastPathComponent + ".up"
      let text = try String(contentsOf: output.appending(path: name), encoding: .utf8)
      return text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
    }
    guard zip(tables, trials).allSatisfy({ $0.count == $1.samples.count }),
      tables.joined().allSatisfy({ $0.count == 9 })
    else { throw Missing(description: "the reference gave other rows than it was given") }
    func directions(from column: Int) -> [[SIMD3<Double>]] {
      tables.map { $0.map { SIMD3($0[column], $0[column + 1], $0[column + 2]) } }
    }
    causal = directions(from: 0)
    whole = directions(from: 3)
    alone = directions(from: 6)
  }

  /// A Python that has `vqf`.
  private static func python(in folder: URL) throws -> String {
    let python = folder.appending(path: "bin/python").path
    if (try? run(python, ["-c", "import vqf"])) != nil { return python }
    do {
      _ = try run("/usr/bin/env", ["python3", "-m", "venv", folder.path])
      _ = try run(python, ["-m", "pip", "install", "--quiet", "numpy", "vqf"])
    } catch {
      throw Missing(
        description: "VQF is left out (\(error)); to have it, install python3 with venv "
          + "(apt install python3-venv) and run this where pip reaches its index")
    }
    return python
  }

  /// The output of a program.
  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
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
