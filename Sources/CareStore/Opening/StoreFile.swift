import Care
import Foundation
import GRDB

/// The file of a store before it is opened: looked at without a touch, and made whole or not at all.
struct StoreFile {
  /// Where it is.
  let path: String

  /// Looks whether the file can be opened as a store, changing nothing.
  ///
  /// The header tells, and, where a log of changes is left, a connection that only reads: the
  /// newest version may stand in the log.
  ///
  /// - Returns: `false` where there is no file.
  func isPresent() throws -> Bool {
    guard let status = try FileSystem.status(of: path) else { return false }
    guard !status.isDirectory else { throw StoreError.failed(text(SystemFailure(code: EISDIR))) }
    guard status.isRegularFile else { throw notAStore("is not a regular file") }
    guard status.size > 0 else { throw notAStore("is empty (0 bytes)") }
    let start = try FileSystem.start(of: path, count: StoreHeader.length)
    guard let header = StoreHeader(start) else { throw notAStore("is not a SQLite database") }
    guard header.applicationID == Schema.applicationID else {
      throw notAStore("is a database of another program")
    }
    try checkVersion(header.version)
    if let log = try FileSystem.status(of: path + "-wal"), log.size > 0 {
      try checkVersion(versionInLog())
    } else if let expected = header.expectedSize, expected > status.size {
      throw StoreError.failed(
        "The store ‘\(path)’ is cut short: \(status.size) of \(expected) bytes are there. "
          + "Restore it from a backup.")
    }
    return true
  }

  /// Makes a store, unless somebody else made one meanwhile.
  ///
  /// It is made under another name and linked into place when it is complete and on the disk, so
  /// that a crash never leaves half a store.
  func create(makeUUID: () -> UUID) throws {
    let directory = FileSystem.directory(of: path)
    try FileSystem.makeDirectory(directory)
    let draft = "\(path).\(makeUUID().uuidString).new"
    try FileSystem.makeFile(draft)
    defer { FileSystem.unlink(draft) }
    let database = try DatabaseQueue(path: draft)
    try Schema.found(database, process: makeUUID())
    try database.close()
    if try FileSystem.link(draft, as: path) {
      try FileSystem.synchronize(directory: directory)
    }
  }

  /// Takes the file and what SQLite keeps beside it from everyone but their owner.
  ///
  /// A store that was copied here may be open to all. SQLite gives new companions the mode of the
  /// file itself.
  func restrict() throws(SystemFailure) {
    for name in [path, path + "-wal", path + "-shm"] {
      if let status = try FileSystem.status(of: name), status.mode & 0o077 != 0 {
        FileSystem.restrict(name)
      }
    }
  }

  /// What to say of a failed system call.
  func text(_ failure: SystemFailure) -> String {
    "The store ‘\(path)’ cannot be used: \(failure.reason)."
  }

  private func versionInLog() throws -> Int {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(SQLStore.patience)
    let database = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? database.close() }
    return try database.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }
  }

  private func checkVersion(_ version: Int) throws(StoreError) {
    guard version > Schema.version else { return }
    throw .newerSchema(
      "The store ‘\(path)’ was written by a newer version of this program (its schema is "
        + "\(version), this program knows \(Schema.version)). It was not touched. Install the "
        + "newer version, or name another store.")
  }

  private func notAStore(_ what: String) -> StoreError {
    .failed(
      "‘\(path)’ \(what), so it is no store, and it was not touched. Name another path, or move "
        + "the file away to begin a new store there.")
  }
}
