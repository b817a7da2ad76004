import Care
import Foundation
import GRDB
import GRDBSQLite

// Everything that is SQLite's alone. ``Engine`` and ``Connection`` are this one or PostgreSQL's, and no
// other file of this room says a word that only one of them understands, but for ``Dialect``.

// MARK: - The engine

extension Engine {
  /// The files that the engine may keep beside a database's file, by the end of its name.
  static let companions = [log, "-shm", "-journal"]
  /// The log with the latest changes, beside a database's file.
  static let log = "-wal"

  /// Opens a file, whose changes are on the disk once they are committed.
  static func open(_ path: String) throws -> Engine {
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.barrierWriteWithoutTransaction { db in
      // A pool lowers this to NORMAL, which may lose the last transactions in a power loss. A file
      // whose change to WAL mode failed keeps its rollback journal; EXTRA syncs its removal, too.
      try db.execute(sql: "PRAGMA synchronous = EXTRA")
    }
    return .sqlite(SQLiteEngine(database: pool))
  }

  /// Opens a file for reading; one that nobody changes meanwhile is read without locks and companions.
  static func openForReading(_ path: String, isUnchanging: Bool = false) throws -> Engine {
    var configuration = configuration
    configuration.readonly = true
    let name = isUnchanging ? immutable(path) : path
    return .sqlite(
      SQLiteEngine(database: try DatabaseQueue(path: name, configuration: configuration)))
  }

  /// Opens a file that only this process has, or makes it, without companions.
  static func openAlone(_ path: String) throws -> Engine {
    .sqlite(SQLiteEngine(database: try DatabaseQueue(path: path)))
  }

  /// Makes a database in memory.
  static func inMemory() throws -> Engine {
    .sqlite(SQLiteEngine(database: try DatabaseQueue(configuration: configuration)))
  }

  /// Makes a database in a file without a name, which ends with it.
  static func temporary() throws -> Engine {
    // SQLite gives a database without a name a file of its own, and removes it.
    .sqlite(SQLiteEngine(database: try DatabaseQueue(path: "", configuration: configuration)))
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "store"
    configuration.busyMode = .timeout(patience)
    configuration.foreignKeysEnabled = true
    return configuration
  }

  /// The name of a file that does not change.
  ///
  /// Source: SQLite, Uniform Resource Identifiers, <https://www.sqlite.org/uri.html>.
  private static func immutable(_ path: String) -> String {
    let safe = Set("/-._~".utf8)
    let name = path.utf8.map { byte in
      let isPlain =
        safe.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + [byte].hexString
    }.joined()
    return "file:\(name)?immutable=1"
  }
}

/// An open SQLite database: one writer at a time, concurrent readers.
struct SQLiteEngine: Sendable {
  let database: any DatabaseWriter

  /// Reads in one transaction.
  func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) async throws -> T {
    try await database.read { try body(.sqlite($0)) }
  }

  /// Reads in one transaction, while nobody else waits for this thread.
  func readNow<T>(_ body: (Connection) throws -> T) throws -> T {
    try database.read { try body(.sqlite($0)) }
  }

  /// Changes in one transaction, that writes from the start; `ended` is called as soon as it is over.
  func write<T: Sendable>(
    ended: @Sendable () -> Void = {}, _ body: @Sendable (Connection) throws -> T
  ) async throws -> T {
    try await database.writeWithoutTransaction { db in
      try db.requireOpen()
      defer { ended() }
      return try db.writing { try body(.sqlite(db)) }
    }
  }

  /// Changes in one transaction, while nobody else waits for this thread.
  func writeNow<T>(_ body: (Connection) throws -> T) throws -> T {
    try database.write { try body(.sqlite($0)) }
  }

  /// Works while no other connection of this process reads, outside of a transaction.
  func alone<T>(_ body: (Connection) throws -> T) throws -> T {
    try database.barrierWriteWithoutTransaction { try body(.sqlite($0)) }
  }

  /// Makes the content of another database this one's.
  func copy(to other: SQLiteEngine) throws {
    try database.backup(to: other.database)
  }

  /// Leaves a copy as a single file, without companions that would have to be moved with it.
  func makeSingleFile() async throws {
    try await database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA journal_mode = DELETE")
    }
  }

  /// Writes the file again without the remains of removed rows.
  func compact() async throws {
    try await database.barrierWriteWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Writes everything that is in the log to the file.
  func emptyLog() async throws {
    try await database.barrierWriteWithoutTransaction { db in
      let isBusy = try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      guard isBusy != true else { throw EngineFault.busy }
    }
  }

  /// A number that changes when another connection changes the database; this one's own changes
  /// leave it alone.
  func versionOfOthers() async throws -> Int64? {
    try await database.writeWithoutTransaction { db in
      try db.requireOpen()
      return try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version"))
    }
  }

  /// The version of the schema.
  func schemaVersion() throws -> Int {
    try database.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }
  }

  /// Ends every connection, and writes the rest of the log back.
  func close() throws {
    // The last connection that closes writes the log back, which a reader cannot.
    (database as? DatabasePool)?.releaseMemory()
    try database.close()
  }
}

// MARK: - Connections

/// A connection to a SQLite database.
typealias SQLiteConnection = Database

/// A statement that such a connection has compiled.
typealias SQLiteCompiled = GRDB.Statement

/// A value that a parameter of a statement takes.
typealias Argument = DatabaseValueConvertible & StatementBinding

extension DatabaseValueConvertible {
  /// The value as people read it.
  var contentText: String { databaseValue.description }

  /// The value, as a cell has it.
  var asCell: Cell {
    switch databaseValue.storage {
    case .null: .null
    case .int64(let value): .integer(value)
    case .double(let value): .real(value)
    case .string(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    }
  }
}

extension SQLiteConnection {
  /// The statement of a text, compiled once for each connection.
  func statement(_ sql: String) throws -> SQLiteCompiled { try cachedStatement(sql: sql) }

  /// Executes a statement that changes the schema.
  func define(_ sql: String) throws { try execute(sql: sql) }

  /// How many rows this connection has inserted, changed and removed.
  var changeCount: Int { totalChangesCount }

  /// Runs `body` in a transaction of its own that writes from the start.
  func writing<T>(_ body: () throws -> T) throws -> T {
    var result: T?
    try inTransaction(.immediate) {
      result = try body()
      return .commit
    }
    return try result.orAborted
  }

  /// Runs `body` inside the current transaction, and undoes its changes if it throws.
  func undoing<T>(_ body: () throws -> T) throws -> T {
    var result: T?
    try inSavepoint {
      result = try body()
      return .commit
    }
    return try result.orAborted
  }

  /// Refuses a closed connection: SQLite crashes if it is used.
  fileprivate func requireOpen() throws {
    guard unsafe sqliteConnection != nil else { throw EngineFault.closed }
  }

  /// Marks the database as a program's, with a version of its schema.
  func mark(_ applicationID: Int, version: Int) throws {
    try execute(sql: "PRAGMA application_id = \(applicationID)")
    try execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Whether there is a table, with a column if one is named.
  func hasTable(_ name: String, column: String? = nil) throws -> Bool {
    let found =
      if let column {
        try Bool.fetchOne(
          self, sql: "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?",
          arguments: [name, column])
      } else {
        try Bool.fetchOne(
          self, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
          arguments: [name])
      }
    return found == true
  }

  /// Replaces a condition in the descriptions of tables, and no row.
  ///
  /// Source: SQLite, ALTER TABLE, §7, <https://www.sqlite.org/lang_altertable.html>.
  func replaceCondition(_ old: String, by new: String, of tables: [String]) throws {
    let names = tables.map { "'\($0)'" }.joined(separator: ", ")
    let isThere = try Bool.fetchOne(
      self,
      sql: "SELECT count(*) FROM sqlite_master WHERE name IN (\(names)) AND instr(sql, ?) > 0",
      arguments: [old])
    guard isThere == true else { return }
    try writing {
      try execute(sql: "PRAGMA writable_schema = ON")
      try execute(
        sql: """
          UPDATE sqlite_master SET sql = replace(sql, ?, ?)
          WHERE type = 'table' AND name IN (\(names))
          """, arguments: [old, new])
      try execute(sql: "PRAGMA writable_schema = OFF")
      // Every connection reads the description again.
      let version = try Int.fetchOne(self, sql: "PRAGMA schema_version") ?? 0
      try execute(sql: "PRAGMA schema_version = \(version + 1)")
    }
  }

  /// Tables, indexes, triggers and views, by kind and name.
  func parts() throws -> [SchemaPart] {
    var found: [SchemaPart] = []
    let query = """
      SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY type, name
      """
    try run(query, []) { row in
      found.append(
        SchemaPart(
          kind: try row.parsed("type", SchemaPart.Kind.init(rawValue:)),
          name: try row.text("name"), sql: try row.text("sql")))
      return true
    }
    return found
  }

  /// Overwrites what is removed from now on, also in the pages that stay in use.
  func overwriteRemoved(_ isOn: Bool = true) throws {
    try execute("PRAGMA secure_delete = \(isOn ? "ON" : "OFF")")
  }

  /// Writes the log to the file, if nobody reads it.
  func writeLogBack() { _ = try? checkpoint(.truncate) }

  /// Damage of the file: at most `most` sentences of the engine; a quick look leaves the indexes out.
  func damage(most: Int, isQuick: Bool = false) throws -> [String] {
    let check = isQuick ? "quick_check" : "integrity_check"
    var found: [String] = []
    try run("PRAGMA \(check)(\(most))", []) { row in
      found.append(try row.text(check))
      return true
    }
    return found.filter { $0 != "ok" }
  }

  /// The rows that refer to rows which are missing.
  func danglingReferences() throws -> [(table: String, row: Int64?, parent: String)] {
    var found: [(table: String, row: Int64?, parent: String)] = []
    try run("PRAGMA foreign_key_check", []) { row in
      found.append((try row.text("table"), try row.optional("rowid"), try row.text("parent")))
      return true
    }
    return found
  }
}

extension Optional {
  /// The result of a transaction that ended.
  fileprivate var orAborted: Wrapped {
    get throws {
      guard let self else { throw EngineFault.aborted }
      return self
    }
  }
}

// MARK: - Statements

// Statements are bound, stepped and read with SQLite's own functions: GRDB's take several times as
// long for each value, and an event reads dozens.

extension SQLiteConnection {
  /// Runs a statement, and calls `read` with each row that it yields.
  ///
  /// `read` takes a row, which is valid during the call, and returns whether to go on.
  func run(_ sql: String, _ arguments: Arguments, read: (Row) throws -> Bool) throws {
    let compiled = try cachedStatement(sql: sql)
    let statement = unsafe compiled.sqliteStatement
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    guard unsafe sqlite3_bind_parameter_count(statement) == Int32(arguments.values.count) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "wrong number of arguments", sql: sql)
    }
    for (place, value) in zip(Int32(1)..., arguments.values) {
      // A parameter without a value is NULL.
      guard let value else { continue }
      let code = unsafe value.bind(to: statement, at: place)
      guard code == SQLITE_OK else { throw failure(code, sql) }
    }
    var row: Row?
    while true {
      let code = unsafe sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code, sql) }
      let current = unsafe row ?? Row(statement, names: compiled.columnNames)
      row = current
      guard try read(current) else { return }
    }
  }

  /// Executes a statement.
  func execute(_ sql: String, _ arguments: Arguments = []) throws {
    try run(sql, arguments) { _ in true }
  }

  private func failure(_ code: Int32, _ sql: String) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
  }
}

/// The parameters of a statement that is run for very many rows, bound one after the other.
///
/// It takes a third of the time that ``Arguments`` takes.
@safe struct Parameters {
  /// `nil` where ``cells`` take the values, for PostgreSQL.
  private let statement: SQLiteStatement?
  private(set) var cells: [Cell] = []
  private var place: Int32 = 0
  private var code = SQLITE_OK

  fileprivate init(_ statement: SQLiteStatement) {
    unsafe self.statement = statement
  }

  /// Collects the values.
  init() { unsafe statement = nil }

  /// Leaves a parameter NULL.
  mutating func addNull() {
    place += 1
    if unsafe statement == nil { cells.append(.null) }
  }

  mutating func add(_ value: Int64?) {
    guard let value else { return addNull() }
    place += 1
    guard let statement = unsafe statement else { return cells.append(.integer(value)) }
    check(unsafe sqlite3_bind_int64(statement, place, value))
  }

  mutating func add(_ value: Int) {
    add(Int64(value))
  }

  mutating func add(_ value: Double?) {
    guard let value else { return addNull() }
    place += 1
    guard let statement = unsafe statement else { return cells.append(.real(value)) }
    check(unsafe sqlite3_bind_double(statement, place, value))
  }

  mutating func add(_ text: String?) {
    guard var text else { return addNull() }
    place += 1
    guard let statement = unsafe statement else { return cells.append(.text(text)) }
    // SQLite takes a null pointer for NULL.
    guard !text.isEmpty else {
      return check(unsafe sqlite3_bind_text(statement, place, "", 0, Self.copied))
    }
    let code = text.withUTF8 { bytes in
      let start = unsafe UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      return unsafe sqlite3_bind_text(
        statement, place, start, Int32(clamping: bytes.count), Self.copied)
    }
    check(code)
  }

  mutating func add(_ bytes: [UInt8]) {
    place += 1
    guard let statement = unsafe statement else { return cells.append(.blob(Data(bytes))) }
    guard !bytes.isEmpty else { return check(unsafe sqlite3_bind_zeroblob(statement, place, 0)) }
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe sqlite3_bind_blob(
        statement, place, bytes.baseAddress, Int32(clamping: bytes.count), Self.copied)
    }
    check(code)
  }

  private mutating func check(_ result: Int32) {
    if code == SQLITE_OK { code = result }
  }

  /// The first error.
  fileprivate var result: (code: Int32, count: Int32) { (code, place) }

  /// SQLite's SQLITE_TRANSIENT: it copies what is bound.
  private static var copied: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

extension SQLiteConnection {
  /// Stores a numbered row by a statement, and returns its number.
  func insert(_ sql: String, _ arguments: Arguments) throws -> Int64 {
    try execute(sql, arguments)
    return lastInsertedRowID
  }

  /// Stores a numbered row by a compiled statement, and returns its number.
  func insert(_ compiled: SQLiteCompiled, bind: (inout Parameters) -> Void) throws -> Int64 {
    try run(compiled, bind: bind)
    return lastInsertedRowID
  }

  /// Runs a compiled statement that yields no row, with the parameters that `bind` adds.
  func run(_ compiled: SQLiteCompiled, bind: (inout Parameters) -> Void) throws {
    let statement = unsafe compiled.sqliteStatement
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    var parameters = unsafe Parameters(statement)
    bind(&parameters)
    let bound = parameters.result
    guard bound.code == SQLITE_OK else { throw failure(bound.code, compiled.sql) }
    guard unsafe sqlite3_bind_parameter_count(statement) == bound.count else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "wrong number of arguments", sql: compiled.sql)
    }
    let code = unsafe sqlite3_step(statement)
    guard code == SQLITE_DONE else { throw failure(code, compiled.sql) }
  }
}

/// A row that a statement yields.
@safe final class Row {
  let names: [String]
  private let statement: SQLiteStatement?
  private let rows: PostgreSQLRows?
  private let copies: [Cell]
  /// The row's number among ``rows``.
  var line: Int32 = 0
  /// The column after the one that was read last: rows are mostly read from left to right.
  private var next = 0

  /// The current row of a statement, until its next step.
  fileprivate init(_ statement: SQLiteStatement, names: [String]) {
    unsafe self.statement = statement
    self.names = names
    rows = nil
    copies = []
  }

  /// The first of the rows that PostgreSQL has sent.
  init(_ rows: PostgreSQLRows) {
    self.rows = rows
    names = rows.names
    copies = []
    unsafe statement = nil
  }

  /// A row that stays.
  init(copying row: Row) {
    names = row.names
    copies = row.names.indices.map { row.cell($0) }
    rows = nil
    unsafe statement = nil
  }

  func cell(_ column: Int) -> Cell {
    guard let statement = unsafe statement else {
      return rows?.cell(line, column) ?? copies[column]
    }
    let place = Int32(column)
    switch unsafe sqlite3_column_type(statement, place) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, place))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, place))
    case SQLITE_TEXT:
      guard let text = unsafe sqlite3_column_text(statement, place) else { return .text("") }
      let count = Int(unsafe sqlite3_column_bytes(statement, place))
      return .text(
        unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard let bytes = unsafe sqlite3_column_blob(statement, place) else { return .blob(Data()) }
      return .blob(
        unsafe Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, place))))
    default: return .null
    }
  }

  func cell(_ name: String) -> Cell {
    place(of: name).map { cell($0) } ?? .null
  }

  private func place(of name: String) -> Int? {
    let count = names.count
    for offset in 0..<count {
      let column = next + offset < count ? next + offset : next + offset - count
      if names[column] == name {
        next = column + 1
        return column
      }
    }
    return nil
  }

  /// The id of a column, which holds its text; read in place, as every outcome has two.
  ///
  /// - Returns: `nil` if the column does not hold an id, or the row is a copy.
  private func uuidInPlace(_ column: Int) -> UUID? {
    guard let statement = unsafe statement else { return rows?.uuid(line, column) }
    guard let text = unsafe sqlite3_column_text(statement, Int32(column)) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(statement, Int32(column)))
    return unsafe UUID(text: UnsafeBufferPointer(start: text, count: count))
  }

  /// The id of a column, which holds its text.
  func uuid(_ column: String) throws -> UUID {
    if let place = place(of: column) {
      if let uuid = uuidInPlace(place) { return uuid }
      next = place
    }
    let text: String = try required(column)
    guard let uuid = UUID(text: text.utf8) else {
      throw ColumnError(column: column, content: text)
    }
    return uuid
  }
}

// MARK: - Errors

extension DatabaseError: EngineError {
  var isDamage: Bool { resultCode == .SQLITE_CORRUPT }

  var text: String { message ?? "" }

  var isOfSource: Bool {
    switch resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_MISUSE: true
    default: false
    }
  }

  var failure: StoreError.Failure {
    switch resultCode {
    case .SQLITE_FULL: return .diskFull
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .busy
    case .SQLITE_READONLY, .SQLITE_PERM: return .readOnly
    case .SQLITE_CANTOPEN: return .cannotOpen
    case .SQLITE_MISUSE: return .closed
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: return .damaged(message)
    case .SQLITE_IOERR:
      // A backup's error is not its connection's, whose message is then that all is well.
      let message = message == "not an error" ? nil : message
      // Which of the system's calls failed.
      let code = "SQLite's code \(extendedResultCode.rawValue)"
      return .diskError([message, code].compactMap(\.self).joined(separator: ", "))
    default: return .statement(code: resultCode.rawValue, message)
    }
  }
}

// MARK: - Files

/// The first 100 bytes of a SQLite file, read without opening a database: that could already write
/// beside the file.
///
/// Source: SQLite Database File Format, §1.3, <https://www.sqlite.org/fileformat2.html>.
struct StoreHeader: Hashable {
  /// The length of a header.
  static let length = 100

  /// Which program's file it is: ``Schema/applicationID`` for a store.
  let applicationID: Int
  /// The schema version, `user_version`.
  let version: Int
  /// How long the file should be, in bytes; `nil` if the program that wrote it last does not keep
  /// the count.
  let expectedSize: Int?

  /// Reads a header; `nil` if `bytes` do not start a SQLite file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      return nil
    }
    func word(_ offset: Int) -> Int {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    applicationID = word(68)
    version = word(60)
    // A page size of 65536 does not fit its two bytes and is written as 1. The page count holds
    // only if the counter beside it is that of the last change.
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    expectedSize = word(24) == word(92) ? word(28) * (pageSize == 1 ? 65_536 : pageSize) : nil
  }
}
