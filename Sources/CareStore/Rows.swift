import Care
import Foundation

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
