import CPostgres
import Care
import Foundation
import Synchronization

// Everything that is PostgreSQL's alone. One connection writes, a few read, and one hears that others have
// written.
//
// **Writers come one after the other**: the first statement of a writing transaction locks the store's
// row, which has the counter of numbers. So numbers are in the order of commits, and a reader that asks
// for the rows after the last number that it has seen misses none: a number of a sequence is given before
// its transaction ends, and a reader passes over it (half of the rows were lost in a trial). The lock is
// the row itself rather than an advisory one: whoever writes the counter in another way waits, too, a
// pooler between keeps it, and it has no name that another program's could be. It is taken at the level
// READ COMMITTED, so that every statement after it sees what the transaction before it has left.
// Readers never wait.

// MARK: - The engine

/// An open database of PostgreSQL.
final class PostgreSQLEngine: Sendable {
  private let writer: PostgreSQLConnection
  private let readers: ReaderPool
  private let listener: PostgreSQLListener

  /// How many connections read at a time.
  private static let mostReaders = 4

  /// Connects to the database at an address.
  init(_ address: PostgreSQLAddress) throws {
    writer = PostgreSQLConnection(address)
    readers = ReaderPool(address, most: Self.mostReaders)
    listener = PostgreSQLListener(address, unless: writer)
    // A server that has just been started again does not answer at once.
    try writer.queue.sync { try writer.connect(patience: 2) }
  }

  func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
    let connection = await readers.take()
    defer { readers.give(connection) }
    return try await connection.perform { try connection.reading(body) }
  }

  func readNow<T>(_ body: (Connection) throws -> T) throws -> T {
    try writer.queue.sync { try writer.reading(body) }
  }

  func write<T: Sendable>(
    ended: @Sendable () -> Void, _ body: @Sendable (Connection) throws -> T
  ) async throws -> T {
    try await writer.perform { [writer] in
      defer { ended() }
      return try writer.writing(body)
    }
  }

  func writeNow<T>(_ body: (Connection) throws -> T) throws -> T {
    try writer.queue.sync { try writer.writing(body) }
  }

  func alone<T>(_ body: (Connection) throws -> T) throws -> T {
    try writer.queue.sync {
      try writer.connect()
      return try body(.postgreSQL(writer))
    }
  }

  func compact() async throws {
    try await writer.perform { [writer] in
      try writer.connect()
      try writer.runText("VACUUM FULL " + Schema.tables.map(\.name).joined(separator: ", "))
    }
  }

  func versionOfOthers() async throws -> Int64? {
    try await listener.version()
  }

  func onChangeOfOthers(_ sign: (@Sendable () -> Void)?) { listener.onChange(sign) }

  func close() {
    writer.queue.sync { writer.close() }
    readers.close()
    listener.close()
  }
}

/// Where a database is: a URI, as libpq reads it.
struct PostgreSQLAddress: Hashable, Sendable {
  let text: String

  /// Whether a text is meant as such an address, rather than as the path of a file.
  static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// An address as messages have it: without what may be a password.
  static func shown(_ text: String) -> String {
    let user = text.split(separator: "@").dropLast().first ?? ""
    let isSecret =
      text.contains("password") || user.split(separator: "/").last?.contains(":") ?? false
    return isSecret ? "postgresql://…" : text
  }

  /// Checks an address.
  ///
  /// A password in it would be in the list of processes, in the shell's history and in every message.
  init(_ text: String) throws(PostgreSQLError) {
    if let reason = unsafe cpostgres_load() {
      throw PostgreSQLError.noLibrary(unsafe String(cString: reason))
    }
    var isValid = false
    let password = unsafe cpostgres_address_value(text, "password", &isValid)
    defer { unsafe free(password) }
    guard isValid else { throw PostgreSQLError.unreadableAddress }
    guard unsafe password == nil else { throw PostgreSQLError.passwordInAddress }
    self.text = text
  }
}

/// Connections that read, made when they are needed.
private final class ReaderPool: Sendable {
  private struct State {
    var idle: [PostgreSQLConnection] = []
    var count = 0
    var waiting: [CheckedContinuation<PostgreSQLConnection, Never>] = []
    var isClosed = false
  }

  private let address: PostgreSQLAddress
  private let most: Int
  private let state = Mutex(State())

  init(_ address: PostgreSQLAddress, most: Int) {
    (self.address, self.most) = (address, most)
  }

  func take() async -> PostgreSQLConnection {
    await withCheckedContinuation { continuation in
      let free: PostgreSQLConnection? = state.withLock { state in
        if let connection = state.idle.popLast() { return connection }
        guard state.count < most else {
          state.waiting.append(continuation)
          return nil
        }
        state.count += 1
        let connection = PostgreSQLConnection(address)
        if state.isClosed { connection.queue.async { connection.close() } }
        return connection
      }
      if let free { continuation.resume(returning: free) }
    }
  }

  func give(_ connection: PostgreSQLConnection) {
    let next: CheckedContinuation<PostgreSQLConnection, Never>? = state.withLock { state in
      if state.isClosed { connection.queue.async { connection.close() } }
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.idle.append(connection)
      return nil
    }
    next?.resume(returning: connection)
  }

  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      return state.idle
    }
    for connection in idle { connection.queue.async { connection.close() } }
  }
}

extension PostgreSQLEngine {
  /// Whether the database has a store.
  func hasStore() throws -> Bool {
    try alone { connection in
      guard case .postgreSQL(let connection) = connection else { return false }
      return try connection.storeVersion().isPresent
    }
  }

  /// Makes a store in the database, unless it has one.
  ///
  /// - Parameters:
  ///   - place: The database's name in errors.
  ///   - make: Makes the tables and the first rows, and takes the identity that the store has there.
  /// - Returns: The identity that tells the store from its copies.
  /// - Throws: `StoreError`, or an error of the database.
  func found(place: String, make: (Connection, String) throws -> Void) throws -> String {
    try alone { connection in
      guard case .postgreSQL(let own) = connection else { throw EngineFault.closed }
      func check() throws -> Bool {
        let (isPresent, version) = try own.storeVersion()
        guard isPresent else { return false }
        guard let version else { throw StoreError.failed(.otherProgram, store: place) }
        guard version == Schema.version else {
          throw version > Schema.version
            ? StoreError.newerSchema(store: place, version: version, supported: Schema.version)
            : StoreError.olderSchema(store: place, version: version, supported: Schema.version)
        }
        return true
      }
      if try !check() {
        try own.defining {
          // Another program may have been faster.
          guard try !check() else { return }
          for table in Schema.tables { try connection.define(table) }
          try own.mark(Schema.applicationID, version: Schema.version)
          try make(connection, own.identity())
        }
      }
      return try own.identity()
    }
  }
}

// MARK: - Errors

/// A failure of PostgreSQL, or on the way to it.
enum PostgreSQLError: EngineError {
  /// The client's library is not there, for this reason.
  case noLibrary(String)
  /// An address that libpq cannot read.
  case unreadableAddress
  /// An address with a password, which others could read.
  case passwordInAddress
  /// A server of this version, which is too old.
  case oldServer(Int)
  /// There is no connection, for this reason; nothing of a transaction was kept.
  case unreachable(String)
  /// The connection was lost while a transaction was committed, and nobody knows whether it was.
  case uncertain
  /// The server refused a statement, with an SQLSTATE.
  case statement(state: String, String?)

  var isDamage: Bool {
    if case .statement(let state, _) = self { state.hasPrefix("XX") } else { false }
  }

  var text: String {
    switch self {
    case .noLibrary(let reason), .unreachable(let reason): reason
    case .statement(_, let message): message ?? ""
    case .unreadableAddress, .passwordInAddress, .oldServer, .uncertain: ""
    }
  }

  var isOfSource: Bool { true }

  /// Source: PostgreSQL 15, Appendix A, Error Codes.
  var failure: StoreError.Failure {
    switch self {
    case .noLibrary(let reason): .noLibrary(reason)
    case .unreadableAddress: .unreadableAddress
    case .passwordInAddress: .passwordInAddress
    case .oldServer(let version): .oldServer(version)
    case .unreachable(let reason): .unreachable(reason)
    case .uncertain: .uncertain
    case .statement(let state, let message):
      switch state {
      case "53100": .diskFull
      case "55P03", "40001", "40P01", "57014": .busy
      case "25006", "42501": .readOnly
      case "58030": .diskError(message)
      case "XX001", "XX002": .damaged(message)
      default:
        // Connections and resources, and a server that goes or comes.
        ["08", "53", "57"].contains(state.prefix(2))
          ? .unreachable(message ?? state) : .refusedStatement(state: state, message)
      }
    }
  }
}
