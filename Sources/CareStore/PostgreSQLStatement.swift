import CPostgres
import Care
import Foundation

/// A statement's text in PostgreSQL's words, with the places of its arguments.
///
/// A value that may be NULL is compared by `IS ?`. No index of PostgreSQL answers that, so that there is a
/// statement of its own for each set of such arguments that are NULL.
final class PostgreSQLText {
  private enum Part {
    case text(String)
    /// An argument, by its place.
    case argument(Int)
    /// The value that a column is compared with: an argument, or NULL.
    case same(Int)
  }

  let sql: String
  /// Whether it only reads.
  var isQuery: Bool { sql.hasPrefix("SELECT") || sql.hasPrefix("WITH") }
  private let parts: [Part]
  /// How many arguments it takes.
  let count: Int
  /// The arguments that may be compared as NULL.
  let comparable: [Int]
  /// The place among the tables of the one in which it stores a row; 0 if it does something else.
  var place: Int { insertion?.place ?? 0 }
  private let insertion: (place: Int, isNumbered: Bool)?
  var statements: [[Bool]: PostgreSQLStatement] = [:]

  /// The statements that store one row, by their texts.
  private static let insertions: [String: (place: Int, isNumbered: Bool)] = Dictionary(
    Schema.tables.enumerated().flatMap { place, table in
      [table.insertion, table.insertionIfNew].map { ($0, (place, table.isNumbered)) }
    }, uniquingKeysWith: { first, _ in first })

  init(_ sql: String) {
    self.sql = sql
    insertion = Self.insertions[sql]
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

  /// Whether it stores a row with such values as it would among others: the server numbers one at a time.
  func holds(_ arguments: [Cell]) -> Bool {
    guard let insertion, arguments.count == count else { return false }
    if insertion.isNumbered, case .null = arguments.first { return false }
    return true
  }

  /// The text that stores several rows.
  func sql(rows count: Int) -> String {
    guard let values = sql.firstRange(of: /\([?, ]+\)/) else { return sql }
    return sql.replacingCharacters(
      in: values, with: repeatElement(String(sql[values]), count: count).joined(separator: ", "))
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
final class PostgreSQLStatement {
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

extension Cell {
  /// How many bytes it takes, about.
  var byteCount: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }

  /// The value to compare with a column: a text with U+0000, which the server refuses, equals none.
  var comparable: Cell {
    if case .text(let text) = self, text.utf8.contains(0) { return .null }
    return self
  }
}

/// The values of parameters as the server takes them.
struct ParameterBytes {
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

/// The rows that a statement has yielded.
@safe final class PostgreSQLRows {
  private let result: OpaquePointer?
  let names: [String]
  private let types: [UInt32]
  let count: Int32

  init(_ result: OpaquePointer?) {
    unsafe self.result = result
    guard let result = unsafe result else {
      (names, types, count) = ([], [], 0)
      return
    }
    count = unsafe cpostgres_row_count(result)
    // A statement without a row needs no names.
    let columns = count > 0 ? unsafe cpostgres_column_count(result) : 0
    names = (0..<columns).map { column in
      unsafe cpostgres_column_name(result, column).map { unsafe String(cString: $0) } ?? ""
    }
    types = (0..<columns).map { unsafe cpostgres_column_type(result, $0) }
  }

  deinit {
    if let result = unsafe result { unsafe cpostgres_clear(result) }
  }

  var isSuccess: Bool { unsafe cpostgres_succeeded(result) }
  var state: String? {
    unsafe cpostgres_state(result).map { unsafe String(cString: $0) }
  }
  var reason: String? {
    unsafe cpostgres_reason(result).map { unsafe String(cString: $0) }
  }

  var command: String {
    guard let result = unsafe result else { return "" }
    return unsafe cpostgres_command(result).map { unsafe String(cString: $0) } ?? ""
  }

  /// How many rows were inserted, changed and removed.
  var changed: Int {
    guard let result = unsafe result,
      ["INSERT", "UPDATE", "DELETE"].contains(where: command.hasPrefix)
    else { return 0 }
    return unsafe cpostgres_changed(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
  }

  var parameterTypes: [UInt32] {
    guard let result = unsafe result else { return [] }
    let count = unsafe cpostgres_parameter_count(result)
    return (0..<count).map {
      unsafe cpostgres_parameter_type(result, $0)
    }
  }

  /// The cells of a row that came as text.
  func texts(_ line: Int32) -> [String] {
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
