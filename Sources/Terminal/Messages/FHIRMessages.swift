package import Interchange
package import Localization
package import Outlets

extension FHIRSearchFault: Localizable, PresentableError {
  package var localized: LocalizedText {
    LocalizedText("fhir.search", ["query": .verbatim(query), "reason": .text(fault.localized)])
  }
}

extension FHIRRefusal: Localizable, PresentableError {
  /// The element and the problem: `CarePlan.activity[2].detail.scheduledTiming.repeat.offset: …`.
  package var localized: LocalizedText {
    LocalizedText(
      "fhir.refused",
      [
        "place": path.isEmpty ? .text("fhir.file") : "\(path)",
        "problem": .text(reason.localized),
      ])
  }
}

extension FHIRRefusal.Reason: Localizable {
  /// The problem and the advice, without the place.
  package var localized: LocalizedText {
    switch self {
    case .notJSON(let offset): LocalizedText("fhir.notJSON", ["offset": "\(offset)"])
    case .tooLarge(let limit): LocalizedText("fhir.tooLarge", ["limit": "\(limit)"])
    case .tooMany(let limit): LocalizedText("fhir.tooMany", ["limit": "\(limit)"])
    case .tooDeep(let limit): LocalizedText("fhir.tooDeep", ["limit": "\(limit)"])
    case .repeatedKey: "fhir.repeatedKey"
    case .unknownElement: "fhir.unknownElement"
    case .wrongType(let type): LocalizedText("fhir.wrongType", ["type": "\(type)"])
    case .missing: "fhir.missing"
    case .unsupported: "fhir.unsupported"
    case .unsupportedValue(let value):
      LocalizedText("fhir.unsupportedValue", ["value": "\(value)"])
    case .unknownResource(let type): LocalizedText("fhir.unknownResource", ["type": "\(type)"])
    case .unknownReference(let name):
      LocalizedText("fhir.unknownReference", ["name": "\(name)"])
    case .noStart: "fhir.noStart"
    case .noTimes(let count): LocalizedText("fhir.noTimes", ["number": "\(count)"])
    case .contradiction(let rule): LocalizedText("fhir.contradiction", ["rule": "\(rule)"])
    case .invalid(let rule): LocalizedText("fhir.invalid", ["rule": "\(rule)"])
    case .notExpressible: "fhir.notExpressible"
    }
  }
}
