import Care
import Foundation
import GRDB

/// What a column holds that this program does not understand.
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

  /// A value of a column that must hold one.
  func required<T: DatabaseValueConvertible>(_ column: String) throws -> T {
    guard let value = T.fromDatabaseValue(databaseValue(column)) else {
      throw ColumnError(column: column, content: databaseValue(column).description)
    }
    return value
  }

  /// A value of a column that may be empty.
  func optional<T: DatabaseValueConvertible>(_ column: String) throws -> T? {
    databaseValue(column).isNull ? nil : try required(column)
  }

  /// What `parse` makes of a column's text.
  func parsed<T>(_ column: String, _ parse: (String) -> T?) throws -> T {
    let text: String = try required(column)
    guard let value = parse(text) else { throw ColumnError(column: column, content: text) }
    return value
  }

  /// What `parse` makes of a column's text, where there is any.
  func optionalParsed<T>(_ column: String, _ parse: (String) -> T?) throws -> T? {
    databaseValue(column).isNull ? nil : try parsed(column, parse)
  }

  private func databaseValue(_ column: String) -> DatabaseValue {
    self[column] ?? .null
  }
}
