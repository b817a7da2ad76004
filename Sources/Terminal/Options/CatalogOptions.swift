package import ArgumentParser
package import DeviceCatalog
import Foundation
import Localization
import Synchronization

/// The flag for the folder of device definitions.
package struct CatalogOptions: ParsableArguments {
  @Option(
    name: .customLong("devices"),
    help: ArgumentHelp("Read device definitions from this folder instead.", valueName: "folder"))
  package var folder: String?

  package init() {}
}

extension DeviceCatalog {
  /// The definitions of this machine, or those of the folder in `options`, without those that cannot
  /// be read: these are named on stderr, and the command goes on as the service does.
  ///
  /// - Throws: ``CommandFailure`` if there is no folder to read, or nothing in it that can be read.
  package static func load(_ options: CatalogOptions) throws -> DeviceCatalog {
    let (catalog, faults, _) = try readable(folder: options.folder)
    guard !catalog.definitions.isEmpty || faults.isEmpty else {
      throw CommandFailure(.failed, .verbatim(faults.joined(separator: "\n")))
    }
    for fault in faults {
      Console.error(LocalizedText("command.definitions.leftOut", ["fault": "\(fault)"]).message)
    }
    return catalog
  }

  /// The definitions of this machine, or those of `folder`, without those that cannot be read.
  ///
  /// - Returns: The definitions, what is wrong with the others, with file and line, and the files that
  ///   could be read as text.
  /// - Throws: ``CommandFailure`` if there is no folder to read.
  package static func readable(
    folder: String?
  ) throws -> (catalog: DeviceCatalog, faults: [String], files: [[DefinitionFile]]) {
    var faults: [String] = []
    var layers: [[DefinitionFile]] = []
    for folder in try folders(folder) {
      var layer: [DefinitionFile] = []
      do {
        for (name, file) in try DefinitionFile.contents(of: URL(fileURLWithPath: folder)) {
          do { layer.append(try file.get()) } catch {
            faults.append("\(name): \(Message.of(error))")
          }
        }
      } catch {
        faults.append("\(folder): \(Message.of(error))")
      }
      layers.append(layer)
    }
    let (catalog, findings) = parsed(layers)
    return (catalog, faults + findings, layers)
  }

  /// The catalogue of these files.
  ///
  /// It parses them only if they differ from those of the last call, since a daemon reads the same ones
  /// for each plan that a client sends.
  ///
  /// - Returns: The definitions, and what is wrong with the others.
  private static func parsed(
    _ layers: [[DefinitionFile]]
  ) -> (catalog: DeviceCatalog, findings: [String]) {
    if let last = lastRead.withLock({ $0 }), last.layers == layers {
      return (last.catalog, last.findings)
    }
    let (catalog, findings) = read(layers)
    let new = LastRead(
      layers: layers, catalog: catalog, findings: findings.map(\.description))
    lastRead.withLock { $0 = new }
    return (new.catalog, new.findings)
  }

  /// The files that were read last, with their catalogue.
  private struct LastRead {
    var layers: [[DefinitionFile]]
    var catalog: DeviceCatalog
    var findings: [String]
  }

  private static let lastRead = Mutex<LastRead?>(nil)

  /// The definition files: first the program's own, then the ones added on this machine.
  package static func layers(folder: String?) throws -> [[DefinitionFile]] {
    do {
      return try folders(folder).map { try DefinitionFile.files(in: URL(fileURLWithPath: $0)) }
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure(
        .failed,
        LocalizedText(
          "command.definitions.unreadable", ["reason": .init(error.localizedDescription)]))
    }
  }

  /// The folders that are looked into without a folder by name.
  static var knownFolders: [String] { (try? folders(nil)) ?? [] }

  /// The folders of the definitions: the program's own and this machine's, or `folder` alone.
  private static func folders(_ folder: String?) throws(CommandFailure) -> [String] {
    guard let folder else {
      let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
      let known = DefinitionFolders(
        executable: executable, fileExists: FileManager.default.fileExists(atPath:))
      guard let builtIn = known.builtIn else {
        throw CommandFailure(.failed, "command.definitions.missing")
      }
      return [builtIn, known.added]
    }
    guard FileManager.default.fileExists(atPath: folder) else {
      throw CommandFailure(
        .failed, LocalizedText("command.file.noFolder", ["path": "\(folder)"]))
    }
    return [folder]
  }
}

/// The folders with device definitions.
struct DefinitionFolders {
  /// The program's own.
  var builtIn: String?
  /// The ones added on this machine; they replace a built-in definition of the same id.
  var added: String = "/etc/measured/devices.d"

  /// Finds the folders of the program at `executable`: `../share/measured/devices` of an installed
  /// program, else `Devices` in the package around the build folder.
  init(executable: String, fileExists: (String) -> Bool) {
    let folder = (executable as NSString).deletingLastPathComponent
    let installed = (folder as NSString).deletingLastPathComponent + "/share/measured/devices"
    if fileExists(installed) {
      builtIn = installed
      return
    }
    var ancestor = folder
    while ancestor.count > 1 {
      if fileExists(ancestor + "/Devices/xiaomi-mi-scale-2.yaml") {
        builtIn = ancestor + "/Devices"
        return
      }
      ancestor = (ancestor as NSString).deletingLastPathComponent
    }
  }
}
