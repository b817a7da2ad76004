import Attribution
public import Care
import Foundation

/// Why a weighing is unassigned, with the odds: the facts that the store keeps as its reason.
public struct UnassignedWeighing: Hashable, Sendable, Codable {
  /// The kind of doubt.
  public var doubt: Doubt
  /// The patients whom it is about, the most probable first.
  public var patients: [String]
  /// The estimated weight of the first of them in kg, if the doubt is about it.
  public var expected: Double?
  /// What was measured beside the weight, if the doubt is about it.
  public var witness: Witness?
  /// The odds, the most probable patient first; at least 0.001.
  public var odds: [Odds]

  /// Kinds of doubts.
  public enum Doubt: String, Hashable, Sendable, Codable {
    /// It could be each of the patients'.
    case alike
    /// It could be the patient's, or a visitor's: the weight is far from the patient's.
    case far
    /// The weight fits the patient, and what was measured with it does not.
    case witness
    /// It fits the patient, below the odds at which it is assigned.
    case unclear
    /// It is the patient's if the weight has changed suddenly.
    case changed
    /// It could be the patient's, of whose weight nothing is known.
    case unknown
    /// It is probably a housemate's, whom the plan names.
    case housemate
    /// It is probably of a person who is not in the plan.
    case stranger
    /// It was measured by a patient's device, and is another patient's by weight.
    case otherPatient
  }

  /// A value beside the weight that does not fit the patient.
  public struct Witness: Hashable, Sendable, Codable {
    /// The quantity.
    public var quantity: String
    /// What was measured, in the quantity's unit.
    public var measured: Double
    /// What is usual for the patient.
    public var expected: Double
  }

  /// One patient's odds.
  public struct Odds: Hashable, Sendable, Codable {
    /// The patient's id.
    public var patient: String
    /// The probability, 0...1.
    public var probability: Double
  }

  init(_ verdict: Verdict) {
    odds = verdict.odds.map {
      Odds(patient: $0.patient, probability: Double($0.millionths) / 1_000_000)
    }
    switch verdict.decision {
    case .patient(let patient): (doubt, patients) = (.otherPatient, [patient])
    case .housemate: (doubt, patients) = (.housemate, [])
    case .unassigned(.witness(let patient, let witness)):
      (doubt, patients, self.witness) = (.witness, [patient], Witness(witness))
    case .unassigned(.unclear(let patient)): (doubt, patients) = (.unclear, [patient])
    case .unassigned(.alike(let alike)): (doubt, patients) = (.alike, alike)
    case .unassigned(.far(let patient, let weight)):
      (doubt, patients, expected) = (.far, [patient], Double(weight / 100) / 10)
    case .unassigned(.changed(let patient, let weight)):
      (doubt, patients, expected) = (.changed, [patient], Double(weight / 100) / 10)
    case .unassigned(.unknown(let patient)): (doubt, patients) = (.unknown, [patient])
    case .unassigned(.housemate): (doubt, patients) = (.housemate, [])
    case .unassigned(.stranger): (doubt, patients) = (.stranger, [])
    }
  }

  /// Reads a sample's reason; `nil` if it is a text for people.
  public init?(_ sample: Sample) {
    guard let text = sample.unassignedReason, text.hasPrefix("{"),
      let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = value
  }

  /// As a line of JSON.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).flatMap { String(bytes: $0, encoding: .utf8) } ?? ""
  }
}

extension UnassignedWeighing.Witness {
  fileprivate init(_ witness: Verdict.Witness) {
    let quantity: Quantity =
      switch witness.kind {
      case .impedance: .impedance
      case .bodyFat: .bodyFatPercentage
      case .heartRate: .heartRate
      }
    self.init(
      quantity: quantity.rawValue, measured: Double(witness.measured) / 100,
      expected: Double(witness.expected) / 100)
  }
}
