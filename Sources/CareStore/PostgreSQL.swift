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
    try writer.queue.sync { try writer.connect(patience: 0) }
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

// MARK: - Connections

/// Works on a queue.
private actor QueueWorker {
  private final class Executor: SerialExecutor {
    let queue: DispatchQueue
    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private nonisolated let executor: Executor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(_ queue: DispatchQueue) { executor = Executor(queue) }

  func run<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
}

/// A connection to PostgreSQL, for one thread at a time: what uses it runs on its ``queue``.
///
/// A lost one is made again when it is used next.
@safe final class PostgreSQLConnection: @unchecked Sendable {
  let queue = DispatchQueue(label: "store")
  /// The server's process of this connection, 0 without one.
  let backend = Atomic<Int>(0)

  private let worker: QueueWorker
  private let address: PostgreSQLAddress
  private var link: OpaquePointer?
  private var isClosed = false
  private var texts: [String: PostgreSQLText] = [:]
  private var statementCount = 0
  private(set) var changeCount = 0
  /// The channel of the store's notifications, once the store is known.
  private var channel: String?

  /// How long a lost connection is tried again, in seconds; then what needs it fails.
  private static let patience: TimeInterval = 10
  /// The most statements that a connection keeps prepared.
  private static let mostStatements = 1000
  /// How often a transaction runs again whose connection was lost.
  private static let mostAttempts = 3
  private static let oldestServer = 150_000

  init(_ address: PostgreSQLAddress) {
    self.address = address
    worker = QueueWorker(queue)
  }

  deinit {
    if let link = unsafe link { unsafe cpostgres_finish(link) }
  }

  /// Works on the connection's own thread.
  func perform<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
    try await worker.run(body)
  }

  func close() {
    isClosed = true
    drop()
  }

  fileprivate func drop() {
    if let link = unsafe link { unsafe cpostgres_finish(link) }
    unsafe link = nil
    forgetStatements()
    channel = nil
    backend.store(0, ordering: .relaxed)
  }

  private func forgetStatements() {
    for text in texts.values { text.statements = [:] }
    (texts, statementCount) = ([:], 0)
  }

  /// Whether the connection was lost while it was used.
  private var isLost: Bool {
    guard let link = unsafe link else { return true }
    return unsafe !cpostgres_is_alive(link)
  }

  /// Connects if there is no connection, with pauses that double between the attempts.
  func connect(patience: TimeInterval = patience) throws {
    guard !isClosed else { throw EngineFault.closed }
    guard isLost else { return }
    drop()
    let start = DispatchTime.now().uptimeNanoseconds
    var pause = 0.05
    while true {
      do {
        return try connectOnce()
      } catch PostgreSQLError.unreachable(let reason) {
        drop()
        let waited = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        guard waited + pause < patience else { throw PostgreSQLError.unreachable(reason) }
        Thread.sleep(forTimeInterval: pause)
        pause = min(pause * 2, 2)
      }
    }
  }

  private func connectOnce() throws {
    guard let link = unsafe cpostgres_connect(address.text, "measured", "10") else {
      throw PostgreSQLError.unreachable("no memory")
    }
    unsafe self.link = link
    guard unsafe cpostgres_is_alive(link) else {
      throw PostgreSQLError.unreachable(message)
    }
    let version = Int(unsafe cpostgres_server_version(link))
    guard version >= Self.oldestServer else {
      drop()
      throw PostgreSQLError.oldServer(version / 10_000)
    }
    // A commit that is confirmed survives a power loss, whatever the server's settings say.
    try runText(
      """
      SET jit = off; SET lock_timeout = '\(Int(saturating: Engine.patience))s';
      SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') = 'off'
      """)
    backend.store(Int(unsafe cpostgres_backend(link)), ordering: .relaxed)
  }

  fileprivate var socket: Int32 {
    guard let link = unsafe link else { return -1 }
    return unsafe cpostgres_socket(link)
  }

  /// Hears of what is committed in the store from now on.
  fileprivate func listen() throws {
    try runText("LISTEN \(try storeChannel())")
  }

  /// How many notifications of other connections than `own` came; a negative number if this one is lost.
  fileprivate func notified(unless own: PostgreSQLConnection) -> Int {
    guard let link = unsafe link else { return -1 }
    let backend = own.backend.load(ordering: .relaxed)
    return Int(unsafe cpostgres_notified(link, Int32(clamping: backend)))
  }

  /// The channel of the store's notifications: several stores may be in one database.
  private func storeChannel() throws -> String {
    "measured_\(try runText("SELECT 'store'::regclass::oid").first ?? "")"
  }

  private var message: String {
    guard let link = unsafe link, let text = unsafe cpostgres_message(link) else { return "" }
    return unsafe String(cString: text).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

// MARK: - Transactions

extension PostgreSQLConnection {
  /// Reads in one transaction, which sees the store as it was when it began.
  func reading<T>(_ body: (Connection) throws -> T) throws -> T {
    try repeating {
      try runText("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let result = try body(.postgreSQL(self))
      try runText("COMMIT")
      return result
    }
  }

  /// Changes in one transaction, which has the store's lock from the start.
  func writing<T>(_ body: (Connection) throws -> T) throws -> T {
    try repeating {
      let own = try begin()
      let changes = changeCount
      let result = try body(.postgreSQL(self))
      do {
        try commit(isNotifying: changeCount != changes)
      } catch let error as PostgreSQLError where isLost {
        // The answer is lost: whether the transaction was kept, only the server knows.
        guard try wasCommitted(own, error) else { throw error }
      }
      return result
    }
  }

  /// Changes the schema, or makes it, in one transaction, while nobody else does.
  func defining<T>(_ body: () throws -> T) throws -> T {
    try connect()
    try runText("BEGIN; SELECT pg_advisory_xact_lock(\(Schema.applicationID))")
    do {
      let result = try body()
      try commit(isNotifying: false)
      return result
    } catch {
      if !isLost { _ = try? runText("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body` inside the current transaction, and undoes its changes if it throws.
  func undoing<T>(_ body: () throws -> T) throws -> T {
    try runText("SAVEPOINT change")
    do {
      let result = try body()
      try runText("RELEASE change")
      return result
    } catch {
      if !isLost { try runText("ROLLBACK TO change; RELEASE change") }
      throw error
    }
  }

  /// Runs a transaction, and runs it again if the connection was lost before its end.
  private func repeating<T>(_ transaction: () throws -> T) throws -> T {
    var attempt = 1
    while true {
      try connect()
      do {
        return try transaction()
      } catch {
        if case PostgreSQLError.uncertain = error { throw error }
        guard isLost, !isClosed, attempt < Self.mostAttempts else {
          if !isLost { _ = try? runText("ROLLBACK") }
          throw error
        }
        attempt += 1
      }
    }
  }

  /// A transaction that may have to be asked for: its number, and the history of the server that gave it.
  private struct OwnTransaction {
    var number: String
    var history: String
  }

  /// The server's history: another one after a standby has taken its place.
  private static let history = "substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)"

  private func begin() throws -> OwnTransaction {
    let row = try runText(
      """
      BEGIN ISOLATION LEVEL READ COMMITTED;
      SELECT pg_current_xact_id()::text, \(Self.history), 'store'::regclass::oid::text
        FROM store FOR UPDATE
      """)
    guard row.count == 3 else { throw EngineFault.corrupt }
    channel = "measured_\(row[2])"
    return OwnTransaction(number: row[0], history: row[1])
  }

  private func commit(isNotifying: Bool) throws {
    let notice = isNotifying ? channel.map { "NOTIFY \($0); " } ?? "" : ""
    let result = try rows(ofText: notice + "COMMIT")
    // A transaction with a failed statement ends otherwise.
    guard result.command == "COMMIT" else { throw EngineFault.aborted }
  }

  /// Whether a transaction whose end is not known was kept.
  private func wasCommitted(_ own: OwnTransaction, _ error: PostgreSQLError) throws -> Bool {
    for _ in 0..<100 {
      try connect()
      do {
        let row = try runText(
          "SELECT coalesce(pg_xact_status('\(own.number)'::xid8), ''), \(Self.history)")
        guard row.count == 2, row[1] == own.history else { throw PostgreSQLError.uncertain }
        switch row[0] {
        case "committed": return true
        case "aborted":
          // The transaction may run again.
          drop()
          return false
        case "in progress": Thread.sleep(forTimeInterval: 0.1)
        default: throw PostgreSQLError.uncertain
        }
      } catch PostgreSQLError.statement {
        throw PostgreSQLError.uncertain
      } catch let failure as PostgreSQLError where isLost {
        _ = failure
      }
    }
    throw PostgreSQLError.uncertain
  }
}

// MARK: - Statements

/// A statement's text in PostgreSQL's words, with the places of its arguments.
///
/// A value that may be NULL is compared by `IS ?`. No index of PostgreSQL answers that, so that there is a
/// statement of its own for each set of such arguments that are NULL.
final class PostgreSQLText {
  private enum Part {
    case text(String)
    /// An argument, by its place.
    case argument(Int)
    /// What a column is compared with: an argument, or NULL.
    case same(Int)
  }

  let sql: String
  /// Whether it only reads.
  fileprivate var isQuery: Bool { sql.hasPrefix("SELECT") || sql.hasPrefix("WITH") }
  private let parts: [Part]
  /// How many arguments it takes.
  let count: Int
  /// The arguments that may be compared as NULL.
  fileprivate let comparable: [Int]
  fileprivate var statements: [[Bool]: PostgreSQLStatement] = [:]

  init(_ sql: String) {
    self.sql = sql
    let text = Array(Dialect.translated(sql).utf8)
    var (parts, count, comparable): ([Part], Int, Set<Int>) = ([], 0, [])
    var (rest, place, isQuoted) = ([UInt8](), 0, false)
    while place < text.count {
      let byte = text[place]
      place += 1
      if byte == UInt8(ascii: "'") { isQuoted.toggle() }
      guard byte == UInt8(ascii: "?"), !isQuoted else {
        rest.append(byte)
        continue
      }
      var number = 0
      while place < text.count, let digit = Int(exactly: text[place]).map({ $0 - 48 }),
        (0...9).contains(digit)
      {
        number = number * 10 + digit
        place += 1
      }
      let argument = number == 0 ? count : number - 1
      count = max(count, argument + 1)
      if rest.suffix(4) == Array(" IS ".utf8)[...] {
        parts.append(.text(String(decoding: rest.dropLast(4), as: UTF8.self)))
        parts.append(.same(argument))
        comparable.insert(argument)
      } else {
        parts.append(.text(String(decoding: rest, as: UTF8.self)))
        parts.append(.argument(argument))
      }
      rest = []
    }
    parts.append(.text(String(decoding: rest, as: UTF8.self)))
    (self.parts, self.count, self.comparable) = (parts, count, comparable.sorted())
  }

  /// Which of the comparable arguments are NULL.
  func nulls(of arguments: [Cell]) -> [Bool] {
    comparable.map { if case .null = arguments[$0] { true } else { false } }
  }

  /// The text for such arguments, and which of them are sent, in order.
  func resolved(_ nulls: [Bool]) -> (text: String, order: [Int]) {
    let isNull = Set(zip(comparable, nulls).filter(\.1).map(\.0))
    var order: [Int] = []
    func parameter(_ argument: Int) -> String {
      if let known = order.firstIndex(of: argument) { return "$\(known + 1)" }
      order.append(argument)
      return "$\(order.count)"
    }
    let text = parts.map { part in
      switch part {
      case .text(let text): text
      case .argument(let argument): parameter(argument)
      case .same(let argument):
        isNull.contains(argument) ? " IS NULL" : " = " + parameter(argument)
      }
    }.joined()
    return (text, order)
  }
}

/// A statement that the server has prepared.
private final class PostgreSQLStatement {
  let name: String
  /// The arguments that it takes, in order.
  let order: [Int]
  /// The types of its parameters.
  let types: [UInt32]

  init(name: String, order: [Int], types: [UInt32]) {
    (self.name, self.order, self.types) = (name, order, types)
  }
}

/// The types of values that statements take and yield, by their numbers.
///
/// Source: PostgreSQL 15, `src/include/catalog/pg_type.dat`.
private enum ValueType {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let float8: UInt32 = 701
  /// A column of any type.
  static let varchar: UInt32 = 1043
  static let numeric: UInt32 = 1700
}

extension PostgreSQLConnection {
  /// The statement of a text, translated once.
  func text(_ sql: String) throws -> PostgreSQLText {
    if let text = texts[sql] { return text }
    if statementCount >= Self.mostStatements {
      try runText("DEALLOCATE ALL")
      forgetStatements()
    }
    let text = PostgreSQLText(sql)
    texts[sql] = text
    return text
  }

  /// Runs a statement, and calls `read` with each row that it yields.
  func run(_ text: PostgreSQLText, _ arguments: [Cell], read: (Row) throws -> Bool) throws {
    let rows = try rows(text, arguments)
    guard rows.count > 0 else { return }
    let row = Row(rows)
    for line in 0..<rows.count {
      row.line = line
      guard try read(row) else { return }
    }
  }

  /// Stores a numbered row, and returns its number.
  func insert(_ text: PostgreSQLText, _ arguments: [Cell]) throws -> Int64 {
    let rows = try rows(text, arguments)
    guard rows.count > 0, case .integer(let number) = rows.cell(0, 0) else {
      throw EngineFault.corrupt
    }
    return number
  }

  private func rows(_ text: PostgreSQLText, _ arguments: [Cell]) throws -> PostgreSQLRows {
    guard text.count == arguments.count else {
      throw PostgreSQLError.statement(
        state: "07001", "\(arguments.count) arguments in place of \(text.count): \(text.sql)")
    }
    let nulls = text.nulls(of: arguments)
    let statement = try text.statements[nulls] ?? prepared(text, nulls)
    var values = ParameterBytes()
    for (argument, type) in zip(statement.order, statement.types) {
      values.add(text.isQuery ? arguments[argument].comparable : arguments[argument], type)
    }
    guard let link = unsafe link else { throw EngineFault.closed }
    let result = unsafe cpostgres_execute(
      link, statement.name, Int32(clamping: values.offsets.count), values.bytes, values.offsets,
      values.lengths, values.formats)
    let rows = unsafe PostgreSQLRows(result)
    try check(rows, text.sql)
    changeCount += rows.changed
    return rows
  }

  private func prepared(_ text: PostgreSQLText, _ nulls: [Bool]) throws -> PostgreSQLStatement {
    guard let link = unsafe link else { throw EngineFault.closed }
    let (sql, order) = text.resolved(nulls)
    statementCount += 1
    let name = "s\(statementCount)"
    try check(unsafe PostgreSQLRows(cpostgres_prepare(link, name, sql)), sql)
    let described = unsafe PostgreSQLRows(cpostgres_describe(link, name))
    try check(described, sql)
    let statement = PostgreSQLStatement(name: name, order: order, types: described.parameterTypes)
    text.statements[nulls] = statement
    return statement
  }

  /// Runs statements without arguments; the first row of the last one, as text.
  @discardableResult
  func runText(_ sql: String) throws -> [String] {
    let rows = try rows(ofText: sql)
    return rows.count > 0 ? rows.texts(0) : []
  }

  private func rows(ofText sql: String) throws -> PostgreSQLRows {
    guard let link = unsafe link else { throw EngineFault.closed }
    let rows = unsafe PostgreSQLRows(cpostgres_run(link, sql))
    try check(rows, sql)
    return rows
  }

  private func check(_ rows: PostgreSQLRows, _ sql: String) throws {
    guard !rows.isSuccess else { return }
    guard !isLost else { throw PostgreSQLError.unreachable(rows.reason ?? message) }
    throw PostgreSQLError.statement(
      state: rows.state ?? "", [rows.reason, sql].compactMap(\.self).joined(separator: ": "))
  }
}

extension Cell {
  /// What is compared with a column: a text with U+0000, which the server refuses, equals none.
  fileprivate var comparable: Cell {
    if case .text(let text) = self, text.utf8.contains(0) { return .null }
    return self
  }
}

/// The values of parameters as the server takes them.
private struct ParameterBytes {
  private(set) var bytes: [UInt8] = []
  private(set) var offsets: [Int32] = []
  private(set) var lengths: [Int32] = []
  /// 1 for binary.
  private(set) var formats: [Int32] = []

  mutating func add(_ cell: Cell, _ type: UInt32) {
    let start = bytes.count
    var isBinary = false
    switch (cell, type) {
    case (.null, _):
      offsets.append(-1)
      lengths.append(0)
      formats.append(0)
      return
    case (.integer(let value), ValueType.int8):
      isBinary = true
      append(UInt64(bitPattern: value))
    case (.integer(let value), ValueType.varchar): bytes += Array("i\(value)".utf8)
    case (.integer(let value), _): bytes += Array(String(value).utf8)
    case (.real(let value), ValueType.float8):
      isBinary = true
      append(value.bitPattern)
    case (.real(let value), ValueType.varchar): bytes += Array("r\(value)".utf8)
    case (.real(let value), _): bytes += Array(String(value).utf8)
    case (.text(let text), ValueType.varchar):
      isBinary = true
      bytes += Array("t\(text)".utf8)
    case (.text(let text), _):
      // The server refuses U+0000 where it is not the end.
      isBinary = type == ValueType.text
      bytes += Array(text.utf8)
    case (.blob(let blob), ValueType.bytea):
      isBinary = true
      bytes += blob
    // Only a column of any type is compared so.
    case (.blob(let blob), _): bytes += Array("b\(Array(blob).hexString)".utf8)
    }
    offsets.append(Int32(clamping: start))
    lengths.append(Int32(clamping: bytes.count - start))
    formats.append(isBinary ? 1 : 0)
    bytes.append(0)
  }

  private mutating func append(_ bits: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
  }
}

/// What a statement has yielded.
@safe final class PostgreSQLRows {
  private let result: OpaquePointer?
  let names: [String]
  private let types: [UInt32]
  let count: Int32

  fileprivate init(_ result: OpaquePointer?) {
    unsafe self.result = result
    guard let result = unsafe result else {
      (names, types, count) = ([], [], 0)
      return
    }
    count = unsafe cpostgres_row_count(result)
    // What yields no row needs no names.
    let columns = count > 0 ? unsafe cpostgres_column_count(result) : 0
    names = (0..<columns).map { column in
      unsafe cpostgres_column_name(result, column).map { unsafe String(cString: $0) } ?? ""
    }
    types = (0..<columns).map { unsafe cpostgres_column_type(result, $0) }
  }

  deinit {
    if let result = unsafe result { unsafe cpostgres_clear(result) }
  }

  fileprivate var isSuccess: Bool { unsafe cpostgres_succeeded(result) }
  fileprivate var state: String? {
    unsafe cpostgres_state(result).map { unsafe String(cString: $0) }
  }
  fileprivate var reason: String? {
    unsafe cpostgres_reason(result).map { unsafe String(cString: $0) }
  }

  fileprivate var command: String {
    guard let result = unsafe result else { return "" }
    return unsafe cpostgres_command(result).map { unsafe String(cString: $0) } ?? ""
  }

  /// How many rows were inserted, changed and removed.
  fileprivate var changed: Int {
    guard let result = unsafe result,
      ["INSERT", "UPDATE", "DELETE"].contains(where: command.hasPrefix)
    else { return 0 }
    return unsafe cpostgres_changed(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
  }

  fileprivate var parameterTypes: [UInt32] {
    guard let result = unsafe result else { return [] }
    let count = unsafe cpostgres_parameter_count(result)
    return (0..<count).map {
      unsafe cpostgres_parameter_type(result, $0)
    }
  }

  /// The cells of a row that came as text.
  fileprivate func texts(_ line: Int32) -> [String] {
    names.indices.map { column in
      unsafe bytes(line, column).map { unsafe String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }

  private func bytes(_ line: Int32, _ column: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let result = unsafe result else { return nil }
    var length: Int32 = 0
    guard
      let start = unsafe cpostgres_value(result, line, Int32(clamping: column), &length)
    else { return nil }
    return unsafe UnsafeBufferPointer(start: start, count: Int(length))
  }

  /// The id of a column, which holds its text.
  func uuid(_ line: Int32, _ column: Int) -> UUID? {
    guard types[column] == ValueType.text, let bytes = unsafe bytes(line, column) else {
      return nil
    }
    return unsafe UUID(text: bytes)
  }

  func cell(_ line: Int32, _ column: Int) -> Cell {
    guard let bytes = unsafe bytes(line, column) else { return .null }
    func number() -> UInt64 { unsafe bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    switch types[column] {
    case ValueType.bool: return .integer(number() == 0 ? 0 : 1)
    case ValueType.int8: return .integer(Int64(bitPattern: number()))
    case ValueType.int4: return .integer(Int64(Int32(truncatingIfNeeded: number())))
    case ValueType.int2: return .integer(Int64(Int16(truncatingIfNeeded: number())))
    case ValueType.float8: return .real(Double(bitPattern: number()))
    case ValueType.bytea: return .blob(unsafe Data(bytes))
    case ValueType.numeric: return unsafe Self.numeric(Array(bytes))
    case ValueType.varchar: return unsafe Self.any(bytes)
    default: return .text(unsafe String(decoding: bytes, as: UTF8.self))
    }
  }

  /// A value of a column of any type: its mark says which.
  private static func any(_ bytes: UnsafeBufferPointer<UInt8>) -> Cell {
    let text = unsafe String(decoding: bytes.dropFirst(), as: UTF8.self)
    switch unsafe bytes.first {
    case UInt8(ascii: "i"): return Int64(text).map(Cell.integer) ?? .null
    case UInt8(ascii: "r"): return Double(text).map(Cell.real) ?? .null
    case UInt8(ascii: "b"): return [UInt8](hex: text).map { .blob(Data($0)) } ?? .null
    case UInt8(ascii: "t"): return .text(text)
    default: return .null
    }
  }

  /// A sum of whole numbers, in groups of four decimal digits.
  ///
  /// Source: PostgreSQL 15, `src/backend/utils/adt/numeric.c`, `numeric_send`.
  private static func numeric(_ bytes: [UInt8]) -> Cell {
    guard bytes.count >= 8 else { return .null }
    func word(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
    let (digits, weight) = (word(0), Int(Int16(truncatingIfNeeded: word(2))))
    guard bytes.count >= 8 + 2 * digits, weight < 5, digits <= weight + 1 else { return .null }
    var value: Int64 = 0
    for group in 0..<max(weight + 1, 0) {
      let (product, isLarge) = value.multipliedReportingOverflow(by: 10_000)
      let (sum, isLarger) = product.addingReportingOverflow(
        Int64(group < digits ? word(8 + 2 * group) : 0))
      guard !isLarge, !isLarger else { return .null }
      value = sum
    }
    return .integer(word(4) == 0x4000 ? -value : value)
  }
}

// MARK: - The schema

extension PostgreSQLConnection {
  /// Executes a statement that changes the schema.
  func define(_ sql: String) throws { try runText(sql) }

  /// The beginning of what marks the table `store` as this program's.
  private static let mark = "store of measured, schema "

  /// Marks the database as a program's, with a version of its schema.
  func mark(_ applicationID: Int, version: Int) throws {
    try runText("COMMENT ON TABLE store IS '\(Self.mark)\(version)'")
  }

  /// Tables that are called as a store's, and the version that their mark says.
  fileprivate func storeVersion() throws -> (isPresent: Bool, version: Int?) {
    let row = try runText(
      """
      SELECT coalesce(obj_description(oid, 'pg_class'), '') FROM pg_class
      WHERE relname = 'store' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace
      """)
    guard let mark = row.first else { return (false, nil) }
    guard mark.hasPrefix(Self.mark) else { return (true, nil) }
    return (true, Int(mark.dropFirst(Self.mark.count)))
  }

  /// Tells the store from a copy of it in another database or on another server.
  fileprivate func identity() throws -> String {
    try runText(
      "SELECT system_identifier || ' ' || 'store'::regclass::oid::text FROM pg_control_system()"
    ).first ?? ""
  }

  func hasTable(_ name: String, column: String?) throws -> Bool {
    var isFound = false
    try run(
      text(
        """
        SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema()
          AND table_name = ? AND (? = '' OR column_name = ?)
        LIMIT 1
        """), [.text(name), .text(column ?? ""), .text(column ?? "")]
    ) { _ in
      isFound = true
      return false
    }
    return isFound
  }

  /// Tables with their columns, indexes, triggers and views, by kind and name.
  func parts() throws -> [SchemaPart] {
    var found: [SchemaPart] = []
    try run(
      text(
        """
        SELECT 'table' AS type, relname::text AS name, string_agg(attname || ' '
            || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' required' ELSE '' END,
          ', ' ORDER BY attnum) AS sql
        FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0
          AND NOT attisdropped
        GROUP BY relname
        UNION ALL SELECT CASE WHEN relkind = 'i' THEN 'index' ELSE 'view' END, relname::text, ''
        FROM pg_class WHERE relkind IN ('i', 'v', 'm')
          AND relnamespace = current_schema()::regnamespace
        UNION ALL SELECT 'trigger', tgname::text, '' FROM pg_trigger
        JOIN pg_class ON pg_class.oid = tgrelid
        WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
        ORDER BY 1, 2
        """), []
    ) { row in
      found.append(
        SchemaPart(
          kind: try row.parsed("type", SchemaPart.Kind.init(rawValue:)),
          name: try row.text("name"), sql: try row.text("sql")))
      return true
    }
    return found
  }

  func parts(of tables: [Table]) -> [SchemaPart] {
    tables.flatMap { table in
      [SchemaPart(kind: .table, name: table.name, sql: Dialect.postgreSQLColumns(table))]
        + table.indexes.compactMap { index in
          index.firstMatch(of: /INDEX (\w+) ON/).map { match in
            SchemaPart(kind: .index, name: String(match.1), sql: "")
          }
        }
    }
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

// MARK: - Changes of others

/// Hears what other connections commit.
///
/// A notification is a hint to look. One that is sent while nobody hears is lost, so that a new connection
/// counts as one.
private final class PostgreSQLListener: @unchecked Sendable {
  private struct State {
    var count: Int64 = 0
    var sign: (@Sendable () -> Void)?
  }

  private let connection: PostgreSQLConnection
  private let writer: PostgreSQLConnection
  private let state = Mutex(State())
  /// Tells that something has come, while it is listened to; of the connection's queue.
  private var source: (any DispatchSourceRead)?

  /// Hears what others than `writer` do.
  init(_ address: PostgreSQLAddress, unless writer: PostgreSQLConnection) {
    connection = PostgreSQLConnection(address)
    self.writer = writer
  }

  deinit { source?.cancel() }

  /// A number that grows with each change of others that was heard of.
  func version() async throws -> Int64 {
    try await connection.perform { [self] in
      try listen()
      take()
      return state.withLock(\.count)
    }
  }

  /// Calls `sign` at each change of others that is heard of.
  func onChange(_ sign: (@Sendable () -> Void)?) { state.withLock { $0.sign = sign } }

  func close() {
    connection.queue.sync {
      stop()
      connection.close()
    }
  }

  private func listen() throws {
    guard source == nil else { return }
    try connection.connect()
    try connection.listen()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: connection.socket, queue: connection.queue)
    source.setEventHandler { [weak self] in self?.take() }
    source.activate()
    self.source = source
    state.withLock { $0.count += 1 }
  }

  private func stop() {
    source?.cancel()
    source = nil
  }

  private func take() {
    guard source != nil else { return }
    let count = connection.notified(unless: writer)
    // It is made again when the next version is asked for.
    if count < 0 {
      stop()
      connection.drop()
    }
    guard count != 0 else { return }
    state.withLock { state in
      state.count += 1
      return state.sign
    }?()
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
