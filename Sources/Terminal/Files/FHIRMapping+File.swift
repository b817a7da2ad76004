import Care
import Interchange
import Localization
import StrictYAML

extension FHIRMapping {
  /// The mapping in a file.
  ///
  /// - Throws: ``CommandFailure`` with file, line and reason.
  package init(file: String) throws {
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
