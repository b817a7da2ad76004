import Care
import Digests

/// The fixed names under which our things travel: identifiers, codes, and extensions for what FHIR
/// has no place for.
///
/// They are in a name space of their own, since no address on the web is this project's.
public enum FHIRName {
  /// The beginning of every name of ours.
  public static let base = "urn:x-measured:fhir:"

  /// The address of an extension: `urn:x-measured:fhir:extension:targets`.
  public static func `extension`(_ name: String) -> String { base + "extension:" + name }

  /// The system of an identifier: `urn:x-measured:fhir:id:patient`.
  public static func system(_ name: String) -> String { base + "id:" + name }

  /// The system of codes: `urn:x-measured:fhir:code:quantity`.
  public static func codes(_ name: String) -> String { base + "code:" + name }

  static let loinc = "http://loinc.org"
  static let ucum = "http://unitsofmeasure.org"
  static let mdc = "urn:iso:std:iso:11073:10101"
  package static let zone = "http://hl7.org/fhir/StructureDefinition/tz-code"
  static let minimum = "http://hl7.org/fhir/StructureDefinition/minValue"
  static let maximum = "http://hl7.org/fhir/StructureDefinition/maxValue"
  static let unit = "http://hl7.org/fhir/StructureDefinition/questionnaire-unit"
  static let sliderStep = "http://hl7.org/fhir/StructureDefinition/questionnaire-sliderStepValue"
  static let category = "http://terminology.hl7.org/CodeSystem/observation-category"

  /// The id of a resource, which follows from what it is: the same thing has the same one for ever.
  ///
  /// - Parameters:
  ///   - type: The type of the resource.
  ///   - parts: What tells it from others of the type.
  /// - Returns: A letter and 40 hex digits.
  public static func id(of type: String, _ parts: [String]) -> String {
    "m" + SHA256.digest(ofTexts: [type] + parts).prefix(20).hexString
  }

  static func reference(_ type: String, _ parts: [String]) -> FHIRValue {
    .object(["reference": .string(type + "/" + id(of: type, parts))])
  }

  static func identifier(_ system: String, _ value: String) -> FHIRValue {
    .object(["system": .string(FHIRName.system(system)), "value": .string(value)])
  }
}

/// A code of a system.
public struct FHIRCoding: Hashable, Sendable, Codable {
  /// The system: `http://loinc.org`.
  public var system: String
  /// The code: `29463-7`.
  public var code: String
  /// Its words.
  public var display: String?

  /// Makes a code.
  public init(system: String, code: String, display: String? = nil) {
    self.system = system
    self.code = code
    self.display = display
  }

  var value: FHIRValue {
    .object([
      "system": .string(system), "code": .string(code), "display": display.map { .string($0) },
    ])
  }
}
