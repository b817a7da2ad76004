import Care
import Foundation
import PrivateFiles

/// The file of a store before it is opened: checked without changing it, and created completely or
/// not at all.
struct StoreFile {
  /// Where it is.
  let path: String
  /// How a new file is made durable.
  var fileSystem = FileSystem()

  init(path: String, fileSystem: FileSystem = FileSystem()) {
    (self.path, self.fileSystem) = (path, fileSystem)
  }

  /// The file that a path leads to, through symbolic links.
  ///
  /// A link to a disk that is not mounted makes no store where the disk belongs.
  init(leadingTo path: String, fileSystem: FileSystem = FileSystem()) throws {
    let direct = path.hasPrefix("/") ? path : "./" + path
    let target = try FileSystem.destination(of: direct)
    if target != direct, try FileSystem.status(of: FileSystem.directory(of: target)) == nil {
      throw StoreError.failed(.danglingLink(target), store: path)
    }
    self.init(path: target, fileSystem: fileSystem)
  }

  /// Checks whether the file can be opened as a store, changing nothing.
  ///
  /// The header shows that. If a write-ahead log is left, a read-only connection is asked, too: the
  /// newest schema version may be in the log.
  ///
  /// - Returns: `false` if there is no file.
  func isPresent() throws -> Bool {
    guard let status = try FileSystem.status(of: path) else { return false }
    guard !status.isDirectory else { throw SystemFailure(code: EISDIR) }
    guard status.isRegularFile else { throw failure(.notAFile) }
    guard status.size > 0 else { throw failure(.emptyFile) }
    try requireOneName(status)
    let start = try FileSystem.start(of: path, count: StoreHeader.length)
    guard let header = StoreHeader(start) else { throw failure(.notADatabase) }
    guard header.applicationID != Schema.developmentID else { throw failure(.developmentStore) }
    guard header.applicationID == Schema.applicationID else { throw failure(.otherProgram) }
    try checkVersion(header.version)
    if let log = try FileSystem.status(of: path + Engine.log), log.size > 0 {
      do {
        try checkVersion(versionInLog())
      } catch let error as any EngineError {
        guard !fileSystem.isWritable(path) else { throw error }
        throw failure(.readOnlyLog)
      }
    } else if let expected = header.expectedSize, expected > status.size {
      throw failure(.truncated(size: status.size, expected: expected))
    }
    return true
  }

  /// Refuses a file with several names: SQLite keeps a log beside each, and what is written under
  /// one name is lost under another.
  ///
  /// While a store is made it has two, and a program that was killed then leaves them.
  private func requireOneName(_ status: FileSystem.Status) throws {
    var count = status.linkCount
    if count > 1 {
      FileDraft.removeAbandoned(beside: path)
      count = try FileSystem.status(of: path)?.linkCount ?? 1
    }
    for _ in 0..<100 where count > 1 && FileDraft.isPresent(beside: path) {
      usleep(10_000)
      count = try FileSystem.status(of: path)?.linkCount ?? 1
    }
    guard count <= 1 else { throw failure(.severalNames(count)) }
  }

  /// Creates a store, unless another process created it meanwhile.
  ///
  /// It is written under another name and linked into place when it is complete and on the disk, so
  /// that a crash never leaves half a store.
  func create(makeUUID: () -> UUID) throws {
    let draft = try makeDraft(makeUUID: makeUUID)
    defer { draft.discard() }
    _ = try draft.publishIfFree(fileSystem)
  }

  /// Makes an empty store under another name.
  func makeDraft(makeUUID: () -> UUID) throws -> FileDraft {
    try FileSystem.makeDirectory(FileSystem.directory(of: path))
    let draft = try FileDraft(replacing: path, id: makeUUID(), for: audience)
    do {
      try FileSystem.giveToOwner(of: FileSystem.directory(of: path), draft.path)
      let database = try Engine.openAlone(draft.path)
      try Schema.found(database, writer: makeUUID(), file: FileSystem.identity(of: draft.path))
      try database.close()
      return draft
    } catch {
      draft.discard()
      throw error
    }
  }

  /// Opens a file that this process may not write.
  ///
  /// Without a log nobody writes it now, so that it is read without locks and without companions. A
  /// program that opens it for writing meanwhile can make a query fail.
  func openForReading() throws -> Engine {
    let log = try FileSystem.status(of: path + Engine.log)
    do {
      let engine = try Engine.openForReading(path, isUnchanging: log.map { $0.size == 0 } ?? true)
      _ = try engine.schemaVersion()
      return engine
    } catch let error as any EngineError {
      guard log != nil, !error.isDamage else { throw error }
      throw failure(.readOnlyLog)
    }
  }

  /// Whose the store is, by its folder.
  var audience: FileAudience { FileAudience(ofFilesIn: FileSystem.directory(of: path)) }

  /// Gives the file and SQLite's companions the permissions of their audience.
  ///
  /// A copied store may be open to all, and one from before its folder was shared to its owner only.
  /// SQLite gives new companions the mode of the file.
  func correctModes() {
    let audience = audience
    for name in [""] + Engine.companions {
      FileSystem.setMode(of: path + name, for: audience)
    }
  }

  private func versionInLog() throws -> Int {
    let engine = try Engine.openForReading(path)
    defer { try? engine.close() }
    return try engine.schemaVersion()
  }

  private func checkVersion(_ version: Int) throws(StoreError) {
    // A store that another schema's daemon works with is not to be changed under it.
    guard version != Schema.version else { return }
    throw version > Schema.version
      ? .newerSchema(store: path, version: version, supported: Schema.version)
      : .olderSchema(store: path, version: version, supported: Schema.version)
  }

  private func failure(_ failure: StoreError.Failure) -> StoreError {
    .failed(failure, store: path)
  }
}
