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

  /// The patient, or why the weighing waits.
  public enum Decision: Hashable, Sendable {
    /// It is this patient's.
    case patient(String)
    /// It waits.
    case unassigned(Doubt)
  }

  /// Why a weighing is not assigned.
  public enum Doubt: Hashable, Sendable {
    /// It could be each of these patients' (at least two).
    case alike([String])
    /// It could be this patient's, but a visitor's as well: `expected` is the estimate in g.
    case far(patient: String, expected: Int)
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
