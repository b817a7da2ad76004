package import ArgumentParser
package import Care
package import CareStore
import Foundation
import Localization
import StrictYAML

/// The flag that names a store.
package struct StoreFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store's file, or its database: postgresql://user@host/name. Default: $MEASURED_STORE, else the"
        + " settings' or the service's own, else the user's."))
  package var store: String?

  package init() {}

  /// The store's file, or the address of its database.
  ///
  /// - Throws: The first fault of the settings file, if the store depends on it.
  package var path: String {
    get throws {
      if let store { return store }
      return try StoreLocation(environment: Console.variables).path
    }
  }

  /// Opens the store, which must exist.
  package func openExisting() throws -> SQLStore {
    let path = try path
    guard try Self.isPresent(path) else { throw Self.missing(path) }
    return try open()
  }

  /// Whether there is a store.
  package static func isPresent(_ path: String) throws -> Bool {
    guard SQLStore.isOnServer(path) else { return FileManager.default.fileExists(atPath: path) }
    return try SQLStore.isPresent(atAddress: path)
  }

  /// Opens the store, and creates it if it is missing.
  package func open() throws -> SQLStore { try Self.open(try path) }

  /// Opens the store at `path`, which the command names, and creates it if it is missing.
  package static func open(_ path: String) throws -> SQLStore {
    let store = try SQLStore.open(
      path: path, secrets: StoreLocation.companion(of: path), makeUUID: { .random() })
    store.handSecretsOver { try DaemonSocket.keep($0, of: path) }
    return store
  }

  /// Opens the store for `body`; a new one is there only once `body` has succeeded.
  package func withStore<T: Sendable>(_ body: (SQLStore) async throws -> T) async throws -> T {
    let path = try path
    return try await SQLStore.withStore(
      at: path, secrets: StoreLocation.companion(of: path), makeUUID: { .random() }
    ) { store in
      store.handSecretsOver { try DaemonSocket.keep($0, of: path) }
      return try await body(store)
    }
  }

  /// Makes the content of a file the content of the store.
  ///
  /// - Returns: Where the store's content until now is; `nil` if there was none.
  package func restore(from file: String) async throws -> String? {
    guard try !SQLStore.isOnServer(path) else {
      throw StoreError.failed(.onServer, store: try path)
    }
    return try await SQLStore.restore(from: file, to: try path, makeUUID: { .random() })
  }

  /// Why a store cannot be found.
  package static func missing(_ path: String) -> CommandFailure {
    guard !SQLStore.isOnServer(path) else {
      return CommandFailure(
        .failed, LocalizedText("command.store.missing", ["path": "\(path)"]))
    }
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
package struct StoreOptions: ParsableArguments {
  @OptionGroup package var file: StoreFileOptions

  @Option(help: "Only this patient, by id or unique name.")
  package var patient: String?

  package init() {}

  /// The file of `--store`.
  package var store: String? {
    get { file.store }
    set { file.store = newValue }
  }

  /// Opens the store, which must exist.
  package func openExisting() throws -> SQLStore { try file.openExisting() }

  /// Opens the store, and creates it if it is missing.
  package func open() throws -> SQLStore { try file.open() }

  /// The id of the patient of `--patient`; `nil` without one.
  package func patient(in reader: any StoreReader) throws -> String? {
    try patient.map { try reader.patientID(named: $0) }
  }
}

extension StoreReader {
  /// The id of the patient with that id or name; case matters in ids only.
  ///
  /// - Throws: `StoreError.unknown(_:)` with the ids of those there are, and ``CommandFailure`` if
  ///   several have that name.
  package func patientID(named name: String) throws -> String {
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
  package func checkPatient(_ id: String, amongDeleted: Bool) throws {
    var known = try patients().map(\.id)
    if amongDeleted { known += try things(Patient.self, patient: nil, isDeleted: true).map(\.id) }
    guard known.contains(id) else { throw StoreError.unknown(.patient(id, known: known)) }
  }

  /// The units in which people read values, by patient.
  package func preferredUnits() throws -> [String: PreferredUnits] {
    try Dictionary(uniqueKeysWithValues: patients().map { ($0.id, $0) }).compactMapValues(\.units)
  }
}

/// The location of the store if no flag names it.
package struct StoreLocation {
  /// The process's environment.
  package var environment: [String: String]
  /// The settings file, which may be missing.
  package var settings: String? = ServiceSettings.path
  /// The folder of the installed service's store, which exists only if it is installed.
  var serviceFolder = "/var/lib/measured"

  package init(
    environment: [String: String], settings: String? = ServiceSettings.path,
    serviceFolder: String = "/var/lib/measured"
  ) {
    self.environment = environment
    self.settings = settings
    self.serviceFolder = serviceFolder
  }

  /// `$MEASURED_STORE`, else the settings' store, else `measured.sqlite` in systemd's state
  /// directory or the installed service's, else in `$XDG_STATE_HOME/measured`, else in
  /// `~/.local/state/measured`.
  ///
  /// - Throws: The first fault of the settings file.
  package var path: String {
    get throws {
      if let store = environment["MEASURED_STORE"], !store.isEmpty { return store }
      if let store = try settingsStore { return store }
      return "\(folder)/measured.sqlite"
    }
  }

  /// Where the store is if nothing else is named, and what belongs to one on a server.
  private var folder: String {
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return String(state)
    }
    if FileManager.default.fileExists(atPath: serviceFolder) { return serviceFolder }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return "\(state)/measured"
    }
    return "\(environment["HOME"] ?? ".")/.local/state/measured"
  }

  /// The path beside which a store's other files are, its secrets, accounts and sockets: its own, and for
  /// a store on a server one in this machine's folder for stores.
  package static func companion(of store: String) -> String {
    guard let name = SQLStore.nameOnServer(store) else { return store }
    return StoreLocation(environment: Console.variables, settings: nil).folder + "/" + name
  }

  /// The folder beside which a store's other files are.
  package static func folder(of store: String) -> String {
    (companion(of: store) as NSString).deletingLastPathComponent
  }

  /// The store that the settings file names; `nil` without a file, or if it names none.
  private var settingsStore: String? {
    get throws {
      guard let settings, FileManager.default.isReadableFile(atPath: settings) else { return nil }
      return try ServiceSettings(parsing: TextFile.read(settings), file: settings).store
    }
  }
}
