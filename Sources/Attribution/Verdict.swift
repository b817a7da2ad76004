/// Whose a weighing is: the odds and what they decide.
public struct Verdict: Hashable, Sendable {
  /// The decision.
  public var decision: Decision
  /// The patients' odds in millionths, the most probable first; below 1 000 left out.
  public var odds: [Odds]

  /// Makes a verdict.
  public init(decision: Decision, odds: [Odds]) {
    self.decision = decision
    self.odds = odds
  }

  /// One patient's odds.
  public struct Odds: Hashable, Sendable {
    /// The patient's identifier.
    public var patient: String
    /// The probability in millionths, 0...1 000 000.
    public var millionths: Int

    /// Makes odds.
    public init(patient: String, millionths: Int) {
      self.patient = patient
      self.millionths = millionths
    }
  }

  /// The person, or why the weighing waits.
  public enum Decision: Hashable, Sendable {
    /// It is this patient's.
    case patient(String)
    /// It is a housemate's of whom nothing is stored: one whom the plan names, or of whom a label said
    /// that it is nobody of the plan.
    case housemate
    /// It waits.
    case unassigned(Doubt)
  }

  /// A measurement beside the weight that does not fit a patient.
  public struct Witness: Hashable, Sendable {
    /// The kind of measurement.
    public var kind: Kind
    /// The measured value in hundredths: Ω, percent, or per minute.
    public var measured: Int
    /// The estimate, in the same unit.
    public var expected: Int

    /// A kind of measurement beside the weight.
    public enum Kind: Hashable, Sendable {
      /// The impedance in Ω.
      case impedance
      /// The body fat in percent.
      case bodyFat
      /// The heart rate per minute.
      case heartRate
    }
  }

  /// Why a weighing is not assigned.
  public enum Doubt: Hashable, Sendable {
    /// It could be each of these patients' (at least two), each with at least 1 in 10.
    case alike([String])
    /// The weight is far from this patient's: `expected` is the estimate in g.
    case far(patient: String, expected: Int)
    /// The weight fits this patient, and what was measured with it does not.
    case witness(patient: String, Witness)
    /// It fits this patient, below the odds at which it is assigned.
    case unclear(patient: String)
    /// Probably this patient's weight has changed suddenly from `expected` (g); one assignment by
    /// hand confirms it.
    case changed(patient: String, expected: Int)
    /// It could be this patient's, of whose weight nothing is known.
    case unknown(patient: String)
    /// It is probably a named housemate's.
    case housemate
    /// It is probably of a person who is not in the plan.
    case stranger
  }
}
