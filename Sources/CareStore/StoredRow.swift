import Care
import Foundation

/// A row of a store, whose fields are described once.
///
/// ``fields(_:)`` names each field, with its column and with its key in a line of the export, and
/// the field's type says what it may contain. Everything else follows from that list: the columns of
/// the ``Table``, reading a row (``RowReader``) and storing it (``Parameters``), writing, reading
/// and checking a line (``KeyWriter``, ``KeyReader``, ``KeyCheck``).
protocol StoredRow: SendableMetatype {
  /// Makes a row without content, which a visitor fills.
  init()
  /// Visits every field, in the order of the columns.
  ///
  /// A visitor that reads changes the fields, any other one leaves them as they are.
  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure)
}

/// Something that visits the fields of rows.
///
/// Those of tables look at columns, those of an export at keys; the others they pass.
protocol FieldVisitor {
  associatedtype Failure: Error
  /// Whether it looks at keys, whose values may have to be made first.
  static var isOfKeys: Bool { get }
  /// Whether it looks at the fields of other tables.
  static var isOfParts: Bool { get }
  mutating func column<T: ColumnValue>(
    _ name: String, _ value: inout T, sql: String) throws(Failure)
  mutating func column<T: ColumnValue>(
    _ name: String, _ value: inout T?, sql: String) throws(Failure)
  /// Visits a value of a line; one with a default is left out where it has that.
  mutating func key<T: KeyValue>(
    _ name: String, _ value: inout T, default: T?) throws(Failure)
  mutating func key<T: KeyValue>(_ name: String, _ value: inout T?) throws(Failure)
  /// Visits the fields of a row of another table to which this one refers.
  mutating func part<R: StoredRow>(_ row: inout R) throws(Failure)
}

extension FieldVisitor {
  static var isOfKeys: Bool { false }
  static var isOfParts: Bool { true }

  mutating func column<T: ColumnValue>(
    _ name: String, _ value: inout T, sql: String
  ) throws(Failure) {}

  mutating func column<T: ColumnValue>(
    _ name: String, _ value: inout T?, sql: String
  ) throws(Failure) {}

  mutating func key<T: KeyValue>(
    _ name: String, _ value: inout T, default: T?
  ) throws(Failure) {}

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T?) throws(Failure) {}

  mutating func part<R: StoredRow>(_ row: inout R) throws(Failure) { try row.fields(&self) }

  mutating func column<T: ColumnValue>(_ name: String, _ value: inout T) throws(Failure) {
    try column(name, &value, sql: "")
  }

  mutating func column<T: ColumnValue>(_ name: String, _ value: inout T?) throws(Failure) {
    try column(name, &value, sql: "")
  }

  mutating func key<T: KeyValue>(_ name: String, _ value: inout T) throws(Failure) {
    try key(name, &value, default: nil)
  }

  /// Visits a field that has a column, of the same name unless one is given, and a key.
  mutating func field<T: ColumnValue & KeyValue>(
    _ key: String, in column: String? = nil, _ value: inout T, default: T? = nil, sql: String = ""
  ) throws(Failure) {
    try self.column(column ?? key, &value, sql: sql)
    try self.key(key, &value, default: `default`)
  }

  /// Visits a field that may be empty.
  mutating func field<T: ColumnValue & KeyValue>(
    _ key: String, in column: String? = nil, _ value: inout T?, sql: String = ""
  ) throws(Failure) {
    try self.column(column ?? key, &value, sql: sql)
    try self.key(key, &value)
  }

  /// Visits a text that must not be empty.
  mutating func id(
    _ key: String, in column: String? = nil, _ value: inout String, sql: String = ""
  ) throws(Failure) {
    var id = ID(text: value)
    try field(key, in: column, &id, sql: sql)
    value = id.text
  }

  /// Visits a text that must not be empty, but may be missing.
  mutating func id(
    _ key: String, in column: String? = nil, _ value: inout String?, sql: String = ""
  ) throws(Failure) {
    var id = value.map(ID.init)
    try field(key, in: column, &id, sql: sql)
    value = id?.text
  }

  /// Visits an instant, µs since 1970.
  mutating func instant(
    _ key: String, in column: String? = nil, _ value: inout Int64, sql: String = ""
  ) throws(Failure) {
    var instant = Instant(microseconds: value)
    try field(key, in: column, &instant, sql: sql)
    value = instant.microseconds
  }

  /// Visits an instant that may be missing, µs since 1970.
  mutating func instant(
    _ key: String, in column: String? = nil, _ value: inout Int64?, sql: String = ""
  ) throws(Failure) {
    var instant = value.map(Instant.init)
    try field(key, in: column, &instant, sql: sql)
    value = instant?.microseconds
  }
}

// MARK: - Tables

/// A table with its indexes.
struct Table: Sendable {
  /// A column as the table is created.
  struct Column: Sendable {
    var name: String
    var type: ColumnType
    var constraints: String

    init(_ name: String, _ type: ColumnType, _ constraints: String = "") {
      (self.name, self.type, self.constraints) = (name, type, constraints)
    }

    /// The column in the statement that makes its table.
    var definition: String {
      "\(name) \(Dialect.name(type))" + (constraints.isEmpty ? "" : " " + constraints)
    }
  }

  let name: String
  let columns: [Column]
  /// The key and further constraints of the rows.
  let constraints: [String]
  /// Indexes, as statements.
  let indexes: [String]
  /// Whether rows stand apart from their key, as long ones should.
  let isApartFromKey: Bool
  /// Whether stores exchange the rows: each has the number that it got when it was stored last.
  let isExchanged: Bool
  /// The beginning of a statement that stores a row: its number, if it has one, and its fields.
  let insertion: String
  /// The same, for a row that may be there already.
  let insertionIfNew: String

  init(
    _ name: String, _ columns: [Column], _ constraints: [String] = [], indexes: [String] = [],
    isApartFromKey: Bool = true, isExchanged: Bool = false
  ) {
    let columns = columns + (isExchanged ? [Column("stored", .integer, "NOT NULL")] : [])
    let indexes = indexes + (isExchanged ? ["CREATE INDEX \(name)_stored ON \(name) (stored)"] : [])
    self.name = name
    self.isApartFromKey = isApartFromKey
    self.isExchanged = isExchanged
    self.columns = columns
    self.constraints = constraints
    self.indexes = indexes
    let names = columns.map(\.name).joined(separator: ", ")
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    insertion = "INSERT INTO \(name) (\(names)) VALUES (\(values))"
    insertionIfNew = insertion + " ON CONFLICT DO NOTHING"
  }

  /// The table of rows; without a `key` of their own they are numbered in the order of storing.
  init<R: StoredRow>(
    _ name: String, of type: R.Type, key: String? = nil, _ constraints: [String] = [],
    indexes: [String] = [], isApartFromKey: Bool? = nil
  ) {
    var list = ColumnList()
    var row = R()
    row.fields(&list)
    let number = key == nil ? [Column("number", .number)] : []
    self.init(
      name, number + list.columns, constraints + (key.map { ["PRIMARY KEY (\($0))"] } ?? []),
      indexes: indexes, isApartFromKey: isApartFromKey ?? (key == nil),
      isExchanged: type is any ExportedRow.Type)
  }

  /// Whether rows have a number.
  var isNumbered: Bool { columns.first?.type == .number }

  /// The statements that make it.
  var statements: [String] {
    [Dialect.create(name, columns.map(\.definition) + constraints, isApartFromKey: isApartFromKey)]
      + indexes
  }
}

/// The columns of rows.
private struct ColumnList: FieldVisitor {
  typealias Failure = Never
  static let isOfParts = false

  var columns: [Table.Column] = []

  mutating func column<T: ColumnValue>(_ name: String, _ value: inout T, sql: String) {
    add(name, T.self, "NOT NULL", sql)
  }

  mutating func column<T: ColumnValue>(_ name: String, _ value: inout T?, sql: String) {
    add(name, T.self, "", sql)
  }

  mutating func part<R: StoredRow>(_ row: inout R) {}

  private mutating func add<T: ColumnValue>(
    _ name: String, _ type: T.Type, _ required: String, _ sql: String
  ) {
    let constraints = [required, sql, T.condition(on: name).map { "CHECK (\($0))" } ?? ""]
    columns.append(
      Table.Column(
        name, T.columnType, constraints.filter { !$0.isEmpty }.joined(separator: " ")))
  }
}

// MARK: - Reading and storing

/// A visitor that fills a row from a table.
struct RowReader: FieldVisitor {
  typealias Failure = any Error

  let row: Row

  mutating func column<T: ColumnValue>(
    _ name: String, _ value: inout T, sql: String
  ) throws(any Error) {
    value = try T.read(row, name)
  }

  mutating func column<T: ColumnValue>(
    _ name: String, _ value: inout T?, sql: String
  ) throws(any Error) {
    value = try row.optional(name)
  }
}

extension StoredRow {
  /// Reads the fields of a row of the table.
  init(reading row: Row) throws {
    self.init()
    var reader = RowReader(row: row)
    try fields(&reader)
  }
}

extension Parameters: FieldVisitor {
  typealias Failure = Never
  static let isOfParts = false

  mutating func column<T: ColumnValue>(_ name: String, _ value: inout T, sql: String) {
    value.add(to: &self)
  }

  mutating func column<T: ColumnValue>(_ name: String, _ value: inout T?, sql: String) {
    guard let value else { return addNull() }
    value.add(to: &self)
  }

  mutating func part<R: StoredRow>(_ row: inout R) {}
}

extension SQLTransaction {
  /// Stores a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - table: Its table.
  ///   - number: The number that it gets; `nil` for one that no row of the table ever had.
  ///   - onConflict: The end of the statement, for a row that may be there already.
  /// - Throws: An error of the database.
  func store(
    _ row: some StoredRow, in table: Table, number: Int64? = nil, onConflict: String = ""
  ) throws {
    if let exported = row as? any ExportedRow { try requireExportable(exported) }
    let sql = onConflict.isEmpty ? table.insertion : table.insertion + " " + onConflict
    try store(row, in: table, number: number, by: try db.statement(sql))
  }

  /// Stores a row by a compiled statement.
  func store(
    _ row: some StoredRow, in table: Table, number: Int64? = nil, by statement: CompiledStatement
  ) throws {
    try db.run(statement, bind: try parameters(of: row, in: table, number: number))
  }

  /// Stores a new row of a numbered table, and returns its number.
  func storeNumbered(_ row: some StoredRow, in table: Table) throws -> Int64 {
    if let exported = row as? any ExportedRow { try requireExportable(exported) }
    return try db.insert(
      db.statement(table.insertion), bind: try parameters(of: row, in: table, number: nil))
  }

  /// Binds the values of a row, with its numbers.
  private func parameters(
    of row: some StoredRow, in table: Table, number: Int64?
  ) throws -> (inout Parameters) -> Void {
    let stored = table.isExchanged ? try nextStored() : nil
    // The engine gives the number after the last one that is left, which an erased row may have had.
    let number = try number ?? (table.isNumbered && hasErasures() ? stored : nil)
    return { parameters in
      var row = row
      if table.isNumbered { parameters.add(number) }
      row.fields(&parameters)
      if let stored { parameters.add(stored) }
    }
  }
}

// MARK: - Rows

/// The content of a column that this program does not understand.
struct ColumnError: Error, CustomStringConvertible {
  let column: String
  let content: String

  var description: String { "‘\(content)’ in ‘\(column)’" }
}

/// The content of a column of a row.
enum Cell {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

extension Row: CustomStringConvertible {
  /// The columns with what they hold, for tests: `[count(*):2]`.
  var description: String {
    let columns = zip(names, names.indices).map { name, column in "\(name):\(cell(column).text)" }
    return "[" + columns.joined(separator: " ") + "]"
  }
}

extension Cell {
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
  init?(text: some Collection<UInt8>) {
    guard text.count == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    var place = -1
    for byte in text {
      place += 1
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      // A bit tells a small letter from a capital one.
      let (decimal, letter) = (byte &- UInt8(ascii: "0"), (byte | 0x20) &- UInt8(ascii: "a"))
      guard decimal < 10 || letter < 6 else { return nil }
      let digit = decimal < 10 ? decimal : letter + 10
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
