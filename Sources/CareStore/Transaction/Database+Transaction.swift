import GRDB

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

  /// Runs `body` inside the transaction there is, and undoes what it did where it throws.
  func undoing<T>(_ body: () throws -> T) throws -> T {
    var result: T?
    try inSavepoint {
      result = try body()
      return .commit
    }
    return try result.orAborted
  }
}

extension Optional {
  /// The result of a transaction that came to its end.
  fileprivate var orAborted: Wrapped {
    get throws {
      guard let self else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      return self
    }
  }
}
