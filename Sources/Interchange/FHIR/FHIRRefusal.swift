/// Why a resource is not read or written, and where in it.
public struct FHIRRefusal: Error, Hashable, Sendable {
  /// The element: `CarePlan.activity[2].detail.scheduledTiming.repeat.offset`; empty for the whole.
  public var path: String
  /// Why.
  public var reason: Reason

  /// Makes a refusal.
  public init(at path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  /// The reasons.
  public enum Reason: Hashable, Sendable {
    /// It is no JSON from that byte on.
    case notJSON(offset: Int)
    /// It is larger than that many bytes.
    case tooLarge(limit: Int)
    /// It has more than that many values.
    case tooMany(limit: Int)
    /// It lies deeper than that many levels.
    case tooDeep(limit: Int)
    /// An object has a key twice.
    case repeatedKey
    /// The release of FHIR has no such element there.
    case unknownElement
    /// The value is none of that type of FHIR.
    case wrongType(expected: String)
    /// An element is missing that has to be there.
    case missing
    /// FHIR has it, and no plan can say it.
    case unsupported
    /// FHIR has the value, and no plan can say it.
    case unsupportedValue(String)
    /// A resource of a type that is not read.
    case unknownResource(String)
    /// A reference to what is not there.
    case unknownReference(String)
    /// A schedule does not say when it begins, and nothing around it does.
    case noStart
    /// So many occurrences in a period have no times, and are not all of one day.
    case noTimes(frequency: Int)
    /// The values contradict each other, or the rule of that name in FHIR.
    case contradiction(rule: String)
    /// It is valid FHIR and breaks a rule of plans, by the name of that rule.
    case invalid(String)
    /// FHIR has no place for a value of ours: a text without a character, a number that is not finite.
    case notExpressible
  }
}
