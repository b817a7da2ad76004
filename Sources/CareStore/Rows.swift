import Care
import Foundation
import GRDB
import GRDBSQLite

// Statements are bound, stepped and read with SQLite's own functions: GRDB's take several times as
// long for each value, and an event reads dozens.

/// The content of a column that this program does not understand.
struct ColumnError: Error, CustomStringConvertible {
  let column: String
  let content: String

  var description: String { "‘\(content)’ in ‘\(column)’" }
}

/// The values of a statement's parameters, in order.
struct Arguments: ExpressibleByArrayLiteral {
  let values: [(any StatementBinding)?]

  init(_ values: [(any StatementBinding)?]) {
    self.values = values
  }

  init(arrayLiteral values: (any StatementBinding)?...) {
    self.values = values
  }

  static func + (first: Arguments, second: Arguments) -> Arguments {
    Arguments(first.values + second.values)
  }
}

extension Database {
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

  private func failure(_ code: Int32, _ sql: String) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
  }
}

/// The parameters of a statement that is run for very many rows, bound one after the other.
///
/// It takes a third of the time that ``Arguments`` takes.
@safe struct Parameters {
  private let statement: SQLiteStatement
  private var place: Int32 = 0
  private var code = SQLITE_OK

  fileprivate init(_ statement: SQLiteStatement) {
    unsafe self.statement = statement
  }

  /// Leaves a parameter NULL.
  mutating func addNull() {
    place += 1
  }

  mutating func add(_ value: Int64?) {
    place += 1
    guard let value else { return }
    check(unsafe sqlite3_bind_int64(statement, place, value))
  }

  mutating func add(_ value: Int) {
    add(Int64(value))
  }

  mutating func add(_ value: Double?) {
    place += 1
    guard let value else { return }
    check(unsafe sqlite3_bind_double(statement, place, value))
  }

  mutating func add(_ text: String?) {
    place += 1
    guard var text else { return }
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

extension Database {
  /// Runs a compiled statement that yields no row, with the parameters that `bind` adds.
  func run(_ compiled: Statement, bind: (inout Parameters) -> Void) throws {
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
  /// The content of a column.
  enum Cell {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
  }

  private let names: [String]
  private let statement: SQLiteStatement?
  private let copies: [Cell]
  /// The column after the one that was read last: rows are mostly read from left to right.
  private var next = 0

  /// The current row of a statement, until its next step.
  fileprivate init(_ statement: SQLiteStatement, names: [String]) {
    unsafe self.statement = statement
    self.names = names
    copies = []
  }

  /// A row that stays.
  init(copying row: Row) {
    names = row.names
    copies = row.names.indices.map { row.cell($0) }
    unsafe statement = nil
  }

  private func cell(_ column: Int) -> Cell {
    guard let statement = unsafe statement else { return copies[column] }
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

  private func cell(_ name: String) -> Cell {
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
    guard let statement = unsafe statement,
      let text = unsafe sqlite3_column_text(statement, Int32(column))
    else { return nil }
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

extension Row: CustomStringConvertible {
  /// The columns with what they hold, for tests: `[count(*):2]`.
  var description: String {
    let columns = zip(names, names.indices).map { name, column in "\(name):\(cell(column).text)" }
    return "[" + columns.joined(separator: " ") + "]"
  }
}

extension Row.Cell {
  /// The content of the cell, as text.
  var text: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let text): "\"\(text)\""
    case .blob(let bytes): Array(bytes).hexString
    }
  }
}

// MARK: - Columns

extension Row {
  /// The text of a column.
  func text(_ column: String) throws -> String {
    try required(column)
  }

  /// The time of a column, which holds microseconds since 1970.
  func date(_ column: String) throws -> Date {
    Date(microseconds: try required(column))
  }

  /// The device of a column, which holds its address or name.
  func device(_ column: String) throws -> DeviceID {
    DeviceID(try text(column))
  }

  /// The value of a column that must not be NULL.
  func required<T: ColumnValue>(_ column: String) throws -> T {
    try value(of: cell(column), in: column)
  }

  /// The value of a column that may be NULL.
  func optional<T: ColumnValue>(_ column: String) throws -> T? {
    let cell = cell(column)
    if case .null = cell { return nil }
    return try value(of: cell, in: column)
  }

  /// The value that `parse` reads from a column's text.
  func parsed<T>(_ column: String, _ parse: (String) -> T?) throws -> T {
    let text: String = try required(column)
    guard let value = parse(text) else { throw ColumnError(column: column, content: text) }
    return value
  }

  /// The value that `parse` reads from a column's text; `nil` for NULL.
  func optionalParsed<T>(_ column: String, _ parse: (String) -> T?) throws -> T? {
    guard let text: String = try optional(column) else { return nil }
    guard let value = parse(text) else { throw ColumnError(column: column, content: text) }
    return value
  }

  private func value<T: ColumnValue>(of cell: Cell, in column: String) throws -> T {
    if let value = T(cell) { return value }
    if case .text(let text) = cell { throw ColumnError(column: column, content: text) }
    throw ColumnError(column: column, content: cell.text)
  }
}

extension UUID {
  /// Reads the text of a UUID; several times as fast as `UUID(uuidString:)`.
  fileprivate init?(text: some Collection<UInt8>) {
    guard text.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    var place = -1
    for byte in text {
      place += 1
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if place < 18 {
        halves.0 = halves.0 << 4 | UInt64(digit)
      } else {
        halves.1 = halves.1 << 4 | UInt64(digit)
      }
    }
    func byte(_ half: UInt64, _ place: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: half >> (56 - 8 * place))
    }
    let (a, b) = halves
    self.init(
      uuid: (
        byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6),
        byte(a, 7), byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5),
        byte(b, 6), byte(b, 7)
      ))
  }
}

/// JSON as the store's columns hold it: equal values give equal texts.
enum JSON {
  /// The text of a value, with sorted keys.
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// The value of a text.
  static func value<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
