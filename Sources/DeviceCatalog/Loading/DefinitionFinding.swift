import StrictYAML

/// Something wrong with a definition: where and why.
public struct DefinitionFinding: Hashable, Sendable, CustomStringConvertible {
  /// The file's name, as it was given.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// What is wrong, for people.
  public let reason: String

  init(_ location: YAMLLocation, _ reason: String) {
    (file, line) = (location.file, location.line)
    self.reason = reason
  }

  init(_ error: YAMLError) {
    (file, line, reason) = (error.file, error.line, error.reason)
  }

  /// `xiaomi-mi-scale-2.yaml:17: unknown key ‘lenght’ (did you mean ‘length’?)`.
  public var description: String { "\(file):\(line): \(reason)" }
}

/// Definitions that cannot be read, all of them.
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with which file.
  public let findings: [DefinitionFinding]

  /// One line each.
  public var description: String {
    findings.map(\.description).joined(separator: "\n")
  }
}
