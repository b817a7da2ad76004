public import Foundation
import StrictYAML

/// A definition file, read but not yet understood.
public struct DefinitionFile: Hashable, Sendable {
  /// The name that findings give: `Devices/ruuvitag.yaml`.
  public var name: String
  /// The YAML.
  public var text: String

  /// Makes a file of text.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// The files of a directory that end in `.yaml` or `.yml`, by name; none where there is no such
  /// directory, since `/etc/measured/devices.d` need not exist.
  ///
  /// - Throws: What the file system answers for a file that cannot be read.
  public static func files(in directory: URL) throws -> [DefinitionFile] {
    let manager = FileManager.default
    guard manager.fileExists(atPath: directory.path) else { return [] }
    return try manager.contentsOfDirectory(atPath: directory.path).sorted()
      .filter { !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
      .map { name in
        let url = directory.appending(path: name)
        return DefinitionFile(
          name: "\(directory.lastPathComponent)/\(name)",
          text: try String(contentsOf: url, encoding: .utf8))
      }
  }
}

// MARK: - Findings

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
