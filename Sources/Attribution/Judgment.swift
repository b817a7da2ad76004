import FixedPoint

/// The probabilities of the plan's people in one weighing, in units of 2^-30.
struct Tally {
  var shares: [Int64]
  /// That of somebody of whom a label said that it is nobody of the plan.
  var disowned: Int64 = 0
  /// Whether hardly anybody else was seen on the scale more than once.
  var isAlone: Bool
  /// Those that suppose a sudden change without a confirmation.
  var changed: [Int64]?
}

extension Evidence {
  /// The verdict on a weighing by those before it.
  func judge(_ weighing: Weighing) -> Verdict {
    let arrival = arrival(of: weighing, label: .none)
    let explanations = explanations(of: arrival)
    var tally = Tally(shares: Array(repeating: 0, count: people), isAlone: false, changed: nil)
    var changed = tally.shares
    var total: Int64 = 0
    var alone: Int64 = 0
    for explanation in explanations {
      let chance = Logarithm.power(minus: -explanation.weight)
      var place: Int?
      var isChange = false
      if case .known(let known, let change) = explanation.body {
        place = known
        isChange = change || population.body(known, in: explanation.parent).change != nil
      }
      let account = account(of: arrival, place, in: explanation.parent)
      total += chance
      if let place, population.body(place, in: explanation.parent).isDisowned {
        tally.disowned += account.unnamedShare.scaled(by: chance, over: account.sum)
      }
      if household.isSingle, population.returning(with: place, in: explanation.parent) <= 1 {
        alone += chance
      }
      for person in 0..<people where account.named[person] > 0 {
        let share = population.share(person, is: place, in: explanation.parent)
        let own = (share * account.named[person]) >> 30
        let part = own.scaled(by: chance, over: account.sum)
        tally.shares[person] += part
        if isChange { changed[person] += part }
      }
    }
    total = max(total, 1)
    for person in 0..<people {
      tally.shares[person] = tally.shares[person].scaled(by: 1 << 30, over: total)
      changed[person] = changed[person].scaled(by: 1 << 30, over: total)
    }
    tally.disowned = tally.disowned.scaled(by: 1 << 30, over: total)
    tally.isAlone = alone * 2 > total
    tally.changed = changed
    return verdict(tally, weighing, isPast: false)
  }

  /// Whether a single patient is the only one who was seen more than once, as far as is known.
  var isAlone: Bool {
    guard household.isSingle else { return false }
    var shares: (alone: Int64, all: Int64) = (0, 0)
    for index in population.hypotheses.indices {
      let share = Logarithm.power(minus: -population.hypotheses[index].weight)
      shares.all += share
      if population.returning(with: nil, in: index) <= 1 { shares.alone += share }
    }
    return shares.alone * 2 > shares.all
  }

  func verdict(_ tally: Tally, _ weighing: Weighing, isPast: Bool) -> Verdict {
    guard people == household.people.count else {
      let patients = household.people.compactMap(\.patient)
      return Verdict(decision: .unassigned(.alike(patients)), odds: [])
    }
    let odds = household.people.enumerated().compactMap { index, person -> Verdict.Odds? in
      guard let patient = person.patient else { return nil }
      let millionths = Int((tally.shares[index] * 1_000_000) >> 30)
      return millionths < 1_000 ? nil : Verdict.Odds(patient: patient, millionths: millionths)
    }.sorted { ($1.millionths, $0.patient) < ($0.millionths, $1.patient) }
    // As long as nobody else is seen, a plausible weight is the single patient's.
    let needed = tally.isAlone ? 1 << 29 : Self.clear
    for (index, person) in household.people.enumerated() {
      guard let patient = person.patient, tally.shares[index] >= needed else { continue }
      return Verdict(decision: .patient(patient), odds: odds)
    }
    let housemates = household.people.indices.filter { household.people[$0].patient == nil }
      .reduce(tally.disowned) { $0 + tally.shares[$1] }
    return Verdict(
      decision: housemates >= Self.clear
        ? .housemate : .unassigned(doubt(tally, isPast ? nil : weighing)),
      odds: odds)
  }

  private func doubt(_ tally: Tally, _ weighing: Weighing?) -> Verdict.Doubt {
    let ordered = household.people.indices.sorted {
      (tally.shares[$1], $0) < (tally.shares[$0], $1)
    }
    let candidates = ordered.filter { tally.shares[$0] >= Self.serious }
    let probable = candidates.filter { tally.shares[$0] >= 2 * Self.serious }
    let best = population.best
    let unknown = candidates.first {
      household.people[$0].weight == nil && population.unseen($0, in: best) > 1 << 29
    }
    if let unknown, household.people[candidates[0]].patient != nil,
      let patient = household.people[unknown].patient
    {
      return .unknown(patient: patient)
    }
    let patients = probable.compactMap { household.people[$0].patient }
    if patients.count > 1 { return .alike(patients) }
    // The estimate of each person, as the best hypothesis has it.
    func estimate(_ person: Int) -> Estimate? {
      if population.unseen(person, in: best) <= 1 << 29,
        let place = population.place(of: person, in: best)
      {
        return population.body(place, in: best).estimate
      }
      return expected[person].map { Estimate(level: $0.level, variance: $0.variance) }
    }
    let fitting = ordered.filter { index in
      weighing.map { estimate(index)?.fitsWeight(of: $0) ?? false } ?? false
    }
    let conceivable = ordered.first { tally.shares[$0] >= Self.conceivable }
    let only = household.isSingle ? 0 : nil
    guard let first = candidates.first ?? fitting.first ?? conceivable ?? only else {
      return .stranger
    }
    guard let patient = household.people[first].patient else { return .housemate }
    guard let estimate = estimate(first), let weighing else { return .unclear(patient: patient) }
    if candidates.contains(first), let changed = tally.changed,
      changed[first] * 2 > tally.shares[first]
    {
      let former = population.place(of: first, in: best).flatMap {
        population.body($0, in: best).change?.from
      }
      return .changed(patient: patient, expected: Int((former ?? estimate.level) >> 8))
    }
    if fitting.contains(first) {
      return estimate.contradiction(in: weighing).map { .witness(patient: patient, $0) }
        ?? .unclear(patient: patient)
    }
    return .far(patient: patient, expected: Int(estimate.level >> 8))
  }
}

// MARK: - Verdict

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
