import Care
import Foundation
import GRDB

/// One transaction of a ``SQLStore``, which its body reads and writes with.
///
/// Statements are compiled once for each connection and reused.
struct SQLTransaction: StoreWriter {
  let db: Database
  /// The store's path or name, for errors.
  let place: String
  let makeUUID: () -> UUID

  /// Runs `body`, and turns any error into a `StoreError`.
  func reading<T>(_ body: () throws -> T) throws(StoreError) -> T {
    do {
      return try body()
    } catch {
      throw StoreError(error, in: place)
    }
  }

  /// Runs `body`; if it throws, nothing of it stays, even if its caller goes on.
  func changing<T>(_ body: () throws -> T) throws(StoreError) -> T {
    try reading { try db.undoing(body) }
  }

  /// The rows that `sql` yields, each read in place, without a copy.
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

  /// Executes a statement.
  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try db.cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// Refuses text that SQLite would truncate silently.
  func requireStorable(_ texts: String?...) throws(StoreError) {
    for case .some(let text) in texts where text.utf8.contains(0) {
      throw .refused(.zeroCharacter(text))
    }
  }
}

extension Database {
  /// Runs `body` in a transaction of its own that writes from the start.
  func writing<T>(_ body: () throws -> T) throws -> T {
    var result: T?
    try inTransaction(.immediate) {
      result = try body()
      return .commit
    }
    return try result.orAborted
  }

  /// Runs `body` inside the current transaction, and undoes its changes if it throws.
  fileprivate func undoing<T>(_ body: () throws -> T) throws -> T {
    var result: T?
    try inSavepoint {
      result = try body()
      return .commit
    }
    return try result.orAborted
  }
}

extension Optional {
  /// The result of a transaction that ended.
  fileprivate var orAborted: Wrapped {
    get throws {
      guard let self else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      return self
    }
  }
}

// MARK: - Errors

extension StoreError {
  /// The store's error for any error that occurred in the store at a path, or of that name.
  init(_ error: any Error, in place: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as ScheduleError: self = .refused(.schedule(error))
    case let error as SystemFailure: self = .failed(.system(errno: error.code), store: place)
    case let error as DatabaseError: self = .failed(Failure(error), store: place)
    default: self = .failed(.unreadable(String(describing: error)), store: place)
    }
  }
}

extension StoreError.Failure {
  fileprivate init(_ error: DatabaseError) {
    switch error.resultCode {
    case .SQLITE_FULL: self = .diskFull
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
    case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly
    case .SQLITE_CANTOPEN: self = .cannotOpen
    case .SQLITE_MISUSE: self = .closed
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(error.message)
    case .SQLITE_IOERR: self = .diskError(error.message)
    default: self = .statement(code: error.resultCode.rawValue, error.message)
    }
  }
}
