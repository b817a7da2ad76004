import Care
import Foundation

// The engine that keeps the rows. What differs between the two of them is behind these types, so that the
// rest of this room is written once:
//
// | here | SQLite | PostgreSQL |
// |---|---|---|
// | ``Engine``: opens, reads, writes | a file, or none | connections to a server |
// | ``Connection``: runs statements, undoes | GRDB's | libpq's |
// | ``Arguments``, ``Parameters``: `?` and `?1` | bound | `$1`, sent in binary |
// | ``Row``: cells by the name of a column | the statement's step | a line of a result |
// | ``Dialect``: phrases and tables | as they are written | translated once for each statement |
// | ``EngineError``: what failed | a result code | the class of an SQLSTATE |
//
// Text has no U+0000, a number is finite but for the figures of an empty block, and the times of the store
// are integers, so that both keep the same values.

/// An open database: one writer at a time, concurrent readers.
enum Engine: Sendable {
  case sqlite(SQLiteEngine)
  case postgreSQL(PostgreSQLEngine)

  /// How long to wait for another program's transaction, in seconds.
  ///
  /// A memory card may take several seconds to make one transaction safe, and the waiting take no turns.
  static let patience: TimeInterval = 30

  /// Reads in one transaction.
  func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
    switch self {
    case .sqlite(let engine): try await engine.read(body)
    case .postgreSQL(let engine): try await engine.read(body)
    }
  }

  /// Reads in one transaction, while nobody else waits for this thread.
  func readNow<T>(_ body: (Connection) throws -> T) throws -> T {
    switch self {
    case .sqlite(let engine): try engine.readNow(body)
    case .postgreSQL(let engine): try engine.readNow(body)
    }
  }

  /// Changes in one transaction, that writes from the start; `ended` is called as soon as it is over.
  ///
  /// `body` runs again if the connection was lost and nothing of it was kept.
  func write<T: Sendable>(
    ended: @Sendable () -> Void = {}, _ body: @Sendable (Connection) throws -> T
  ) async throws -> T {
    switch self {
    case .sqlite(let engine): try await engine.write(ended: ended, body)
    case .postgreSQL(let engine): try await engine.write(ended: ended, body)
    }
  }

  /// Changes in one transaction, while nobody else waits for this thread.
  func writeNow<T>(_ body: (Connection) throws -> T) throws -> T {
    switch self {
    case .sqlite(let engine): try engine.writeNow(body)
    case .postgreSQL(let engine): try engine.writeNow(body)
    }
  }

  /// Works while no other connection of this process reads, outside of a transaction.
  func alone<T>(_ body: (Connection) throws -> T) throws -> T {
    switch self {
    case .sqlite(let engine): try engine.alone(body)
    case .postgreSQL(let engine): try engine.alone(body)
    }
  }

  /// Makes the content of another database this one's.
  ///
  /// - Throws: ``EngineFault/noFile`` if one of them is on a server.
  func copy(to other: Engine) throws {
    guard case .sqlite(let source) = self, case .sqlite(let target) = other else {
      throw EngineFault.noFile
    }
    try source.copy(to: target)
  }

  /// Leaves a copy as a single file, without companions that would have to be moved with it.
  func makeSingleFile() async throws {
    if case .sqlite(let engine) = self { try await engine.makeSingleFile() }
  }

  /// Writes the tables again without the remains of removed rows.
  func compact() async throws {
    switch self {
    case .sqlite(let engine): try await engine.compact()
    case .postgreSQL(let engine): try await engine.compact()
    }
  }

  /// Writes everything that is in the log to the file.
  func emptyLog() async throws {
    if case .sqlite(let engine) = self { try await engine.emptyLog() }
  }

  /// A number that changes when another connection changes the database; this one's own changes
  /// leave it alone.
  func versionOfOthers() async throws -> Int64? {
    switch self {
    case .sqlite(let engine): try await engine.versionOfOthers()
    case .postgreSQL(let engine): try await engine.versionOfOthers()
    }
  }

  /// Calls `sign` when another connection has changed the database, where the engine itself tells it.
  func onChangeOfOthers(_ sign: (@Sendable () -> Void)?) {
    if case .postgreSQL(let engine) = self { engine.onChangeOfOthers(sign) }
  }

  /// The version of the schema.
  func schemaVersion() throws -> Int {
    switch self {
    case .sqlite(let engine): try engine.schemaVersion()
    case .postgreSQL: Schema.version
    }
  }

  /// Ends every connection.
  func close() throws {
    switch self {
    case .sqlite(let engine): try engine.close()
    case .postgreSQL(let engine): engine.close()
    }
  }
}

// MARK: - Connections

/// A connection, within a transaction or alone.
enum Connection {
  case sqlite(SQLiteConnection)
  case postgreSQL(PostgreSQLConnection)
}

/// A statement that a connection has compiled.
enum CompiledStatement {
  case sqlite(SQLiteCompiled)
  case postgreSQL(PostgreSQLText)
}

/// A value of a column of any type.
typealias AnyArgument = Argument

extension Connection {
  /// The statement of a text, compiled once for each connection.
  func statement(_ sql: String) throws -> CompiledStatement {
    switch self {
    case .sqlite(let connection): .sqlite(try connection.statement(sql))
    case .postgreSQL(let connection): .postgreSQL(try connection.text(sql))
    }
  }

  /// Runs a statement, and calls `read` with each row that it yields.
  ///
  /// `read` takes a row, which is valid during the call, and returns whether to go on.
  func run(_ sql: String, _ arguments: Arguments, read: (Row) throws -> Bool) throws {
    switch self {
    case .sqlite(let connection): try connection.run(sql, arguments, read: read)
    case .postgreSQL(let connection):
      try connection.run(connection.text(sql), arguments.cells, read: read)
    }
  }

  /// Executes a statement whose rows nobody reads.
  ///
  /// A server may run it later, before whatever is asked next; see ``PostgreSQLConnection/runLater(_:_:)``.
  func execute(_ sql: String, _ arguments: Arguments = []) throws {
    switch self {
    case .sqlite(let connection): try connection.run(sql, arguments) { _ in true }
    case .postgreSQL(let connection):
      try connection.runLater(connection.text(sql), arguments.cells)
    }
  }

  /// Stores a numbered row by a statement, and returns its number.
  func insert(_ sql: String, _ arguments: Arguments) throws -> Int64 {
    switch self {
    case .sqlite(let connection): try connection.insert(sql, arguments)
    case .postgreSQL(let connection):
      try connection.insert(connection.text(sql), arguments.cells)
    }
  }

  /// Stores a numbered row by a compiled statement, and returns its number.
  func insert(_ compiled: CompiledStatement, bind: (inout Parameters) -> Void) throws -> Int64 {
    switch (self, compiled) {
    case (.sqlite(let connection), .sqlite(let compiled)):
      return try connection.insert(compiled, bind: bind)
    case (.postgreSQL(let connection), .postgreSQL(let text)):
      var parameters = Parameters()
      bind(&parameters)
      return try connection.insert(text, parameters.cells)
    default: throw EngineFault.closed
    }
  }

  /// Runs a compiled statement that yields no row, with the parameters that `bind` adds.
  func run(_ compiled: CompiledStatement, bind: (inout Parameters) -> Void) throws {
    switch (self, compiled) {
    case (.sqlite(let connection), .sqlite(let compiled)):
      try connection.run(compiled, bind: bind)
    case (.postgreSQL(let connection), .postgreSQL(let text)):
      var parameters = Parameters()
      bind(&parameters)
      try connection.runLater(text, parameters.cells)
    default: throw EngineFault.closed
    }
  }

  /// Executes a statement that changes the schema.
  func define(_ sql: String) throws {
    switch self {
    case .sqlite(let connection): try connection.define(sql)
    case .postgreSQL(let connection): try connection.define(sql)
    }
  }

  /// Makes a table with its indexes.
  func define(_ table: Table) throws {
    switch self {
    case .sqlite(let connection):
      for statement in table.statements { try connection.define(statement) }
    case .postgreSQL(let connection):
      for statement in Dialect.postgreSQL(table) { try connection.define(statement) }
    }
  }

  /// How many rows `work` inserts, changes and removes.
  func changes(by work: () throws -> Void) throws -> Int {
    switch self {
    case .sqlite(let connection):
      let before = connection.changeCount
      try work()
      return connection.changeCount - before
    case .postgreSQL(let connection): return try connection.changes(by: work)
    }
  }

  /// Runs `body` in a transaction of its own that writes from the start.
  func writing<T>(_ body: () throws -> T) throws -> T {
    switch self {
    case .sqlite(let connection): try connection.writing(body)
    case .postgreSQL(let connection): try connection.defining(body)
    }
  }

  /// Runs `body` inside the current transaction, and undoes its changes if it throws.
  func undoing<T>(_ body: () throws -> T) throws -> T {
    switch self {
    case .sqlite(let connection): try connection.undoing(body)
    case .postgreSQL(let connection): try connection.undoing(body)
    }
  }

  /// Marks the database as a program's, with a version of its schema.
  func mark(_ applicationID: Int, version: Int) throws {
    switch self {
    case .sqlite(let connection): try connection.mark(applicationID, version: version)
    case .postgreSQL(let connection): try connection.mark(applicationID, version: version)
    }
  }

  /// Whether there is a table, with a column if one is named.
  func hasTable(_ name: String, column: String? = nil) throws -> Bool {
    switch self {
    case .sqlite(let connection): try connection.hasTable(name, column: column)
    case .postgreSQL(let connection): try connection.hasTable(name, column: column)
    }
  }

  /// Replaces a condition in the descriptions of tables that an earlier program made, and no row.
  func replaceCondition(_ old: String, by new: String, of tables: [String]) throws {
    if case .sqlite(let connection) = self {
      try connection.replaceCondition(old, by: new, of: tables)
    }
  }

  /// Tables, indexes, triggers and views, by kind and name.
  func parts() throws -> [SchemaPart] {
    switch self {
    case .sqlite(let connection): try connection.parts()
    case .postgreSQL(let connection): try connection.parts()
    }
  }

  /// The parts that ``parts()`` finds where these tables are, and nothing else.
  func parts(of tables: [Table]) throws -> [SchemaPart] {
    switch self {
    case .sqlite:
      let model = try Engine.inMemory()
      return try model.writeNow { db in
        for table in tables { try db.define(table) }
        return try db.parts()
      }
    case .postgreSQL(let connection): return connection.parts(of: tables)
    }
  }

  /// Overwrites what is removed from now on, also in the pages that stay in use.
  func overwriteRemoved(_ isOn: Bool = true) throws {
    if case .sqlite(let connection) = self { try connection.overwriteRemoved(isOn) }
  }

  /// Writes the log to the file, if nobody reads it.
  func writeLogBack() {
    if case .sqlite(let connection) = self { connection.writeLogBack() }
  }

  /// Damage of the file: at most `most` sentences of the engine; a quick look leaves the indexes out.
  ///
  /// A server watches its own files.
  func damage(most: Int, isQuick: Bool = false) throws -> [String] {
    guard case .sqlite(let connection) = self else { return [] }
    return try connection.damage(most: most, isQuick: isQuick)
  }

  /// The rows that refer to rows which are missing.
  func danglingReferences() throws -> [(table: String, row: Int64?, parent: String)] {
    guard case .sqlite(let connection) = self else { return [] }
    return try connection.danglingReferences()
  }
}

/// The values of a statement's parameters, in order.
struct Arguments: ExpressibleByArrayLiteral {
  let values: [(any Argument)?]

  init(_ values: [(any Argument)?]) {
    self.values = values
  }

  init(arrayLiteral values: (any Argument)?...) {
    self.values = values
  }

  static func + (first: Arguments, second: Arguments) -> Arguments {
    Arguments(first.values + second.values)
  }

  /// The values, as cells have them.
  var cells: [Cell] { values.map { $0?.asCell ?? .null } }
}

/// A part of a database's schema.
struct SchemaPart: Hashable {
  enum Kind: String { case table, index, trigger, view }

  var kind: Kind
  var name: String
  /// The statement that made it, or its columns.
  var sql: String

  /// The kind and the name.
  var id: String { "\(kind.rawValue) \(name)" }
}

// MARK: - Errors

/// A failure of the engine.
protocol EngineError: Error {
  /// Whether the file is damaged.
  var isDamage: Bool { get }
  /// The engine's words for it.
  var text: String { get }
  /// Whether the database that is copied is the reason, rather than the copy.
  var isOfSource: Bool { get }
  /// The failure behind it.
  var failure: StoreError.Failure { get }
}

/// A failure that no engine has to tell.
enum EngineFault: EngineError {
  /// The database lacks what every store has.
  case corrupt
  /// Others use the database.
  case busy
  /// The database is closed.
  case closed
  /// A transaction ended without its result.
  case aborted
  /// The store is on a server, and has no file to copy.
  case noFile

  var isDamage: Bool { self == .corrupt }

  var text: String { "" }

  var isOfSource: Bool { self != .aborted }

  var failure: StoreError.Failure {
    switch self {
    case .corrupt: .damaged(nil)
    case .busy: .busy
    case .closed: .closed
    case .aborted: .unreadable("a transaction ended without its result")
    case .noFile: .onServer
    }
  }
}
