import ArgumentParser
import Care
import Foundation
import Interchange
import Localization
import Plans
import Terminal

/// The flags of a command that reads what another system wrote.
struct FHIROptions: ParsableArguments {
  @Option(help: "Of FHIR: a file with codes, ids and names of the other system (docs/fhir.md).")
  var mapping: String?

  @Option(help: "Of FHIR: whose it is, by the store's id, whatever it says.")
  var patient: String?

  @Option(help: "Of FHIR: the day on which schedules begin that do not say it.")
  var start: String?

  /// The options with the mapping of an outlet, if they name none.
  func of(_ outlet: OutletSettings?) -> FHIROptions {
    var options = self
    options.mapping = mapping ?? outlet?.mapping
    return options
  }
}

/// A plan that another system wrote as FHIR.
struct FHIRFile {
  /// The plan.
  var plan: PlanDocument
  /// The elements that only describe and were left out, a line each.
  var notices: [String]

  /// Whether a file is a resource of FHIR, not a plan in JSON.
  static func isResource(_ text: String) -> Bool {
    guard text.first(where: { !$0.isWhitespace }) == "{",
      let value = try? FHIRJSON.value(of: Data(text.utf8))
    else { return false }
    return value.object?["resourceType"] != nil
  }

  /// Reads a resource or Bundle of DSTU2 or R4.
  ///
  /// - Parameters:
  ///   - text: The file's text.
  ///   - options: What the person adds.
  ///   - zone: The zone of times that say none.
  /// - Throws: `FHIRRefusal` with the path of the element, and ``CommandFailure`` for the options.
  init(_ text: String, options: FHIROptions, zone: TimeZone) throws {
    let value = try FHIRJSON.value(of: Data(text.utf8))
    var coder = FHIRCoder(
      FHIRRelease(of: value), timeZone: zone, patient: options.patient)
    if let start = options.start {
      guard let date = Date(start, in: zone) else {
        throw CommandFailure(.failed, LocalizedText("fhir.noDate", ["text": "\(start)"]))
      }
      coder.start = date
    }
    if let mapping = options.mapping { coder.mapping = try FHIRMapping(file: mapping) }
    let reading = try coder.plan(value)
    plan = reading.value
    notices = reading.omitted.map { LocalizedText("fhir.omitted", ["path": "\($0)"]).message }
    if !text.contains(FHIRName.zone) {
      notices.append(LocalizedText("fhir.zone", ["zone": "\(zone.identifier)"]).message)
    }
  }
}
