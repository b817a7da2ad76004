import Assessments
import Care
import DeviceCatalog
import Foundation
import Glibc
import Localization
import Pages
import Plans
import StrictYAML
import Traces

/// A text file that a person wrote.
enum TextFile {
  /// Its text; `-` is standard input.
  ///
  /// - Throws: `TraceError` if it cannot be read, ``CommandFailure`` if it is too large for a plan or
  ///   not UTF-8.
  static func read(_ path: String) throws -> String {
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
    func mode(_ path: String) -> mode_t {
      var status = stat()
      return unsafe stat(path, &status) == 0 ? status.st_mode : 0
    }
    guard mode(path) & S_IROTH != 0 else { return false }
    var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    while folder.count > 1 {
      guard mode(folder) & S_IXOTH != 0 else { return false }
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
  static func load(_ path: String, definitions: DefinitionIndex? = nil) throws -> PlanDocument {
    try plan(
      in: TextFile.read(path), file: path, definitions: definitions, files: .beside(path))
  }

  /// The plan in the text of a file.
  ///
  /// - Throws: As ``load(_:definitions:)`` does.
  static func plan(
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

  /// The plan in a file, whose devices have definitions of this machine, or of `folder`.
  static func load(_ path: String, devices folder: String?) throws -> PlanDocument {
    try load(path, definitions: DefinitionIndex.load(folder: folder))
  }

  /// The plan in a file, and what of it is valid and probably not meant: a line each with the file's
  /// name and the line.
  ///
  /// - Parameters:
  ///   - path: The file; `-` is standard input.
  ///   - folder: The folder of the device definitions; `nil` for those of this machine.
  ///   - fhir: What the person adds to a resource of FHIR.
  ///   - zone: The zone of times of FHIR that say none.
  ///   - now: The current time.
  /// - Returns: The plan and the lines; of FHIR also what was left out.
  /// - Throws: ``CommandFailure`` with all mistakes and doubts, a line each; `FHIRRefusal`.
  static func check(
    _ path: String, devices folder: String?, fhir: FHIROptions? = nil,
    zone: TimeZone = Console.timeZone, now: Date
  ) throws -> (plan: PlanDocument, doubts: [String]) {
    var (text, name, notices) = (try TextFile.read(path), path, [String]())
    if let fhir, FHIRFile.isResource(text) {
      let file = try FHIRFile(text, options: fhir, zone: zone)
      // It has to obey every rule of a plan's file, whoever wrote it.
      (text, name, notices) = (encode(file.plan), path + " (as a plan)", file.notices)
    }
    let check = check(
      text, file: name,
      in: PlanSurroundings(
        activeTasks: AssessmentList.forms, definitions: try DefinitionIndex.load(folder: folder),
        files: .beside(path), languages: try Site.once().languages.map(\.code), now: now))
    let doubts = check.doubts.map { doubt in
      LocalizedText(
        "command.plan.doubt",
        [
          "place": "\(doubt.file):\(doubt.line)", "reason": "\(doubt.reason)",
        ]
      ).message
    }
    guard let plan = check.plan else {
      throw CommandFailure(
        .failed,
        .verbatim((check.mistakes.map(\.description) + doubts).joined(separator: "\n")))
    }
    return (plan, notices + doubts)
  }
}

extension PlanFiles {
  /// The files in the folder of a plan; of standard input those of the current one.
  static func beside(_ plan: String) -> PlanFiles {
    let folder = plan == "-" ? "" : (plan as NSString).deletingLastPathComponent
    return PlanFiles { path in
      let full = path.hasPrefix("/") ? path : (folder as NSString).appendingPathComponent(path)
      do {
        return .success(try TextFile.read(full))
      } catch {
        return .failure(Failure(reason: CommandFailure(error).message))
      }
    }
  }
}

extension DefinitionIndex {
  /// The definitions of this machine, or those of `folder`; those that cannot be read are left out.
  ///
  /// - Returns: The definitions; `nil` if this machine has none, so that any is taken.
  /// - Throws: ``CommandFailure`` if `folder` is given and is none.
  static func load(folder: String?) throws -> DefinitionIndex? {
    guard let folder else {
      guard let catalog = try? DeviceCatalog.readable(folder: nil).catalog else { return nil }
      return DefinitionIndex(catalog, folders: DeviceCatalog.knownFolders)
    }
    return DefinitionIndex(try DeviceCatalog.readable(folder: folder).catalog, folders: [folder])
  }

  /// The definitions of a catalogue, which were read from these folders.
  init(_ catalog: DeviceCatalog, folders: [String] = []) {
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
  func exposure(in file: String) -> String? {
    let hasSecrets = devices.contains { $0.key != nil || $0.consentCode != nil }
    guard hasSecrets, file != "-", TextFile.isReadableByOthers(file) else { return nil }
    return LocalizedText("command.plan.exposed", ["file": "\(file)"]).message
  }
}

extension ScheduleFile {
  /// The schedule in a file.
  static func load(_ path: String) throws -> Document {
    let text = try TextFile.read(path)
    do {
      return try parse(text, file: path)
    } catch {
      throw CommandFailure(.failed, .verbatim(String(describing: error)))
    }
  }
}
