import Care
import CareStore
import DeviceCatalog
import Foundation
import Logging
import Plans

/// What a daemon works with between two reloads.
struct DaemonConfiguration {
  var settings: ServiceSettings
  var catalog: DeviceCatalog
  var plan: PlanDocument?
}

/// Where a daemon's configuration comes from: the command line first, then the settings file.
struct ConfigurationSource: Sendable {
  /// The settings file; one that is named must be there.
  var file: String?
  /// The folder of the definitions, where another than this machine's own is asked for.
  var definitions: String?
  /// What the command line says over the file.
  var overrides: @Sendable (inout ServiceSettings) -> Void

  /// Reads everything anew.
  ///
  /// - Throws: What is wrong, with file and line.
  func load() throws -> DaemonConfiguration {
    var settings = ServiceSettings()
    let path = file ?? ServiceSettings.path
    if file != nil || FileManager.default.fileExists(atPath: path) {
      settings = try ServiceSettings(parsing: TextFile.read(path), file: path)
    }
    overrides(&settings)
    return DaemonConfiguration(
      settings: settings, catalog: try DeviceCatalog.load(folder: definitions),
      plan: try settings.plan.map { try PlanFile.load($0) })
  }
}
