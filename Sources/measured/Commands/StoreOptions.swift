import ArgumentParser
import Care
import CareStore
import Foundation

/// The flag that names a store.
struct StoreFileOptions: ParsableArguments {
  @Option(help: "The store's file. Default: $MEASURED_STORE, else the user's own store.")
  var store: String?

  /// The store's file.
  var path: String {
    store ?? StoreLocation(environment: ProcessInfo.processInfo.environment).path
  }

  /// Opens the store, which must exist.
  func openExisting() throws -> SQLStore {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .failed, "There is no store at \(path). Import a plan first: measured plan import FILE.")
    }
    return try open()
  }

  /// Opens the store, and creates it if it is missing.
  func open() throws -> SQLStore {
    try SQLStore.open(path: path, makeUUID: { UUID() })
  }
}

/// The flags of a command that shows a store, or one patient of it.
struct StoreOptions: ParsableArguments {
  @OptionGroup var file: StoreFileOptions

  @Option(help: "Only this patient.")
  var patient: String?

  /// The file of `--store`.
  var store: String? {
    get { file.store }
    set { file.store = newValue }
  }

  /// The store's file.
  var path: String { file.path }

  /// Opens the store, which must exist.
  func openExisting() throws -> SQLStore { try file.openExisting() }

  /// Opens the store, and creates it if it is missing.
  func open() throws -> SQLStore { try file.open() }

  /// Checks that the patient of `--patient` exists.
  func checkPatient(_ reader: any StoreReader) throws {
    guard let patient else { return }
    try reader.checkPatient(patient)
  }
}

extension StoreReader {
  /// Checks that a patient exists.
  ///
  /// - Throws: `StoreError.unknown(_:)` with the ids of those there are.
  func checkPatient(_ id: String) throws {
    let known = try patients().map(\.id)
    guard known.contains(id) else { throw StoreError.unknown(.patient(id, known: known)) }
  }

  /// The zone of the plan, in which times without an offset are read.
  func zone() throws -> TimeZone { try planTimeZone() ?? .gmt }
}

/// The default location of the store.
struct StoreLocation {
  /// The process's environment.
  var environment: [String: String]

  /// `$MEASURED_STORE`, else `measured.sqlite` in systemd's state directory, else in
  /// `$XDG_STATE_HOME/measured`, else in `~/.local/state/measured`.
  var path: String {
    let name = "measured.sqlite"
    if let store = environment["MEASURED_STORE"], !store.isEmpty { return store }
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return "\(state)/\(name)"
    }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return "\(state)/measured/\(name)"
    }
    return "\(environment["HOME"] ?? ".")/.local/state/measured/\(name)"
  }
}
