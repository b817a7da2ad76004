/// A defect of a file with its location.
///
/// `description` reads like a compiler's diagnostic:
/// `plan.yaml:7: unknown key ‘intervall’ (did you mean ‘interval’?)`.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's name as the caller gave it.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, in Unicode scalars from 1.
  package var column: Int
  /// The reason.
  package var reason: String

  /// Makes an error.
  package init(file: String, line: Int, column: Int, reason: String) {
    self.file = file
    self.line = line
    self.column = column
    self.reason = reason
  }

  package var description: String { "\(file):\(line): \(reason)" }
}

/// A position in a file.
package struct YAMLLocation: Hashable, Sendable {
  /// The file's name as the caller gave it.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, in Unicode scalars from 1.
  package var column: Int

  /// Makes a location.
  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// An error at this location.
  package func error(_ reason: String) -> YAMLError {
    YAMLError(file: file, line: line, column: column, reason: reason)
  }
}
