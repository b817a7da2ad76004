import Foundation

/// The recordings with ground truth beside a checkout, if present.
///
/// Tests that need them say `.enabled(if: SharedData.isPresent, "needs ../shared/data")` and are
/// skipped in a clone without them. `MEASURED_SHARED` names another folder.
package enum SharedData {
  /// The folder that holds `data/`, whether or not it exists.
  package static var root: String {
    ProcessInfo.processInfo.environment["MEASURED_SHARED"]
      ?? FileManager.default.currentDirectoryPath + "/../shared"
  }

  /// Whether the recordings exist.
  package static var isPresent: Bool {
    FileManager.default.fileExists(atPath: root + "/data/steps/index.csv")
  }

  /// The path of a file below `data/`.
  package static func path(_ relative: String) -> String {
    root + "/data/" + relative
  }
}
