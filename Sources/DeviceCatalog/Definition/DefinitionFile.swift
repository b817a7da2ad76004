public import Foundation
import StrictYAML

/// The text of a definition file.
public struct DefinitionFile: Hashable, Sendable {
  /// The file's name for findings: `Devices/ruuvitag.yaml`.
  public var name: String
  /// The YAML.
  public var text: String

  /// Makes a file.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// The files of a directory that end in `.yaml` or `.yml`, by name; none if the directory does
  /// not exist, as `/etc/measured/devices.d` on most machines.
  ///
  /// - Throws: The file system's error for a file that cannot be read.
  public static func files(in directory: URL) throws -> [DefinitionFile] {
    try contents(of: directory).map { try $0.file.get() }
  }

  /// Reads the files of a directory as ``files(in:)`` does, each with its name or with why it cannot
  /// be read, for a daemon that must not stop for one file.
  ///
  /// - Throws: The file system's error for a directory that cannot be listed.
  package static func contents(
    of directory: URL
  ) throws -> [(name: String, file: Result<DefinitionFile, any Error>)] {
    let manager = FileManager.default
    guard manager.fileExists(atPath: directory.path) else { return [] }
    return try manager.contentsOfDirectory(atPath: directory.path).sorted()
      .filter { !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
      .map { file in
        let name = "\(directory.lastPathComponent)/\(file)"
        let url = directory.appending(path: file)
        return (
          name,
          Result { DefinitionFile(name: name, text: try String(contentsOf: url, encoding: .utf8)) }
        )
      }
  }
}

// MARK: - Findings

/// A defect of a definition with its location.
public struct DefinitionFinding: Hashable, Sendable, CustomStringConvertible {
  /// The file's name as the caller gave it.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// The reason, like a compiler's diagnostic.
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

/// The defects of the definitions that could not be read.
public struct CatalogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The findings by file.
  public let findings: [DefinitionFinding]

  /// One line each.
  public var description: String {
    findings.map(\.description).joined(separator: "\n")
  }
}
