import Assessments
import Care
import DeviceCatalog
import Foundation
import Localization
import Pages
import Plans
import StrictYAML
import Terminal

extension PlanFile {
  /// The plan in a file, and what of it is valid and probably not meant: a line each with the file's
  /// name and the line.
  ///
  /// - Parameters:
  ///   - text: Its text.
  ///   - path: The file; `-` is standard input.
  ///   - folder: The folder of the device definitions; `nil` for those of this machine.
  ///   - fhir: What the person adds to a resource of FHIR.
  ///   - zone: The zone of times of FHIR that say none.
  ///   - now: The current time.
  /// - Returns: The plan and the lines; of FHIR also what was left out.
  /// - Throws: ``CommandFailure`` with all mistakes and doubts, a line each; `FHIRRefusal`.
  static func check(
    _ text: String, of path: String, devices folder: String?, fhir: FHIRAdditions? = nil,
    zone: TimeZone = Console.timeZone, now: Date
  ) throws -> (plan: PlanDocument, doubts: [String]) {
    var (text, name, notices) = (text, path, [String]())
    if let fhir, FHIRFile.isResource(text) {
      let file = try FHIRFile(text, as: fhir, zone: zone)
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
