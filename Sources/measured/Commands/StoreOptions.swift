import ArgumentParser
import Care
import CareStore
import Foundation

/// The flags of a command that works on a store.
struct StoreOptions: ParsableArguments {
  @Option(help: "The store's file. Default: the user's own store.")
  var store: String?

  @Option(help: "Only this patient.")
  var patient: String?

  /// The store's file.
  var path: String {
    store ?? StoreLocation(environment: ProcessInfo.processInfo.environment).path
  }

  /// Opens the store, which must exist.
  func openExisting() throws -> SQLStore {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .failed, "there is no store at \(path); import a plan first: measured plan import FILE")
    }
    return try open()
  }

  /// Opens the store, and creates it if it is missing.
  func open() throws -> SQLStore {
    try SQLStore.open(path: path, makeUUID: { UUID() })
  }

  /// Checks that the patient of `--patient` exists.
  func checkPatient(_ reader: any StoreReader) throws {
    guard let patient else { return }
    let known = try reader.patients().map(\.id)
    guard known.contains(patient) else {
      throw CommandFailure(
        .unknown,
        "there is no patient ‘\(patient)’"
          + (known.isEmpty ? "" : "; the store has \(known.joined(separator: ", "))"))
    }
  }
}

/// The default location of the store.
struct StoreLocation {
  /// The process's environment.
  var environment: [String: String]

  /// `measured.sqlite` in systemd's state directory, else in `$XDG_STATE_HOME/measured`, else in
  /// `~/.local/state/measured`.
  var path: String {
    let name = "measured.sqlite"
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return "\(state)/\(name)"
    }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return "\(state)/measured/\(name)"
    }
    return "\(environment["HOME"] ?? ".")/.local/state/measured/\(name)"
  }
}
