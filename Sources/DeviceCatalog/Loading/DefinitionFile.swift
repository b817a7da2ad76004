public import Foundation

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
