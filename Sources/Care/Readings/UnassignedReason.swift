import Foundation

/// Why a reading is unassigned, or a housemate's: the facts that the store keeps beside it.
public enum UnassignedReason: Hashable, Sendable, Codable {
  /// The evidence of all weighings does not say whose the weight is.
  case weighing(UnassignedWeighing)
  /// No plan has been imported.
  case noPlan
  /// A rule of the device's definition takes it for no measurement.
  case discarded
  /// The value is no plausible one of its quantity.
  case implausible
  /// The device's user slot is bound to no patient.
  case unboundSlot(index: Int)
  /// The device is bound to nobody.
  case unbound
  /// The device is the household's, and the plan has several patients.
  case severalPatients(count: Int)
  /// The device is bound to a patient whose readings are not stored here.
  case notStored(patient: String)
  /// The weight is that of a patient whose readings are not stored here.
  case weightNotStored(patient: String)
  /// The value is far from what the patient is expected to have.
  case unexpected(patient: String)
  /// A person said that the device is nobody's.
  case deviceOfNobody
  /// It was measured with a weight that is unassigned.
  case withUnassignedWeight
  /// It was measured with a weight of no patient.
  case withDisownedWeight

  /// Reads a sample's reason; `nil` without one, and for the text of another program.
  public init?(_ sample: Sample) {
    guard let text = sample.unassignedReason,
      let reason = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = reason
  }

  /// The facts of a weighing; `nil` of another reason.
  public var weighing: UnassignedWeighing? {
    guard case .weighing(let weighing) = self else { return nil }
    return weighing
  }

  /// As the line of JSON that a sample has.
  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).flatMap { String(bytes: $0, encoding: .utf8) } ?? ""
  }
}

// MARK: - Unassigned weighing

/// Why a weighing is unassigned, with the odds.
public struct UnassignedWeighing: Hashable, Sendable, Codable {
  /// The kind of doubt.
  public var doubt: Doubt
  /// The patients whom it is about, the most probable first.
  public var patients: [String]
  /// The estimated weight of the first of them in kg, if the doubt is about it.
  public var expected: Double?
  /// A value measured beside the weight, if the doubt is about it.
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
    /// The measured value, in the quantity's unit.
    public var measured: Double
    /// The patient's usual value.
    public var expected: Double

    /// Makes a witness.
    public init(quantity: String, measured: Double, expected: Double) {
      self.quantity = quantity
      self.measured = measured
      self.expected = expected
    }
  }

  /// One patient's odds.
  public struct Odds: Hashable, Sendable, Codable {
    /// The patient's id.
    public var patient: String
    /// The probability, 0...1.
    public var probability: Double

    /// Makes a patient's odds.
    public init(patient: String, probability: Double) {
      self.patient = patient
      self.probability = probability
    }
  }

  /// Makes a reason.
  public init(
    doubt: Doubt, patients: [String], expected: Double? = nil, witness: Witness? = nil,
    odds: [Odds]
  ) {
    self.doubt = doubt
    self.patients = patients
    self.expected = expected
    self.witness = witness
    self.odds = odds
  }
}
