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
