import FixedPoint

/// The probabilities of the plan's people in one weighing, in units of 2^-30.
struct Tally {
  var shares: [Int64]
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
      let share = Logarithm.power(minus: -explanation.weight)
      let hypothesis = hypotheses[explanation.parent]
      var body: Int?
      var isChange = false
      if case .known(let number, let change) = explanation.body {
        body = number
        isChange = change || hypothesis.bodies[number].change != nil
      }
      let shares = shares(rates(arrival, body, in: hypothesis), of: body, in: hypothesis)
      total += share
      if household.isSingle, hypothesis.returning(with: body) <= 1 { alone += share }
      for person in 0..<people {
        let part = shares.named[person].scaled(by: share, over: shares.sum)
        tally.shares[person] += part
        if isChange { changed[person] += part }
      }
    }
    total = max(total, 1)
    for person in 0..<people {
      tally.shares[person] = tally.shares[person].scaled(by: 1 << 30, over: total)
      changed[person] = changed[person].scaled(by: 1 << 30, over: total)
    }
    tally.isAlone = alone * 2 > total
    tally.changed = changed
    return verdict(tally, weighing, isPast: false)
  }

  /// Whether a single patient is the only one who was seen more than once, as far as is known.
  var isAlone: Bool {
    guard household.isSingle else { return false }
    var shares: (alone: Int64, all: Int64) = (0, 0)
    for hypothesis in hypotheses {
      let share = Logarithm.power(minus: -hypothesis.weight)
      shares.all += share
      if hypothesis.returning(with: nil) <= 1 { shares.alone += share }
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
      .reduce(0) { $0 + tally.shares[$1] }
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
    guard let best = hypotheses.max(by: { $0.weight < $1.weight }) else { return .stranger }
    let unknown = candidates.first {
      household.people[$0].weight == nil && best.unseen($0) > 1 << 29
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
      if best.unseen(person) <= 1 << 29, let body = best.body(of: person) {
        return best.bodies[body].estimate
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
      let former = best.body(of: first).flatMap { best.bodies[$0].change?.from }
      return .changed(patient: patient, expected: Int((former ?? estimate.level) >> 8))
    }
    if fitting.contains(first) {
      return estimate.contradiction(in: weighing).map { .witness(patient: patient, $0) }
        ?? .unclear(patient: patient)
    }
    return .far(patient: patient, expected: Int(estimate.level >> 8))
  }
}
