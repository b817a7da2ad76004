public import Care
import Digests
public import Foundation
import Synchronization

/// A store in a SQLite file or a database of PostgreSQL: one writer at a time, concurrent readers, durable
/// at every commit.
///
/// Several programs can have one file open. A change is on the disk when the call that made it
/// returns (`synchronous=EXTRA`), so it survives a power loss. The file and its companions `-wal`
/// and `-shm` are for their owner only (0600), or in a folder that a group shares (the setgid bit, and
/// write access for the group) for the group, too (0660).
public struct SQLStore: Store {
  let engine: Engine
  /// The path, or the store's name in errors.
  let place: String
  let makeUUID: @Sendable () -> UUID
  /// The mark that distinguishes the file or database from a copy of it; `nil` in memory.
  let file: String?
  /// Where the open file was found; `nil` in memory and where changes are refused anyway.
  var path: String?
  /// The keys and consent codes of devices.
  var secrets = DeviceSecrets(store: nil)
  let plans = PlanCache()
  /// Wakes the observers of this store.
  let changes = StoreChanges()

  /// Opens the store at `path`; creates it, and the directories above it, if they are missing.
  ///
  /// A file that this process may only read is opened for reading: changes then fail with
  /// `StoreError.failed(.readOnly, store:)`. A symbolic link is followed.
  ///
  /// - Parameters:
  ///   - path: The SQLite file, or the address of a database of PostgreSQL:
  ///     `postgresql://user@host/name`. Directories are created with mode 0700.
  ///   - secrets: Where the file of secrets is, without ``secretsSuffix``, of a store that is on a server;
  ///     without it they are in memory.
  ///   - makeUUID: Generates ids.
  /// - Returns: The store, open until its last copy is gone or ``close()`` is called.
  /// - Throws: `StoreError.newerSchema(store:version:supported:)` for a store of a newer version,
  ///   which is not touched; `StoreError.failed(_:store:)` for a file that is no store or cannot
  ///   be read and written.
  public static func open(
    path: String, secrets: String? = nil, makeUUID: @escaping @Sendable () -> UUID
  ) throws(StoreError) -> SQLStore {
    guard isOnServer(path) else {
      return try open(path: path, fileSystem: FileSystem(), makeUUID: makeUUID)
    }
    do {
      // Without the folder the store can be used all the same.
      if let secrets { try? FileSystem.makeDirectory(FileSystem.directory(of: secrets)) }
      let engine = try PostgreSQLEngine(PostgreSQLAddress(path))
      let identity = try engine.found(place: path) { db, identity in
        try Schema.begin(db, writer: makeUUID(), file: identity)
      }
      return SQLStore(
        engine: .postgreSQL(engine), place: path, makeUUID: makeUUID, file: identity,
        secrets: DeviceSecrets(store: secrets))
    } catch {
      throw StoreError(error, in: PostgreSQLAddress.shown(path))
    }
  }

  /// Whether a store's path is the address of a database on a server.
  public static func isOnServer(_ path: String) -> Bool { PostgreSQLAddress.isAddress(path) }

  /// A name for the files that belong to a store on a server; `nil` for a store that is a file.
  package static func nameOnServer(_ path: String) -> String? {
    guard isOnServer(path) else { return nil }
    return "postgresql-" + SHA256.digest(of: Array(path.utf8)).prefix(4).hexString
  }

  /// Whether there is a store at the address of a database on a server.
  ///
  /// - Throws: `StoreError.failed(_:store:)` if the database cannot be reached.
  package static func isPresent(atAddress address: String) throws(StoreError) -> Bool {
    do {
      let engine = try PostgreSQLEngine(PostgreSQLAddress(address))
      defer { engine.close() }
      return try engine.hasStore()
    } catch {
      throw StoreError(error, in: PostgreSQLAddress.shown(address))
    }
  }

  /// Whether the store is in a database on a server, so that it has no file.
  package var isOnServer: Bool { if case .postgreSQL = engine { true } else { false } }

  /// Opens the store at `path`; a new one is made durable with the calls of `fileSystem`.
  static func open(
    path: String, fileSystem: FileSystem, makeUUID: @escaping @Sendable () -> UUID
  ) throws(StoreError) -> SQLStore {
    do {
      let file = try StoreFile(leadingTo: path, fileSystem: fileSystem)
      if try file.isPresent() {
        guard fileSystem.isWritable(file.path) else {
          return SQLStore(
            engine: try file.openForReading(), place: path, makeUUID: makeUUID,
            file: FileSystem.identity(of: file.path), secrets: DeviceSecrets(store: file.path))
        }
        file.correctModes()
        FileDraft.removeAbandoned(beside: file.path)
      } else {
        try file.create(makeUUID: makeUUID)
      }
      return try opened(
        file.path, place: path, secrets: DeviceSecrets(store: file.path), makeUUID: makeUUID)
    } catch {
      throw StoreError(error, in: path)
    }
  }

  /// Opens the store at `path` for `body`; a new one is there only once `body` has succeeded.
  ///
  /// The store is closed afterwards.
  ///
  /// - Parameters:
  ///   - path: The SQLite file, or the address of a database.
  ///   - secrets: As of ``open(path:secrets:makeUUID:)``.
  ///   - makeUUID: Generates ids.
  ///   - body: Works with the store. It runs again if another program makes the store meanwhile.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; ``open(path:secrets:makeUUID:)`` names the other errors.
  public static func withStore<T: Sendable>(
    at path: String, secrets: String? = nil, makeUUID: @escaping @Sendable () -> UUID,
    _ body: (SQLStore) async throws -> T
  ) async throws -> T {
    if !isOnServer(path) {
      if let result = try await withNewStore(at: path, makeUUID: makeUUID, body) { return result }
    }
    let store = try open(path: path, secrets: secrets, makeUUID: makeUUID)
    defer { try? store.close() }
    return try await body(store)
  }

  /// Makes the store at `path` for `body`; `nil` if there is one.
  private static func withNewStore<T: Sendable>(
    at path: String, makeUUID: @escaping @Sendable () -> UUID,
    _ body: (SQLStore) async throws -> T
  ) async throws -> T? {
    do {
      let file = try StoreFile(leadingTo: path)
      if try !file.isPresent() {
        let draft = try file.makeDraft(makeUUID: makeUUID)
        defer { draft.discard() }
        let store = try opened(
          draft.path, place: path, secrets: DeviceSecrets(store: file.path), makeUUID: makeUUID)
        let result: T
        do {
          result = try await body(store)
        } catch {
          try? store.close()
          throw error
        }
        // Everything in the log: the new name has none. Closing alone may leave one.
        try await store.emptyLog()
        try store.close()
        if try draft.publishIfFree(FileSystem()) { return result }
      }
      return nil
    } catch let error as SystemFailure {
      throw StoreError(error, in: path)
    } catch let error as any EngineError {
      throw StoreError(error, in: path)
    }
  }

  /// Opens a file that is a store.
  private static func opened(
    _ path: String, place: String, secrets: DeviceSecrets,
    makeUUID: @escaping @Sendable () -> UUID
  ) throws -> SQLStore {
    let engine = try Engine.open(path)
    try engine.alone { db in
      try Schema.widenConditions(db)
      try Schema.addBridges(db)
      try Schema.renewIndexes(db)
      try Schema.moveSecrets(db, to: secrets)
    }
    return SQLStore(
      engine: engine, place: place, makeUUID: makeUUID, file: FileSystem.identity(of: path),
      path: path, secrets: secrets)
  }

  /// Makes an empty store in memory, for tests and for temporary results.
  ///
  /// - Parameter makeUUID: Generates ids.
  /// - Returns: The store, which exists until its last copy is gone.
  /// - Throws: `StoreError.failed(_:store:)` if memory is short.
  public static func inMemory(
    makeUUID: @escaping @Sendable () -> UUID
  ) throws(StoreError) -> SQLStore {
    try withoutName("in memory", makeUUID: makeUUID) {
      try Engine.inMemory()
    }
  }

  /// Makes an empty store in a temporary file without a name, for results of any size that are only
  /// shown.
  ///
  /// - Parameter makeUUID: Generates ids.
  /// - Returns: The store, which exists until its last copy is gone.
  /// - Throws: `StoreError.failed(_:store:)` if there is no room for it.
  public static func temporary(
    makeUUID: @escaping @Sendable () -> UUID
  ) throws(StoreError) -> SQLStore {
    try withoutName("in a temporary file", makeUUID: makeUUID) {
      try Engine.temporary()
    }
  }

  private static func withoutName(
    _ place: String, makeUUID: @escaping @Sendable () -> UUID, _ open: () throws -> Engine
  ) throws(StoreError) -> SQLStore {
    do {
      let engine = try open()
      try Schema.found(engine, writer: makeUUID(), file: nil)
      return SQLStore(engine: engine, place: place, makeUUID: makeUUID, file: nil)
    } catch {
      throw StoreError(error, in: place)
    }
  }

  public func read<T: Sendable>(
    _ body: @Sendable (any StoreReader) throws -> T
  ) async throws -> T {
    try await reading { try body($0) }
  }

  /// Reads rows in one transaction.
  func reading<T: Sendable>(
    _ body: @Sendable (SQLTransaction) throws -> T
  ) async throws -> T {
    do {
      return try await engine.read { db in try body(transaction(db)) }
    } catch let error as any EngineError {
      throw StoreError(error, in: place)
    }
  }

  /// Reads rows in one transaction for an effect that cannot be taken back, such as lines that are printed.
  ///
  /// A reading whose connection is lost runs again otherwise.
  ///
  /// - Throws: The errors of `body`; `StoreError.failed(_:store:)`, also when the connection is lost.
  package func readOnce<T: Sendable>(
    _ body: @Sendable (any StoreReader) throws -> T
  ) async throws -> T {
    try await readingOnce { try body($0) }
  }

  func readingOnce<T: Sendable>(
    _ body: @Sendable (SQLTransaction) throws -> T
  ) async throws -> T {
    let first = Mutex<Result<T, any Error>?>(nil)
    return try await reading { transaction in
      let result = first.withLock { $0 } ?? Result { try body(transaction) }
      first.withLock { $0 = result }
      return try result.get()
    }
  }

  /// Checks, without writing, that changes can be kept: the path leads to the file that is open,
  /// and that was opened for writing.
  ///
  /// - Throws: `StoreError.failed(_:store:)`: `.deleted`, `.replaced` or `.readOnly`.
  package func requireUsable() throws(StoreError) {
    guard !isForReading else { throw .failed(.readOnly, store: place) }
    try requirePlace()
  }

  /// Whether the file was opened for reading only, and could be opened for writing now.
  package var canBecomeWritable: Bool { isForReading && FileSystem().isWritable(place) }

  private var isForReading: Bool { file != nil && path == nil && !isOnServer }

  /// Whether the path still leads to the file that is open: it may have been deleted or replaced.
  private func requirePlace() throws(StoreError) {
    guard let path else { return }
    let found = FileSystem.identity(of: path)
    guard found != file else { return }
    throw .failed(found == nil ? .deleted : .replaced, store: place)
  }

  public func write<T: Sendable>(
    _ body: @Sendable (any StoreWriter) throws -> T
  ) async throws -> T {
    try await writing { try body($0) }
  }

  /// Changes rows in one transaction.
  func writing<T: Sendable>(
    _ body: @Sendable (SQLTransaction) throws -> T
  ) async throws -> T {
    try requirePlace()
    do {
      let result = try await engine.write(ended: changes.endWrite) { db in
        changes.beginWrite()
        let transaction = transaction(db)
        let result = try body(transaction)
        try transaction.keepStored()
        try transaction.keepSecrets()
        return result
      }
      changes.announce()
      // A change of a file without a name is lost with this process.
      try requirePlace()
      return result
    } catch let error as any EngineError {
      throw StoreError(error, in: place)
    }
  }

  /// Writes the rest of the log back into the file and closes it.
  ///
  /// Afterwards every call throws. A store in memory has no file, and stays open.
  ///
  /// - Throws: `StoreError.failed(_:store:)` if the file cannot be written; the store stays open.
  public func close() throws(StoreError) {
    guard file != nil else { return }
    do {
      try engine.close()
      changes.announce()
    } catch {
      throw StoreError(error, in: place)
    }
  }

  /// Every sample, deleted ones too, and every live outcome with its values, as sorted lines of
  /// text.
  ///
  /// The lines contain no random ids and no time of writing, so two stores of the same days can be
  /// compared with `diff`.
  ///
  /// - Throws: `StoreError.failed(_:store:)` if the store cannot be read.
  public func contents() async throws -> [String] {
    try await reading { try $0.contents() }
  }

  func transaction(_ db: Connection) -> SQLTransaction {
    SQLTransaction(
      db: db, place: place, file: file, makeUUID: makeUUID, plans: plans, secrets: secrets)
  }
}
