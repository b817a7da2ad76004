import Foundation
import GRDBSQLite

/// SQLite by its C functions: the reference for the store, and the fast way to fill one.
final class PlainSQLite {
  struct Failure: Error {
    let message: String
  }

  /// The value of a parameter or a column.
  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  private var connection: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file with the pragmas of the store.
  init(_ path: String) throws {
    try check(sqlite3_open(path, &connection))
    sqlite3_busy_timeout(connection, 60_000)
    for pragma in ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"] {
      try execute("PRAGMA \(pragma)")
    }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(connection)
  }

  /// The statement of a text, compiled once.
  func statement(_ sql: String) throws -> OpaquePointer? {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
    statements[sql] = statement
    return statement
  }

  func execute(_ sql: String, _ values: [Value] = []) throws {
    _ = try query(sql, values)
  }

  /// Runs a statement, and reads every column of every row.
  ///
  /// - Returns: The whole numbers in the first column.
  @discardableResult
  func query(_ sql: String, _ values: [Value] = []) throws -> [Int64] {
    let statement = try statement(sql)
    defer { sqlite3_reset(statement) }
    try bind(values, to: statement)
    var firsts: [Int64] = []
    while true {
      let code = sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        if code != SQLITE_DONE { try check(code) }
        return firsts
      }
      firsts.append(sqlite3_column_int64(statement, 0))
      for column in 0..<sqlite3_column_count(statement) { sqlite3_column_text(statement, column) }
    }
  }

  /// The text of the first column of every row.
  func texts(_ sql: String) throws -> [String] {
    let statement = try statement(sql)
    defer { sqlite3_reset(statement) }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
    }
    return texts
  }

  /// Runs `body` in one transaction.
  func writing(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  private func bind(_ values: [Value], to statement: OpaquePointer?) throws {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (place, value) in zip(Int32(1)..., values) {
      switch value {
      case .null: sqlite3_bind_null(statement, place)
      case .integer(let value): sqlite3_bind_int64(statement, place, value)
      case .real(let value): sqlite3_bind_double(statement, place, value)
      case .text(let value): sqlite3_bind_text(statement, place, value, -1, transient)
      case .blob(let value):
        sqlite3_bind_blob(statement, place, value, Int32(value.count), transient)
      }
    }
  }

  private func check(_ code: Int32) throws {
    guard code != SQLITE_OK, code != SQLITE_ROW else { return }
    throw Failure(message: String(cString: sqlite3_errmsg(connection)))
  }
}
