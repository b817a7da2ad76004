import Localization
import Terminal
import Traces

/// A measurement over several files, one line for each.
struct FileMeasurement {
  var files: [String]
  var isJSON: Bool

  /// Measures each file and prints a line for it; one that is refused does not stop the others.
  ///
  /// - Throws: ``CommandFailure`` at the end, if a file could not be read or was refused.
  func forEachFile(_ body: (String) throws -> Void) throws {
    var worst: ExitCode?
    for file in files {
      do {
        try body(file)
      } catch let refusal as any RefusedMeasurement {
        worst = worst ?? .refused
        if isJSON {
          try Console.json(Exit.Refusal(file: file, reason: refusal.message))
        }
        Console.error("measured: \(file): \(refusal.message)")
      } catch let error as TraceError {
        worst = .failed
        let hint = CommandFiles.historyHint(file)?.message
        if isJSON {
          try Console.json(
            Exit.Refusal(file: file, error: "unreadable", reason: hint ?? error.problem.message))
        }
        Console.error("measured: \(hint ?? error.message)")
      }
    }
    if let worst { throw CommandFailure(worst) }
  }
}
