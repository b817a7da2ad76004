import Assessments
package import Care
package import CareStore
package import DeviceCatalog
import Foundation
import Localization
package import Plans
import StrictYAML
import Traces

/// A text file that a person wrote.
package enum TextFile {
  /// Its text; `-` is standard input.
  ///
  /// - Throws: `TraceError` if it cannot be read, ``CommandFailure`` if it is too large for a plan or
  ///   not UTF-8.
  package static func read(_ path: String) throws -> String {
    var file = try CommandFiles.stream(path)
    var data = Data()
    while data.count <= limit {
      let block = try file.read(upTo: limit + 1 - data.count)
      guard !block.isEmpty else { break }
      data += block
    }
    guard data.count <= limit else {
      throw CommandFailure(
        .failed, LocalizedText("command.file.tooLarge", ["path": "\(path)"]))
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw CommandFailure(
        .failed, LocalizedText("command.file.notText", ["path": "\(path)"]))
    }
    return text
  }

  private static let limit = 1 << 20

  /// Whether other users than the owner and the group may read a file: it and every folder above
  /// it.
  static func isReadableByOthers(_ path: String) -> Bool {
    func permits(_ bit: Int, _ path: String) -> Bool {
      let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      return ((mode as? NSNumber)?.intValue ?? 0) & bit != 0
    }
    // Of a link, what it leads to counts.
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard permits(0o004, file.path) else { return false }
    var folder = file.deletingLastPathComponent().path
    while folder.count > 1 {
      guard permits(0o001, folder) else { return false }
      folder = (folder as NSString).deletingLastPathComponent
    }
    return true
  }
}

extension PlanFile {
  /// The plan in a file.
  ///
  /// - Parameters:
  ///   - path: The file; `-` is standard input.
  ///   - definitions: The device definitions; `nil` to take any.
  /// - Returns: The plan.
  /// - Throws: ``CommandFailure`` with all mistakes, a line each.
  package static func load(_ path: String, definitions: DefinitionIndex? = nil) throws
    -> PlanDocument
  {
    try plan(
      in: TextFile.read(path), file: path, definitions: definitions, files: .beside(path))
  }

  /// The plan in the text of a file.
  ///
  /// - Throws: As ``load(_:definitions:)`` does.
  package static func plan(
    in text: String, file: String, definitions: DefinitionIndex? = nil, files: PlanFiles? = nil
  ) throws(CommandFailure) -> PlanDocument {
    do {
      return try parse(
        text, file: file, activeTasks: AssessmentList.forms, definitions: definitions,
        files: files)
    } catch {
      let mistakes = mistakes(
        in: text, file: file, activeTasks: AssessmentList.forms, definitions: definitions,
        files: files)
      throw CommandFailure(
        .failed, .verbatim(mistakes.map(\.description).joined(separator: "\n")))
    }
  }

  /// The devices of a kit's file.
  ///
  /// - Throws: ``CommandFailure`` with the first mistake.
  package static func loadKit(_ path: String) throws -> [DeviceBinding] {
    do {
      return try kit(
        TextFile.read(path), file: path, definitions: try DefinitionIndex.load(folder: nil))
    } catch let mistake as YAMLError {
      throw CommandFailure(.failed, .verbatim(mistake.description))
    }
  }

  /// The plan in a file, whose devices have definitions of this machine, or of `folder`.
  package static func load(_ path: String, devices folder: String?) throws -> PlanDocument {
    try load(path, definitions: DefinitionIndex.load(folder: folder))
  }
}

extension PlanFiles {
  /// The files in the folder of a plan; of standard input those of the current one.
  package static func beside(_ plan: String) -> PlanFiles {
    let folder = plan == "-" ? "" : (plan as NSString).deletingLastPathComponent
    @Sendable func found<T>(
      _ path: String, _ read: (String) throws -> T
    ) -> Result<T, Failure> {
      let full = path.hasPrefix("/") ? path : (folder as NSString).appendingPathComponent(path)
      do {
        return .success(try read(full))
      } catch {
        return .failure(Failure(reason: CommandFailure(error).message))
      }
    }
    return PlanFiles(
      read: { found($0, TextFile.read) },
      video: { name in
        found(name) { path in
          let draft = AttachmentDraft()
          try draft.append(fileAt: path)
          return PlanVideoFile(try draft.finished(), at: path)
        }
      })
  }
}

extension AttachmentDraft {
  /// Takes the bytes of a file, which are too many or of another kind as soon as that shows.
  fileprivate func append(fileAt path: String) throws {
    var file = try FileStream(path: path)
    while true {
      let block = try file.read(upTo: Attachment.partLength)
      guard !block.isEmpty else { return }
      try append(Array(block))
    }
  }
}

extension PlanDocument {
  /// The videos that are in files beside the plan, for a store that is to import it.
  ///
  /// - Throws: `TraceError` if a file cannot be read any longer, `StoreError.refused(_:)` if it is
  ///   another than before.
  package func videoFiles(for store: SQLStore) throws -> [AttachmentFile] {
    try videos.map { video in
      let draft = try AttachmentDraft(.video, isForPlan: true, for: store, id: UUID())
      try draft.append(fileAt: video.path)
      let file = try draft.finish()
      guard file.attachment == video.attachment else {
        throw StoreError.refused(.otherBytes(sha256: video.attachment.sha256))
      }
      return file
    }
  }
}

extension DefinitionIndex {
  /// The definitions of this machine, or those of `folder`; those that cannot be read are left out.
  ///
  /// - Returns: The definitions; `nil` if this machine has none, so that any is taken.
  /// - Throws: ``CommandFailure`` if `folder` is given and is none.
  package static func load(folder: String?) throws -> DefinitionIndex? {
    guard let folder else {
      guard let catalog = try? DeviceCatalog.readable(folder: nil).catalog else { return nil }
      return DefinitionIndex(catalog, folders: DeviceCatalog.knownFolders)
    }
    return DefinitionIndex(try DeviceCatalog.readable(folder: folder).catalog, folders: [folder])
  }

  /// The definitions of a catalogue, which were read from these folders.
  package init(_ catalog: DeviceCatalog, folders: [String] = []) {
    self.init(
      catalog.definitions.map { definition in
        Entry(
          id: definition.id, name: definition.name, quantities: Set(definition.quantities),
          needsKey: definition.needsKey, hasUsers: definition.hasUsers,
          streamsMotion: definition.streamsMotion)
      }, folders: folders)
  }
}

extension PlanDocument {
  /// The warning that every user of this machine may read the plan's secrets in `file`; `nil` if
  /// there are none, or the file is private.
  package func exposure(in file: String) -> String? {
    let hasSecrets = devices.contains { $0.key != nil || $0.consentCode != nil }
    guard hasSecrets, file != "-", TextFile.isReadableByOthers(file) else { return nil }
    return LocalizedText("command.plan.exposed", ["file": "\(file)"]).message
  }
}
