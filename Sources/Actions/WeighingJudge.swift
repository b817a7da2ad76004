package import Attribution
package import Care
package import Foundation

/// Judges weighings by the evidence of those in the store.
///
/// The history is read in each transaction, since people change whose samples are; what was learned
/// from an unchanged beginning of it is not learned again.
package struct WeighingJudge: Sendable {
  /// Makes a judge that has learned nothing.
  package init() {}

  private var household: Household?
  private var learned: [Weighing] = []
  private var evidence: Evidence?

  /// Judges a weight that is not stored yet, with what was measured with it.
  package mutating func verdict(
    on reading: Reading, at start: Date, with companions: [Reading], in plan: PlanSnapshot,
    after history: WeighingHistory
  ) -> Verdict {
    learn(history.entries.map(\.weighing), of: plan.household)
    var weighing = Weighing(reading, at: start, in: plan.timeZone)
    for companion in companions where !history.isConstant(companion) { weighing.add(companion) }
    // The judged weighing is learned when it is stored.
    var evidence = evidence ?? Evidence(plan.household)
    return evidence.observe(weighing)
  }

  /// The stored weighings, oldest first, each as all evidence up to now judges it; older ones than
  /// the evidence looks back on are left out.
  package mutating func hindsight(
    in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> [(sample: Sample, weighing: Weighing, verdict: Verdict)] {
    let history = try WeighingHistory(in: plan, reader).entries
    learn(history.map(\.weighing), of: plan.household)
    let verdicts = evidence?.hindsight ?? []
    return zip(history.suffix(verdicts.count), verdicts.suffix(history.count))
      .map { ($0.sample, $0.weighing, $1) }
  }

  private mutating func learn(_ history: [Weighing], of household: Household) {
    if household != self.household || !history.starts(with: learned) || evidence == nil {
      (self.household, learned, evidence) = (household, [], Evidence(household))
    }
    for weighing in history.dropFirst(learned.count) { _ = evidence?.observe(weighing) }
    learned = history
  }
}

extension PlanSnapshot {
  /// Who may stand on the scales.
  var household: Household {
    let others = everyone.map(\.others).max { $0.count < $1.count } ?? []
    return Household(
      people: everyone.map {
        Person(patient: $0.id, expects: $0.expects[Quantity.bodyMass.rawValue])
      } + others.map { Person(patient: nil, expects: $0) })
  }
}

extension Person {
  fileprivate init(patient: String?, expects expectation: Expectation?) {
    func grams(_ value: Double) -> Int {
      Int(saturating: (min(max(value, 0), 1_000) * 1_000).rounded())
    }
    self.init(
      patient: patient, weight: (expectation?.value).map(grams),
      tolerance: (expectation?.tolerance).map(grams))
  }
}
