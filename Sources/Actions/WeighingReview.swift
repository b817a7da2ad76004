import Attribution
package import Care
package import Foundation

/// Looks back on the stored weighings with all evidence before and after each.
package enum WeighingReview {
  /// Judges again what the evidence decided, as after an assignment by hand or its withdrawal.
  ///
  /// A waiting weighing that is clear now is assigned, or laid aside as a housemate's; one that was so
  /// on evidence and is not clear any longer waits again. None is changed that a person assigned or put into the tray,
  /// and none of a bound device or slot.
  package static func update(
    in writer: any StoreWriter, now: Date
  ) throws -> Outcome {
    let plan = try PlanSnapshot(writer, patient: nil)
    try writer.forgetPresences(except: Set(plan.everyone.filter(\.saysPresence).map(\.id)))
    var outcome = Outcome()
    for (sample, weighing, verdict) in try WeighingJudge.smoothed(in: plan, writer) {
      let bound = plan.bindings.onlyPatient(of: sample.reading)
      let change: SampleChange =
        switch verdict.decision {
        case .patient(let patient) where bound ?? patient == patient: .assign(patient: patient)
        case .housemate where bound == nil: .disown
        // Once laid aside, it waits again only where it may be a patient's after all.
        case .unassigned where sample.state == .disowned && !verdict.mayBePatients: .disown
        case .patient, .housemate, .unassigned: .unassign
        }
      let isOpen =
        try weighing.label == .none && sample.state != .deleted
        && writer.assignment(of: sample)?.decidedBy != .person
      if isOpen, change != sample.ownerChange {
        let changed = try writer.change(
          .sample(sample.identity), change, decidedBy: .evidence, reason: nil, now: now
        ).samples
        switch change {
        case .assign: outcome.assigned += changed
        case .disown: outcome.disowned += changed
        default: outcome.returned += changed
        }
      } else if let contradiction = try contradiction(sample, verdict, writer) {
        outcome.contradictions.append(contradiction)
      }
    }
    return outcome
  }

  /// The changes and findings of a review.
  package struct Outcome: Sendable {
    /// The weighings that waited and are assigned now, with what was measured with them.
    package var assigned: [Sample] = []
    /// Those that waited and are laid aside now as a housemate's.
    package var disowned: [Sample] = []
    /// Those that were assigned or laid aside on evidence and that wait again.
    package var returned: [Sample] = []
    /// The assigned weighings that look like another person's, those assigned by hand included.
    package var contradictions: [Contradiction] = []

    /// How many weighings that waited follow one that was said to be a patient's, or nobody's here.
    package func followers(of patient: String?) -> Int {
      (patient == nil ? disowned : assigned.filter { $0.patient == patient })
        .count { $0.quantity == .bodyMass }
    }

    /// Makes the outcome of a review that found nothing.
    package init() {}
  }

  /// The assigned weighings that later evidence takes for another's, oldest first.
  ///
  /// Several of two patients within some weeks show that the two were taken for each other. Weighings
  /// that were assigned by hand, or by a bound device, are not among them.
  package static func contradictions(in reader: any StoreReader) throws -> [Contradiction] {
    let plan = try PlanSnapshot(reader, patient: nil)
    return try WeighingJudge.smoothed(in: plan, reader).compactMap { sample, weighing, verdict in
      weighing.label == .none ? try contradiction(sample, verdict, reader) : nil
    }
  }

  private static func contradiction(
    _ sample: Sample, _ verdict: Verdict, _ reader: any StoreReader
  ) throws -> Contradiction? {
    guard let patient = sample.patient else { return nil }
    let probability = verdict.odds.first { $0.patient == patient }?.millionths ?? 0
    guard probability < 100_000 else { return nil }
    return Contradiction(
      sample: sample, number: try reader.number(of: sample.identity),
      likelier: verdict.odds.first { $0.millionths >= 500_000 }?.patient)
  }

  /// A weighing that is probably not that of the patient to whom it was assigned.
  package struct Contradiction: Hashable, Sendable {
    /// The sample.
    package var sample: Sample
    /// Its number in the store.
    package var number: Int64?
    /// Whose it probably is; `nil` for a person who is not a patient.
    package var likelier: String?

    /// Makes a contradiction.
    package init(sample: Sample, number: Int64?, likelier: String?) {
      (self.sample, self.number, self.likelier) = (sample, number, likelier)
    }
  }
}

extension Sample {
  /// The change that says whose it is now.
  package var ownerChange: SampleChange {
    state == .disowned ? .disown : patient.map { .assign(patient: $0) } ?? .unassign
  }
}

extension Verdict {
  /// Whether it is a patient's at odds of 1 in 100 or more.
  fileprivate var mayBePatients: Bool { odds.reduce(0) { $0 + $1.millionths } >= 10_000 }
}
