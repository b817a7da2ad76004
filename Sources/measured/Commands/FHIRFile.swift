import ArgumentParser
import Care
import Foundation
import Interchange
import Localization
import Plans
import StrictYAML

/// The flags of a command that reads what another system wrote.
struct FHIROptions: ParsableArguments {
  @Option(help: "Of FHIR: a file with codes, ids and names of the other system (docs/fhir.md).")
  var mapping: String?

  @Option(help: "Of FHIR: whose it is, by the store's id, whatever it says.")
  var patient: String?

  @Option(help: "Of FHIR: the day on which schedules begin that do not say it.")
  var start: String?
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

extension FHIRMapping {
  /// The mapping in a file.
  ///
  /// - Throws: ``CommandFailure`` with file, line and reason.
  init(file: String) throws {
    let text = try TextFile.read(file)
    do throws(YAMLError) {
      try self.init(yaml: YAMLDocument.parse(text, file: file))
    } catch {
      throw CommandFailure(.failed, .verbatim(error.description))
    }
  }

  private init(yaml: YAMLNode) throws(YAMLError) {
    self.init()
    var root = try yaml.mapping()
    for pair in try root.optional("patients")?.pairs() ?? [] {
      patients[pair.key] = try pair.value.string()
    }
    for pair in try root.optional("codes")?.pairs() ?? [] {
      guard let quantity = Quantity(rawValue: pair.key) else {
        let known = Quantity.allNames
        throw pair.location.error(
          .unknownKey(
            pair.key, meant: Spelling.Suggestion(for: pair.key, among: known), known: known))
      }
      var coding = try pair.value.mapping()
      codes[quantity] = [
        FHIRCoding(
          system: try coding.optional("system")?.string() ?? "http://loinc.org",
          code: try coding.required("code").string(),
          display: try coding.optional("display")?.string())
      ]
      try coding.finish()
    }
    for pair in try root.optional("times")?.pairs() ?? [] {
      let time = try pair.value.string()
      times[pair.key] = time.utf8.count == 5 ? time + ":00" : time
    }
    if let names = root.optional("names") { reading = try Self.naming(names) }
    try root.finish()
  }

  /// Gives resources of a type their name from an extension: `ServiceRequest: https://…`.
  private static func naming(
    _ node: YAMLNode
  ) throws(YAMLError) -> @Sendable (inout FHIRObject) -> Void {
    var addresses: [String: String] = [:]
    for pair in try node.pairs() { addresses[pair.key] = try pair.value.string() }
    return { [addresses] resource in
      guard let type = resource["resourceType"]?.text, let address = addresses[type] else {
        return
      }
      resource.takeName(from: address)
    }
  }
}

extension FHIRObject {
  /// Replaces the words of the resource's code by those of an extension.
  fileprivate mutating func takeName(from address: String) {
    let name = self["extension"]?.elements?.compactMap(\.object).first {
      $0["url"]?.text == address
    }?["valueString"]
    guard let name else { return }
    let key = self["medicationCodeableConcept"] == nil ? "code" : "medicationCodeableConcept"
    if self["resourceType"]?.text == "CarePlan" || self["resourceType"]?.text == "Questionnaire" {
      self["title"] = name
    } else {
      var concept = self[key]?.object ?? FHIRObject()
      concept["text"] = name
      self[key] = .object(concept)
    }
  }
}
