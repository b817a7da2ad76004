import Care
import DeviceCatalog
import Foundation
import Localization
import Plans
import Terminal

/// The configuration of a daemon between two reloads.
struct DaemonConfiguration {
  var settings: ServiceSettings
  var catalog: DeviceCatalog
  /// The files of `catalog`, to tell whether they have changed.
  var definitionFiles: [[DefinitionFile]] = []
  /// The faults of the device definitions that were left out, with file and line.
  var definitionFaults: [String] = []
  var plan: PlanDocument?
  /// The faults of the settings and the plan's file.
  ///
  /// Their readable part holds; for the rest the defaults and the store's plan do.
  var faults: [String] = []

  /// Everything that is wrong.
  var allFaults: [String] {
    faults + definitionFaults.map { "A device definition is left out: \($0)" }
  }
}

/// The sources of a daemon's configuration: the command line overrides the settings file.
struct ConfigurationSource: Sendable {
  /// The settings file, which must exist; `nil` for the default one, which may be missing.
  var file: String?
  /// The folder of the device definitions; `nil` for this machine's own.
  var definitions: String?
  /// Applies the command line's flags over the file.
  var overrides: @Sendable (inout ServiceSettings) -> Void

  /// The settings, and what is wrong with their file.
  typealias ReadSettings = (settings: ServiceSettings, faults: [String])

  /// Reads settings, device definitions and plan; what cannot be read is left out and reported: a
  /// mistake in a file must not end all measuring.
  ///
  /// - Throws: ``CommandFailure`` if a file or a folder that the command line names is missing.
  func load() throws -> DaemonConfiguration { try load(with: readSettings()) }

  /// Reads the settings alone.
  ///
  /// - Throws: ``CommandFailure`` if a file that the command line names is missing.
  func readSettings() throws(CommandFailure) -> ReadSettings {
    let path = file ?? ServiceSettings.path
    if file != nil, !FileManager.default.fileExists(atPath: path) {
      throw CommandFailure(
        .failed, LocalizedText("command.daemon.noSettings", ["path": "\(path)"]))
    }
    var (settings, faults) = ServiceSettings.readable(path)
    overrides(&settings)
    return (settings, faults)
  }

  /// Reads device definitions and plan.
  ///
  /// - Throws: ``CommandFailure`` if a folder that the command line names is missing.
  func load(with read: ReadSettings) throws -> DaemonConfiguration {
    let settings = read.settings
    var faults = read.faults
    let (catalog, definitionFaults, files) = try DeviceCatalog.readable(folder: definitions)
    var plan: PlanDocument?
    if let file = settings.plan {
      do { plan = try PlanFile.load(file) } catch {
        faults.append("The plan is not imported: \(CommandFailure(error).message)")
      }
    }
    return DaemonConfiguration(
      settings: settings, catalog: catalog, definitionFiles: files,
      definitionFaults: definitionFaults, plan: plan, faults: faults)
  }
}
