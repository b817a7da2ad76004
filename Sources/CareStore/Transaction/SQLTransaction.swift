import Care
import Foundation
import GRDB

/// One transaction of a ``SQLStore``: what a body is handed to read and write with.
///
/// Statements are compiled once a connection and used again.
struct SQLTransaction {
  let db: Database
  let place: String
  let makeUUID: () -> UUID

  /// Runs `body`, and turns whatever it throws into a ``StoreError``.
  func reading<T>(_ body: () throws -> T) throws(StoreError) -> T {
    do {
      return try body()
    } catch {
      throw StoreError(error, in: place)
    }
  }

  /// Runs `body` so that nothing of it stays where it throws, even if its caller goes on.
  func changing<T>(_ body: () throws -> T) throws(StoreError) -> T {
    try reading { try db.undoing(body) }
  }

  /// The rows that `sql` yields, each read as it passes, without a copy of it.
  func rows<T>(
    _ sql: String, _ arguments: StatementArguments = [], read: (Row) throws -> T
  ) throws -> [T] {
    var result: [T] = []
    let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
    while let row = try cursor.next() { result.append(try read(row)) }
    return result
  }

  /// The first row that `sql` yields.
  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
    try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }

  /// Carries out a statement.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// Refuses text that SQLite would cut short without a word.
  func requireStorable(_ texts: String?...) throws(StoreError) {
    for case .some(let text) in texts where text.utf8.contains(0) {
      throw .refused(
        "The text ‘\(text.replacing("\0", with: "␀"))’ has a zero character in it, which no store "
          + "can keep. Leave it out.")
    }
  }
}
