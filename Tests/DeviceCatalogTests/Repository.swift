import DeviceCatalog
import Foundation

/// The definitions that this repository ships.
enum Repository {
  /// Their folder, relative to this file.
  static let devices = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Devices").standardizedFileURL

  /// The files.
  static func files() throws -> [DefinitionFile] {
    try DefinitionFile.files(in: devices)
  }

  /// The catalogue.
  static func catalog() throws -> DeviceCatalog { try loaded.get() }

  /// Read once for all tests.
  private static let loaded = Result { try DeviceCatalog.load([files()]) }

  /// The definition of that id.
  static func definition(_ id: String) throws -> DeviceDefinition {
    guard let definition = try catalog().definition(id) else {
      throw DecodeError.unknownDefinition(id)
    }
    return definition
  }
}
