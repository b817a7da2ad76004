import DeviceCatalog
import Foundation

extension DeviceCatalog {
  /// The definitions of this machine, or those of the folder that `options` names.
  static func load(_ options: CatalogOptions) throws -> DeviceCatalog {
    try load(folder: options.folder)
  }

  /// The definitions of this machine, or those of `folder`.
  static func load(folder: String?) throws -> DeviceCatalog {
    do {
      return try load(layers(folder: folder))
    } catch let error as CatalogError {
      throw CommandFailure(.failed, error.description)
    }
  }

  /// The definition files: what comes with the program, then what was added on this machine.
  static func layers(folder: String?) throws -> [[DefinitionFile]] {
    let folders: [String]
    if let folder {
      guard FileManager.default.fileExists(atPath: folder) else {
        throw CommandFailure(.failed, "there is no folder \(folder)")
      }
      folders = [folder]
    } else {
      let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
      let known = DefinitionFolders(
        executable: executable, fileExists: FileManager.default.fileExists(atPath:))
      guard let builtIn = known.builtIn else {
        throw CommandFailure(
          .failed,
          "the device definitions that belong to this program are missing; name their folder with"
            + " --devices")
      }
      folders = [builtIn, known.added]
    }
    do {
      return try folders.map { try DefinitionFile.files(in: URL(fileURLWithPath: $0)) }
    } catch {
      throw CommandFailure(.failed, "a definition cannot be read: \(error.localizedDescription)")
    }
  }
}
