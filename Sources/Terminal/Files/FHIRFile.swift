package import Care
package import Foundation
package import Interchange
import Localization
import Plans

/// The additions of a person to a resource of FHIR.
package struct FHIRAdditions: Sendable {
  /// The other side's codes, ids and names.
  package var names: FHIRMapping
  /// Whose it is, whatever it says.
  package var patient: String?
  /// The day on which schedules begin that do not say it.
  package var start: String?

  package init(names: FHIRMapping, patient: String? = nil, start: String? = nil) {
    (self.names, self.patient, self.start) = (names, patient, start)
  }
}

/// A plan that another system wrote as FHIR.
package struct FHIRFile {
  /// The plan.
  package var plan: PlanDocument
  /// The elements that only describe and were left out, a line each.
  package var notices: [String]

  /// Whether a file is a resource of FHIR, not a plan in JSON.
  package static func isResource(_ text: String) -> Bool {
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
  package init(_ text: String, as options: FHIRAdditions, zone: TimeZone) throws {
    let value = try FHIRJSON.value(of: Data(text.utf8))
    var coder = FHIRCoder(
      FHIRRelease(of: value), timeZone: zone, patient: options.patient)
    if let start = options.start {
      guard let date = Date(start, in: zone) else {
        throw CommandFailure(.failed, LocalizedText("fhir.noDate", ["text": "\(start)"]))
      }
      coder.start = date
    }
    coder.mapping = options.names
    let reading = try coder.plan(value)
    plan = reading.value
    notices = reading.omitted.map { LocalizedText("fhir.omitted", ["path": "\($0)"]).message }
    if !text.contains(FHIRName.zone) {
      notices.append(LocalizedText("fhir.zone", ["zone": "\(zone.identifier)"]).message)
    }
  }
}
