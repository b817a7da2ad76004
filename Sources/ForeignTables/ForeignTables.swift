import CSQLite
import Foundation

/// The tables of an SQLite database that another program wrote, or that was made to do harm.
///
/// SQLite reads a copy that nobody changes, without locks and companions. No view, trigger, virtual table or
/// extension of the file ever runs: tables alone are read, row after row in the order of their numbers. Texts,
/// columns, the schema, and how often a page is looked at are bounded, so that memory is, and time by the
/// file's size.
///
/// Source: SQLite, Defense Against The Dark Arts, <https://www.sqlite.org/security.html>.
@safe package final class ForeignTables {
  /// How far a text or its bytes are read.
  private static let longestValue = 1000
  /// After how many steps of SQLite's machine it is asked whether to go on.
  private static let interval: Int32 = 500

  /// Why a database is not read.
  package enum Fault: Error, Hashable, Sendable {
    /// It has more than this.
    case tooLarge(mebibytes: Int)
    /// It is damaged, or asks for more than tables of values do.
    case damaged
    /// The copy cannot be written, with the error's number.
    case notCopied(Int32)
  }

  /// A value of a row.
  package enum Value: Hashable, Sendable {
    case none
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
  }

  /// A row of a table.
  package struct Row: Hashable, Sendable {
    package let id: Int64
    /// The values of the columns that were asked for, in their order.
    package let values: [Value]
  }

  private let connection: OpaquePointer
  private let budget = Budget()
  private let size: Int
  /// How many pages the file has.
  package private(set) var pages = 0

  /// How many times SQLite's machine may still ask whether to go on.
  private final class Budget {
    var left = 20
  }

  /// Whether bytes begin as a database does.
  package static func isOne(_ head: [UInt8]) -> Bool {
    head.starts(with: Array("SQLite format 3\0".utf8))
  }

  /// A copy that is being written; its name ends with it.
  package struct Draft: ~Copyable {
    private let file: Int32
    private let path: String
    private let mostMebibytes: Int
    private var size = 0

    /// Begins a copy.
    ///
    /// - Parameters:
    ///   - path: Where no file is yet; one is there until the database is open.
    ///   - mostMebibytes: The largest size; larger ones are no phone's.
    /// - Throws: ``Fault``.
    package init(at path: String, mostMebibytes: Int = 1024) throws(Fault) {
      self.mostMebibytes = mostMebibytes
      file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      self.path = path
      guard file >= 0 else { throw .notCopied(errno) }
    }

    deinit {
      guard file >= 0 else { return }
      close(file)
      unsafe unlink(path)
    }

    /// Adds the next bytes.
    package mutating func append(_ bytes: [UInt8]) throws(Fault) {
      size += bytes.count
      guard size <= mostMebibytes << 20 else { throw .tooLarge(mebibytes: mostMebibytes) }
      var place = 0
      while place < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { all in
          unsafe write(file, all.baseAddress.map { unsafe $0 + place }, all.count - place)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .notCopied(count < 0 ? errno : EIO) }
        place += count
      }
    }

    /// Opens the copy.
    package consuming func tables() throws(Fault) -> ForeignTables {
      try ForeignTables(path: path, size: size)
    }
  }

  private init(path: String, size: Int) throws(Fault) {
    self.size = size
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(Self.address(path), &opened, flags, nil)
    guard let opened = unsafe opened else { throw .damaged }
    unsafe connection = opened
    guard code == SQLITE_OK, unsafe sqlite3_distrust(connection) != 0 else { throw .damaged }
    unsafe sqlite3_drop_modules(connection, nil)
    for (limit, value) in Self.limits { unsafe sqlite3_limit(connection, limit, value) }
    unsafe sqlite3_progress_handler(
      connection, Self.interval,
      { context in
        guard let context = unsafe context else { return 1 }
        let budget = unsafe Unmanaged<Budget>.fromOpaque(context).takeUnretainedValue()
        budget.left -= 1
        return budget.left < 0 ? 1 : 0
      }, unsafe Unmanaged.passUnretained(budget).toOpaque())
    for setting in ["cell_size_check = ON", "mmap_size = 0", "cache_size = -2000"] {
      try run("PRAGMA \(setting)") { _ in }
    }
    // The schema is read here.
    try run("PRAGMA page_count") { row in
      if case .integer(let count) = row.first { pages = Int(clamping: count) }
    }
  }

  deinit {
    unsafe sqlite3_close_v2(connection)
  }

  private static let limits: [(Int32, Int32)] = [
    (SQLITE_LIMIT_LENGTH, 1 << 20), (SQLITE_LIMIT_SQL_LENGTH, 1 << 13), (SQLITE_LIMIT_COLUMN, 200),
    (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_COMPOUND_SELECT, 2), (SQLITE_LIMIT_VDBE_OP, 5000),
    (SQLITE_LIMIT_FUNCTION_ARG, 10), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50), (SQLITE_LIMIT_VARIABLE_NUMBER, 10),
    (SQLITE_LIMIT_WORKER_THREADS, 0),
  ]

  /// The name of a file that does not change.
  ///
  /// Source: SQLite, Uniform Resource Identifiers, <https://www.sqlite.org/uri.html>.
  private static func address(_ path: String) -> String {
    let plain = Set("/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    let digits = Array("0123456789ABCDEF")
    let name = path.utf8.map { byte in
      plain.contains(byte)
        ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
    return "file:\(name.joined())?immutable=1"
  }

  // MARK: - Reading

  /// The columns of a table, in small letters; none if there is no such table.
  package func columns(of table: String) throws(Fault) -> Set<String> {
    var found: Set<String> = []
    try run("PRAGMA table_info(\(Self.quoted(table)))") { row in
      if row.count > 1, case .text(let name) = row[1] { found.insert(name.lowercased()) }
    }
    return found
  }

  /// The rows of a table.
  package func rows(of table: String, columns: [String]) throws(Fault) -> Rows {
    let names = (["rowid"] + columns.map(Self.quoted)).joined(separator: ", ")
    // A row has six bytes at least, and takes some dozens of steps.
    budget.left = size / 40 + 1000
    // An index of the file may say anything.
    return unsafe Rows(
      self, try compiled("SELECT \(names) FROM \(Self.quoted(table)) NOT INDEXED"), columns.count)
  }

  /// The rows of a table, one after the other.
  @safe package final class Rows {
    private let tables: ForeignTables
    private let statement: OpaquePointer
    private let count: Int
    /// How often pages may have been looked at.
    private let looks: Int
    private var last: Int64?

    fileprivate init(_ tables: ForeignTables, _ statement: OpaquePointer, _ count: Int) {
      (self.tables, self.count) = (tables, count)
      unsafe self.statement = statement
      // A page that is there several times in a tree would be read for ever, a chain of pages that has no
      // end for long.
      looks = tables.looks + 8 * tables.pages + 10_000
    }

    deinit {
      unsafe sqlite3_finalize(statement)
    }

    /// The next row; `nil` at the end.
    package func next() throws(Fault) -> Row? {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_DONE: return nil
      case SQLITE_ROW: break
      default: throw .damaged
      }
      let id = unsafe sqlite3_column_int64(statement, 0)
      guard last.map({ $0 < id }) ?? true, tables.looks <= looks else { throw .damaged }
      last = id
      return Row(
        id: id, values: (0..<count).map { unsafe ForeignTables.value(statement, Int32($0 + 1)) })
    }
  }

  /// How many pages were read so far.
  package var pagesRead: Int { status(SQLITE_DBSTATUS_CACHE_MISS) }

  /// How often a page was looked at.
  private var looks: Int {
    status(SQLITE_DBSTATUS_CACHE_HIT) + pagesRead
  }

  private func status(_ what: Int32) -> Int {
    var (now, most): (Int32, Int32) = (0, 0)
    unsafe sqlite3_db_status(connection, what, &now, &most, 0)
    return Int(now)
  }

  private static func quoted(_ name: String) -> String {
    "\"\(name.filter { $0 != "\"" })\""
  }

  private func compiled(_ sql: String) throws(Fault) -> OpaquePointer {
    var statement: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
      let statement = unsafe statement
    else { throw .damaged }
    return unsafe statement
  }

  private func run(_ sql: String, read: ([Value]) -> Void) throws(Fault) {
    let statement = unsafe try compiled(sql)
    defer { unsafe sqlite3_finalize(statement) }
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_DONE: return
      case SQLITE_ROW:
        let count = unsafe sqlite3_column_count(statement)
        read((0..<count).map { unsafe Self.value(statement, $0) })
      default: throw .damaged
      }
    }
  }

  private static func value(_ statement: OpaquePointer, _ place: Int32) -> Value {
    switch unsafe sqlite3_column_type(statement, place) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, place))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, place))
    case SQLITE_TEXT:
      guard let text = unsafe sqlite3_column_text(statement, place) else { return .none }
      let count = min(Int(unsafe sqlite3_column_bytes(statement, place)), longestValue)
      return .text(
        unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard let bytes = unsafe sqlite3_column_blob(statement, place) else { return .bytes([]) }
      let count = min(Int(unsafe sqlite3_column_bytes(statement, place)), longestValue)
      return .bytes(unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .none
    }
  }
}
