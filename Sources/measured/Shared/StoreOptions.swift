import ArgumentParser
import Care
import CareStore
import Foundation

/// The flags of every command that works on a store.
struct StoreOptions: ParsableArguments {
  @Option(help: "The store's file. Default: this user's own store.")
  var store: String?

  @Option(help: "Only this patient.")
  var patient: String?

  /// The store's file.
  var path: String {
    store ?? StoreLocation(environment: ProcessInfo.processInfo.environment).path
  }

  /// Opens the store, which must be there.
  func openExisting() throws -> SQLStore {
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .failed, "there is no store at \(path); import a plan first: measured plan import FILE")
    }
    return try open()
  }

  /// Opens the store, making it where there is none.
  func open() throws -> SQLStore {
    try SQLStore.open(path: path, makeUUID: { UUID() })
  }

  /// Checks that `--patient` names somebody.
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

/// The flag that says where device definitions are.
struct CatalogOptions: ParsableArguments {
  @Option(
    name: .customLong("devices"),
    help: ArgumentHelp("Read device definitions from this folder instead.", valueName: "folder"))
  var folder: String?
}
