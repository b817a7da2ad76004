import CPostgres
import Care
import Foundation
import Synchronization

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
  /// The statements that were sent, and whose results were not taken yet, by their texts.
  private var sent: [String] = []
  /// The rows that are sent together with others of their tables, by the texts that store them.
  private var held: [String: (text: PostgreSQLText, rows: [[Cell]])] = [:]
  private var heldSize = (rows: 0, bytes: 0)
  private var changeCount = 0
  /// The channel of the store's notifications, once the store is known.
  private var channel: String?

  /// How long a lost connection is tried again, in seconds; then what needs it fails.
  private static let patience: TimeInterval = 10
  /// The most statements that a connection keeps prepared.
  private static let mostStatements = 1000
  /// The most statements that are sent without taking their results.
  private static let mostSent = 1000
  /// The most rows that are held, and the bytes that are enough.
  private static let mostHeld = (rows: 256, bytes: 1 << 20)
  /// How many rows a statement stores: of each table's statements few are prepared.
  private static let heldCounts = [64, 16, 4, 1]
  /// How often a transaction runs again whose connection was lost.
  private static let mostAttempts = 3
  private static let oldestServer = 150_000
  /// How long a transaction that changes may ask nothing, in seconds.
  private static let mostStillness = 120

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

  func drop() {
    if let link = unsafe link { unsafe cpostgres_finish(link) }
    unsafe link = nil
    forgetStatements()
    sent = []
    forgetHeld()
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
    // A program whose machine is gone, or that stands still, gives its lock back.
    try runText(
      """
      SET jit = off; SET lock_timeout = '\(Int(saturating: Engine.patience))s';
      SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
      SET tcp_user_timeout = 25000;
      SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') = 'off'
      """)
    backend.store(Int(unsafe cpostgres_backend(link)), ordering: .relaxed)
  }

  var socket: Int32 {
    guard let link = unsafe link else { return -1 }
    return unsafe cpostgres_socket(link)
  }

  /// Hears of what is committed in the store from now on.
  func listen() throws {
    try runText("LISTEN \(try storeChannel())")
  }

  /// How many notifications of other connections than `own` came; a negative number if this one is lost.
  func notified(unless own: PostgreSQLConnection) -> Int {
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
      try settle()
      do {
        try commit(isNotifying: changeCount != changes)
      } catch let error as PostgreSQLError where isLost {
        // The answer is lost: whether the transaction was kept, only the server knows.
        guard try wasCommitted(own) else { throw error }
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
      rollBack("ROLLBACK")
      throw error
    }
  }

  /// Runs `body` inside the current transaction, and undoes its changes if it throws.
  func undoing<T>(_ body: () throws -> T) throws -> T {
    try runLater(text("SAVEPOINT change"), [])
    do {
      let result = try body()
      try runLater(text("RELEASE change"), [])
      // A statement that fails belongs to this change, and not to the next one.
      try settle()
      return result
    } catch {
      rollBack("ROLLBACK TO change; RELEASE change")
      throw error
    }
  }

  /// Undoes what a failure has made void.
  private func rollBack(_ sql: String) {
    forgetHeld()
    // Statements that were still under way fail with the transaction, for a reason that is known.
    _ = try? settle()
    if !isLost { _ = try? runText(sql) }
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
          rollBack("ROLLBACK")
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
      SET LOCAL idle_in_transaction_session_timeout = '\(Self.mostStillness)s';
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
  ///
  /// - Throws: ``PostgreSQLError/uncertain`` if the server does not say.
  private func wasCommitted(_ own: OwnTransaction) throws -> Bool {
    for _ in 0..<100 {
      // Without a connection nobody knows: a transaction that ran again could be kept twice.
      guard (try? connect()) != nil else { break }
      let row: [String]
      do {
        row = try runText(
          "SELECT coalesce(pg_xact_status('\(own.number)'::xid8), ''), \(Self.history)")
      } catch  where isLost {
        continue
      } catch {
        break
      }
      guard row.count == 2, row[1] == own.history else { break }
      switch row[0] {
      case "committed": return true
      case "aborted":
        // The transaction may run again.
        drop()
        return false
      case "in progress": Thread.sleep(forTimeInterval: 0.1)
      default: throw PostgreSQLError.uncertain
      }
    }
    throw PostgreSQLError.uncertain
  }
}

// MARK: - Statements

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

  /// Runs a statement whose rows nobody reads, without waiting for the server.
  ///
  /// It runs before every statement that follows. A failure is thrown by one of these, or at the end of
  /// the change or transaction. Rows of one table that are stored after each other go in one statement,
  /// rows of several tables in the order of these: a statement costs the server as much as several rows.
  func runLater(_ text: PostgreSQLText, _ arguments: [Cell]) throws {
    guard text.holds(arguments) else {
      try sendHeld()
      return try sendLater(text, arguments)
    }
    held[text.sql, default: (text, [])].rows.append(arguments)
    heldSize.rows += 1
    heldSize.bytes += arguments.reduce(0) { $0 + $1.byteCount }
    if heldSize.rows >= Self.mostHeld.rows || heldSize.bytes >= Self.mostHeld.bytes {
      try sendHeld()
    }
  }

  private func sendLater(_ text: PostgreSQLText, _ arguments: [Cell]) throws {
    try send(text, arguments)
    if sent.count >= Self.mostSent { try settle() }
  }

  private func forgetHeld() { (held, heldSize) = ([:], (0, 0)) }

  /// Sends the rows that are held, those of a table to which others refer first.
  private func sendHeld() throws {
    guard !held.isEmpty else { return }
    let groups = held.values.sorted { ($0.text.place, $0.text.sql) < ($1.text.place, $1.text.sql) }
    forgetHeld()
    for (text, rows) in groups {
      var rest = rows[...]
      while let count = Self.heldCounts.first(where: { $0 <= rest.count }) {
        try sendLater(
          count == 1 ? text : self.text(text.sql(rows: count)), rest.prefix(count).flatMap(\.self))
        rest = rest.dropFirst(count)
      }
    }
  }

  /// How many rows `work` inserts, changes and removes.
  func changes(by work: () throws -> Void) throws -> Int {
    try settle()
    let before = changeCount
    try work()
    try settle()
    return changeCount - before
  }

  private func rows(_ text: PostgreSQLText, _ arguments: [Cell]) throws -> PostgreSQLRows {
    try sendHeld()
    guard sent.isEmpty else {
      try send(text, arguments)
      guard let rows = try settle() else { throw EngineFault.aborted }
      return rows
    }
    let (statement, values) = try bound(text, arguments)
    guard let link = unsafe link else { throw EngineFault.closed }
    let result = unsafe cpostgres_execute(
      link, statement.name, Int32(clamping: values.offsets.count), values.bytes, values.offsets,
      values.lengths, values.formats)
    let rows = unsafe PostgreSQLRows(result)
    try check(rows, text.sql)
    changeCount += rows.changed
    return rows
  }

  /// Sends a statement into the pipeline.
  private func send(_ text: PostgreSQLText, _ arguments: [Cell]) throws {
    let (statement, values) = try bound(text, arguments)
    guard let link = unsafe link else { throw EngineFault.closed }
    guard unsafe !sent.isEmpty || cpostgres_begin_pipeline(link),
      unsafe cpostgres_send(
        link, statement.name, Int32(clamping: values.offsets.count), values.bytes, values.offsets,
        values.lengths, values.formats)
    else { throw lost() }
    sent.append(text.sql)
  }

  /// Takes the results of the statements that were sent, in order.
  ///
  /// - Returns: The rows of the last one; `nil` if none was sent.
  /// - Throws: The first one's failure; those after it did not run.
  @discardableResult
  private func settle() throws -> PostgreSQLRows? {
    try sendHeld()
    guard !sent.isEmpty else { return nil }
    let statements = sent
    sent = []
    guard let link = unsafe link else { throw EngineFault.closed }
    guard unsafe cpostgres_sync(link) else { throw lost() }
    var last: PostgreSQLRows?
    var failed: (rows: PostgreSQLRows, sql: String)?
    for sql in statements {
      let rows = unsafe PostgreSQLRows(cpostgres_next(link))
      if rows.isSuccess {
        changeCount += rows.changed
        last = rows
      } else if failed == nil {
        failed = (rows, sql)
        // Of a lost connection nothing else comes.
        if isLost || rows.state == nil { break }
      }
    }
    if let failed, isLost || failed.rows.state == nil { try check(failed.rows, failed.sql) }
    // The mark of the end.
    _ = unsafe PostgreSQLRows(cpostgres_next(link))
    guard unsafe cpostgres_end_pipeline(link) else { throw lost() }
    if let failed { try check(failed.rows, failed.sql) }
    return last
  }

  /// Gives a connection up that takes nothing any more.
  private func lost() -> PostgreSQLError {
    let reason = message
    drop()
    return .unreachable(reason)
  }

  /// The prepared statement, and what its parameters are.
  private func bound(
    _ text: PostgreSQLText, _ arguments: [Cell]
  ) throws -> (PostgreSQLStatement, ParameterBytes) {
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
    return (statement, values)
  }

  private func prepared(_ text: PostgreSQLText, _ nulls: [Bool]) throws -> PostgreSQLStatement {
    try settle()
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
    try settle()
    guard let link = unsafe link else { throw EngineFault.closed }
    let rows = unsafe PostgreSQLRows(cpostgres_run(link, sql))
    try check(rows, sql)
    return rows
  }

  private func check(_ rows: PostgreSQLRows, _ sql: String) throws {
    guard !rows.isSuccess else { return }
    guard !isLost, let state = rows.state else {
      // Without a state it is libpq that speaks: of a connection that ended while nobody used it, it may
      // say that it is alive.
      let reason = rows.reason ?? message
      drop()
      throw PostgreSQLError.unreachable(reason)
    }
    throw PostgreSQLError.statement(
      state: state, [rows.reason, sql].compactMap(\.self).joined(separator: ": "))
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
  func storeVersion() throws -> (isPresent: Bool, version: Int?) {
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
  func identity() throws -> String {
    try runText(
      """
      SELECT system_identifier || ' ' || pg_database.oid::text || ' ' || 'store'::regclass::oid::text
      FROM pg_control_system(), pg_database WHERE datname = current_database()
      """
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
