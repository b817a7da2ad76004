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
    var weighing = Weighing(reading, at: start, in: plan.timeZone)
    for companion in companions where !history.isConstant(companion) { weighing.add(companion) }
    weighing.presence = history.presence(at: start)
    // The judged weighing is learned when it is stored.
    return learn(history.entries.map(\.weighing), of: plan.household).verdict(on: weighing)
  }

  private mutating func learn(_ history: [Weighing], of household: Household) -> Evidence {
    var evidence: Evidence
    if household == self.household, history.starts(with: learned), let known = self.evidence {
      evidence = known
    } else {
      // Nothing is smoothed here: the graph of what was followed is not kept.
      (learned, evidence) = ([], Evidence(household, remembers: false))
    }
    for weighing in history.dropFirst(learned.count) { evidence.learn(weighing) }
    (self.household, learned, self.evidence) = (household, history, evidence)
    return evidence
  }

  /// The stored weighings, oldest first, each as all evidence before and after it judges it.
  package static func smoothed(
    in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> [(sample: Sample, weighing: Weighing, verdict: Verdict)] {
    let entries = try WeighingHistory(in: plan, reader).entries
    var evidence = Evidence(plan.household)
    for entry in entries { evidence.learn(entry.weighing) }
    return zip(entries, evidence.smoothed).map { ($0.sample, $0.weighing, $1) }
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
