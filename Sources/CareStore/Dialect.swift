import Foundation
import Synchronization

// The words that differ between the two engines, once.

/// A type of columns.
enum ColumnType {
  /// 64 bits.
  case integer
  /// 64 bits of IEEE 754.
  case real
  /// Ordered by its bytes.
  case text
  case blob
  /// A value of any of the others.
  case any
  /// The row's number; the engine gives the next one where none is given.
  case number
}

/// The phrases that every engine writes in its own way: as SQLite has them, and how they become
/// PostgreSQL's.
///
/// A statement is translated once for each connection, when it is prepared.
enum Dialect {
  /// The name of a type in a table's description.
  static func name(_ type: ColumnType) -> String {
    switch type {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .any: "ANY"
    case .number: "INTEGER PRIMARY KEY"
    }
  }

  /// The name of a type in PostgreSQL: its `INTEGER` and `REAL` have 32 bits, and its texts are ordered by
  /// a language unless they are told otherwise.
  private static func postgreSQLName(_ type: ColumnType) -> String {
    switch type {
    case .integer: "BIGINT"
    case .real: "DOUBLE PRECISION"
    case .text: #"TEXT COLLATE "C""#
    case .blob: "BYTEA"
    // A mark says which type the rest of the text has: no other column is of this type.
    case .any: #"VARCHAR COLLATE "C""#
    case .number: "BIGINT PRIMARY KEY"
    }
  }

  /// The statements that make a table of PostgreSQL.
  static func postgreSQL(_ table: Table) -> [String] {
    let columns = table.columns.map { column in
      [column.name, postgreSQLName(column.type), translated(column.constraints)]
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
    let lines = columns + table.constraints.map(translated)
    return ["CREATE TABLE \(table.name) (\(lines.joined(separator: ", ")))"]
      + table.indexes.map(translated)
  }

  /// The columns of a table's key, which are never NULL.
  private static func keys(of table: Table) -> [String] {
    let start = "PRIMARY KEY ("
    return table.constraints.filter { $0.hasPrefix(start) }
      .flatMap { $0.dropFirst(start.count).dropLast().components(separatedBy: ", ") }
  }

  /// The columns of a table as PostgreSQL's catalogue has them.
  static func postgreSQLColumns(_ table: Table) -> String {
    table.columns.map { column in
      let type =
        switch column.type {
        case .integer, .number: "bigint"
        case .real: "double precision"
        case .text: "text"
        case .blob: "bytea"
        case .any: "character varying"
        }
      let isRequired =
        column.constraints.hasPrefix("NOT NULL") || column.constraints.contains("PRIMARY KEY")
        || column.type == .number || keys(of: table).contains(column.name)
      return "\(column.name) \(type)\(isRequired ? " required" : "")"
    }.joined(separator: ", ")
  }

  /// The statement that makes a table; long rows stand apart from their key.
  static func create(_ table: String, _ lines: [String], isApartFromKey: Bool) -> String {
    let options = isApartFromKey ? "STRICT" : "STRICT, WITHOUT ROWID"
    return "CREATE TABLE \(table) (\n  \(lines.joined(separator: ",\n  "))\n) \(options)"
  }

  /// Of a column whose texts are the same in any spelling.
  static let anySpelling = "COLLATE NOCASE"

  /// Whether a column has a value, which may be NULL.
  static func isSame(_ column: String, _ value: String = "?") -> String {
    "\(column) IS \(value)"
  }

  /// Whether two columns differ, which may be NULL.
  static func isOther(_ column: String, _ other: String) -> String { "\(column) IS NOT \(other)" }

  /// Whether a column has a text, in any spelling.
  static func isSpelt(_ column: String) -> String { "\(column) = ? COLLATE NOCASE" }

  /// Whether a column has JSON.
  static func isJSON(_ column: String) -> String { "json_valid(\(column))" }

  /// Whether a member of a column's JSON is not true.
  static func isNotTrue(_ column: String, _ member: String) -> String {
    "json_extract(\(column), '$.\(member)') IS NOT 1"
  }

  /// A column's JSON with another value of a member.
  static func setting(_ column: String, _ member: String, _ value: String) -> String {
    "json_set(\(column), '$.\(member)', \(value))"
  }

  /// A column's JSON without a member.
  static func removing(_ column: String, _ member: String) -> String {
    "json_remove(\(column), '$.\(member)')"
  }

  /// The lesser of two values.
  static func lesser(_ a: String, _ b: String) -> String { "min(\(a), \(b))" }

  /// The greater of two values.
  static func greater(_ a: String, _ b: String) -> String { "max(\(a), \(b))" }

  /// The texts of the rows, with commas between them.
  static func list(_ column: String) -> String { "group_concat(\(column))" }

  /// A query of the texts that a parameter's JSON lists, as `value`.
  static func members(_ parameter: String) -> String { "SELECT value FROM json_each(\(parameter))" }

  /// The bytes that a column of any type holds.
  static func bytes(_ column: String) -> String { "CAST(\(column) AS BLOB)" }

  /// The bytes of a column, as hex digits.
  static func hex(_ column: String) -> String { "lower(hex(\(column)))" }

  // MARK: - PostgreSQL's

  /// The tables whose rows have a number.
  private static let numbered = Set(Schema.tables.filter(\.isNumbered).map(\.name))

  /// The translations so far, of all connections; a program has a few hundred statements.
  private static let known = Mutex<[String: String]>([:])
  private static let mostKnown = 2000

  /// A statement in PostgreSQL's words, but for its parameters.
  static func translated(_ sql: String) -> String {
    if let text = known.withLock({ $0[sql] }) { return text }
    let text = translation(of: sql)
    known.withLock { known in
      if known.count >= mostKnown { known = [:] }
      known[sql] = text
    }
    return text
  }

  private static func translation(of sql: String) -> String {
    var text = sql
    replaceCalls("json_valid", 1, in: &text) { "((\($0[0]))::json IS NOT NULL)" }
    replaceCalls("json_extract", 2, in: &text) { "(\($0[0]))::jsonb -> \(member($0[1]))" }
    text = text.replacing(/(\(\w+\)::jsonb -> '\w+') IS NOT 1/) {
      "\($0.1) IS DISTINCT FROM 'true'::jsonb"
    }
    replaceCalls("json_set", 3, in: &text) { parts in
      "((\(parts[0]))::jsonb || jsonb_build_object(\(member(parts[1])), (\(parts[2]))::text))::text"
    }
    replaceCalls("json_remove", 2, in: &text) { "((\($0[0]))::jsonb - \(member($0[1])))::text" }
    replaceCalls("min", 2, in: &text) { "least(\($0[0]), \($0[1]))" }
    replaceCalls("max", 2, in: &text) { "greatest(\($0[0]), \($0[1]))" }
    replaceCalls("hex", 1, in: &text) { "encode(\($0[0]), 'hex')" }
    replaceCalls("group_concat", 1, in: &text) { "string_agg(\($0[0]), ',' ORDER BY \($0[0]))" }
    text = text.replacing(/SELECT value FROM json_each\((\?\d*)\)/) {
      "SELECT json_array_elements_text(\($0.1)::json) AS value"
    }
    text = text.replacing(/CAST\((\w+) AS BLOB\)/) { "decode(substr(\($0.1), 2), 'hex')" }
    text = text.replacing(/(\w+) = \? COLLATE NOCASE/) {
      #"lower(\#($0.1)) = lower(?::text COLLATE "C")"#
    }
    text = text.replacing(" COLLATE NOCASE", with: "")
    text = text.replacing(/\bIS NOT (?!NULL|DISTINCT)/, with: "IS DISTINCT FROM ")
    // An index takes a most length only, which a frame or a name may exceed.
    text = text.replacing(
      "(series, time, ordinal, raw, identity)",
      with: "(series, time, ordinal, sha256(raw), md5(identity))")
    text = text.replacing(/(CREATE INDEX \w+ ON \w+) \((identity|corrects)\)/) {
      "\($0.1) USING hash (\($0.2))"
    }
    // An expression of an index.
    text = text.replacing(/, (\w+ - \w+)\)/) { ", (\($0.1)))" }
    return numbering(text)
  }

  /// The member that a path of JSON names: `'$.name'` is `'name'`.
  private static func member(_ path: String) -> String { path.replacing("$.", with: "") }

  /// Replaces the calls of a function with so many arguments.
  private static func replaceCalls(
    _ name: String, _ count: Int, in text: inout String, by other: ([String]) -> String
  ) {
    var rest = text.startIndex
    while let found = text[rest...].firstRange(of: name + "(") {
      rest = found.upperBound
      if found.lowerBound > text.startIndex {
        let before = text[text.index(before: found.lowerBound)]
        guard !before.isLetter, !before.isNumber, before != "_" else { continue }
      }
      var (parts, depth, isQuoted) = ([""], 1, false)
      var end = found.upperBound
      while end < text.endIndex, depth > 0 {
        let character = text[end]
        end = text.index(after: end)
        if character == "'" { isQuoted.toggle() }
        if !isQuoted {
          if character == "(" { depth += 1 }
          if character == ")" { depth -= 1 }
          if character == ",", depth == 1 {
            parts.append("")
            continue
          }
        }
        if depth > 0 { parts[parts.count - 1].append(character) }
      }
      guard depth == 0, parts.count == count else { continue }
      let replacement = other(parts.map { $0.trimmingCharacters(in: .whitespaces) })
      let offset = text.distance(from: text.startIndex, to: found.lowerBound) + replacement.count
      text.replaceSubrange(found.lowerBound..<end, with: replacement)
      rest = text.index(text.startIndex, offsetBy: offset)
    }
  }

  /// A statement that stores a row of a numbered table gives the number after the last one where it gives
  /// none, as SQLite does by itself, and says it.
  private static func numbering(_ sql: String) -> String {
    guard
      let match = sql.firstMatch(of: /^\s*INSERT INTO (\w+) \((\w+)([^)]*)\)\s*VALUES \(/),
      numbered.contains(String(match.1))
    else { return sql }
    let next = "(SELECT coalesce(max(number), 0) + 1 FROM \(match.1))"
    let rest = sql[match.range.upperBound...]
    let end = sql.contains("ON CONFLICT") ? "" : " RETURNING number"
    let start = "INSERT INTO \(match.1) ("
    if match.2 == "number" {
      // A given number stays.
      guard rest.hasPrefix("?") else { return sql + end }
      return "\(start)\(match.2)\(match.3)) VALUES (coalesce(?, \(next))\(rest.dropFirst())\(end)"
    }
    return "\(start)number, \(match.2)\(match.3)) VALUES (\(next), \(rest)\(end)"
  }
}
