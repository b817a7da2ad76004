import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import StrictYAML

/// The flag that names a store.
struct StoreFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store's file. Default: $MEASURED_STORE, else the settings' or the service's own, else the"
        + " user's."))
  var store: String?

  /// The store's file.
  ///
  /// - Throws: The first fault of the settings file, if the store depends on it.
  var path: String {
    get throws {
      if let store { return store }
      return try StoreLocation(environment: Console.variables).path
    }
  }

  /// Opens the store, which must exist.
  func openExisting() throws -> SQLStore {
    let path = try path
    guard FileManager.default.fileExists(atPath: path) else { throw Self.missing(path) }
    return try open()
  }

  /// Opens the store, and creates it if it is missing.
  func open() throws -> SQLStore { try Self.open(try path) }

  /// Opens the store at `path`, which the command names, and creates it if it is missing.
  static func open(_ path: String) throws -> SQLStore {
    let store = try SQLStore.open(path: path, makeUUID: { .random() })
    store.handSecretsOver { try DaemonSocket.keep($0, of: path) }
    return store
  }

  /// Opens the store for `body`; a new one is there only once `body` has succeeded.
  func withStore<T: Sendable>(_ body: (SQLStore) async throws -> T) async throws -> T {
    let path = try path
    return try await SQLStore.withStore(at: path, makeUUID: { .random() }) { store in
      store.handSecretsOver { try DaemonSocket.keep($0, of: path) }
      return try await body(store)
    }
  }

  /// Makes the content of a file the content of the store.
  ///
  /// - Returns: Where the store's content until now is; `nil` if there was none.
  func restore(from file: String) async throws -> String? {
    try await SQLStore.restore(from: file, to: try path, makeUUID: { .random() })
  }

  /// Why a store cannot be found.
  static func missing(_ path: String) -> CommandFailure {
    let folder = (path as NSString).deletingLastPathComponent
    let files = FileManager.default
    guard !files.fileExists(atPath: folder) || files.isExecutableFile(atPath: folder) else {
      return CommandFailure(
        .failed, LocalizedText("command.store.foreign", ["path": "\(path)"]))
    }
    return CommandFailure(
      .failed, LocalizedText("command.store.missing", ["path": "\(path)"]))
  }
}

/// The flags of a command that shows a store, or one patient of it.
struct StoreOptions: ParsableArguments {
  @OptionGroup var file: StoreFileOptions

  @Option(help: "Only this patient, by id or unique name.")
  var patient: String?

  /// The file of `--store`.
  var store: String? {
    get { file.store }
    set { file.store = newValue }
  }

  /// Opens the store, which must exist.
  func openExisting() throws -> SQLStore { try file.openExisting() }

  /// Opens the store, and creates it if it is missing.
  func open() throws -> SQLStore { try file.open() }

  /// The id of the patient of `--patient`; `nil` without one.
  func patient(in reader: any StoreReader) throws -> String? {
    try patient.map { try reader.patientID(named: $0) }
  }
}

extension StoreReader {
  /// The id of the patient with that id or name; case matters in ids only.
  ///
  /// - Throws: `StoreError.unknown(_:)` with the ids of those there are, and ``CommandFailure`` if
  ///   several have that name.
  func patientID(named name: String) throws -> String {
    let patients = try patients()
    if patients.contains(where: { $0.id == name }) { return name }
    let folded = name.lowercased()
    let found = patients.filter { patient in
      [patient.displayName, patient.name.given, patient.name.family].compactMap(\.self)
        .contains { $0.lowercased() == folded }
    }
    guard let first = found.first else {
      throw StoreError.unknown(.patient(name, known: patients.map(\.id)))
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .refused,
        LocalizedText(
          "command.store.ambiguousPatient",
          ["name": "\(name)", "ids": .quoted(found.map(\.id))]))
    }
    return first.id
  }

  /// Checks that a patient exists.
  ///
  /// - Throws: `StoreError.unknown(_:)` with the ids of those there are.
  func checkPatient(_ id: String, amongDeleted: Bool) throws {
    var known = try patients().map(\.id)
    if amongDeleted { known += try things(Patient.self, patient: nil, isDeleted: true).map(\.id) }
    guard known.contains(id) else { throw StoreError.unknown(.patient(id, known: known)) }
  }

  /// The units in which people read values, by patient.
  func preferredUnits() throws -> [String: PreferredUnits] {
    try Dictionary(uniqueKeysWithValues: patients().map { ($0.id, $0) }).compactMapValues(\.units)
  }
}

/// The location of the store if no flag names it.
struct StoreLocation {
  /// The process's environment.
  var environment: [String: String]
  /// The settings file, which may be missing.
  var settings: String? = ServiceSettings.path
  /// The folder of the installed service's store, which exists only if it is installed.
  var serviceFolder = "/var/lib/measured"

  /// `$MEASURED_STORE`, else the settings' store, else `measured.sqlite` in systemd's state
  /// directory or the installed service's, else in `$XDG_STATE_HOME/measured`, else in
  /// `~/.local/state/measured`.
  ///
  /// - Throws: The first fault of the settings file.
  var path: String {
    get throws {
      if let store = environment["MEASURED_STORE"], !store.isEmpty { return store }
      if let store = try settingsStore { return store }
      let name = "measured.sqlite"
      if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
        return "\(state)/\(name)"
      }
      if FileManager.default.fileExists(atPath: serviceFolder) { return "\(serviceFolder)/\(name)" }
      if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
        return "\(state)/measured/\(name)"
      }
      return "\(environment["HOME"] ?? ".")/.local/state/measured/\(name)"
    }
  }

  /// The store that the settings file names; `nil` without a file, or if it names none.
  private var settingsStore: String? {
    get throws {
      guard let settings, FileManager.default.isReadableFile(atPath: settings) else { return nil }
      return try ServiceSettings(parsing: TextFile.read(settings), file: settings).store
    }
  }
}
