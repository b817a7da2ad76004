import Care
import Foundation
import GRDB

/// The content of a column that this program does not understand.
struct ColumnError: Error, CustomStringConvertible {
  let column: String
  let content: String

  var description: String { "‘\(content)’ in ‘\(column)’" }
}

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
  func required<T: DatabaseValueConvertible>(_ column: String) throws -> T {
    guard let value = T.fromDatabaseValue(databaseValue(column)) else {
      throw ColumnError(column: column, content: databaseValue(column).description)
    }
    return value
  }

  /// The value of a column that may be NULL.
  func optional<T: DatabaseValueConvertible>(_ column: String) throws -> T? {
    databaseValue(column).isNull ? nil : try required(column)
  }

  /// The value that `parse` reads from a column's text.
  func parsed<T>(_ column: String, _ parse: (String) -> T?) throws -> T {
    let text: String = try required(column)
    guard let value = parse(text) else { throw ColumnError(column: column, content: text) }
    return value
  }

  /// The value that `parse` reads from a column's text; `nil` for NULL.
  func optionalParsed<T>(_ column: String, _ parse: (String) -> T?) throws -> T? {
    databaseValue(column).isNull ? nil : try parsed(column, parse)
  }

  private func databaseValue(_ column: String) -> DatabaseValue {
    self[column] ?? .null
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
