import Access
import Attribution
package import Care
package import Foundation

/// Names the plan's only patient among those who use the scales.
///
/// The others are somebody else, of whom nothing is asked any more.
package struct NameWeigher: Action {
  /// The patient's id.
  package var patient: String
  /// A weighing of the patient's; `nil` if the patient is none of those who use the scales.
  package var weighing: SampleIdentity?

  /// Makes the action.
  package init(_ patient: String, weighing: SampleIdentity?) {
    (self.patient, self.weighing) = (patient, weighing)
  }

  /// - Returns: The weighing, the last ones of the others, and the effect on the owners of the rest.
  /// - Throws: As ``Action``; ``WeigherRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> ChangeSamples.Result {
    try performer.demand(.correct, on: .tray)
    try performer.demand(.correct, on: .patient(patient))
    let plan = try PlanSnapshot(writer, patient: nil)
    let known = plan.everyone.map(\.id)
    guard known.contains(patient) else {
      throw StoreError.unknown(.patient(patient, known: known))
    }
    guard known.count == 1 else { throw WeigherRefusal.severalPatients }
    var result = ChangeSamples.Result()
    func change(_ identity: SampleIdentity, _ change: SampleChange) throws {
      result.samples += try writer.change(.sample(identity), change, reason: nil, now: now).samples
    }
    if let weighing {
      guard let sample = try writer.sample(weighing) else {
        throw StoreError.unknown(.sample(weighing))
      }
      guard sample.quantity == .bodyMass else { throw WeigherRefusal.noWeighing }
      try change(weighing, .assign(patient: patient))
    }
    for other in try others(in: plan, writer) { try change(other, .disown) }
    result.review = try WeighingReview.update(in: writer, now: now)
    return result
  }

  /// The last weighings of those who use the scales and are not the patient, as far as nobody has said
  /// whose they are.
  private func others(
    in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> [SampleIdentity] {
    let entries = try WeighingHistory(in: plan, reader).entries
    let judged = WeighingMemory().judged(entries.map(\.weighing), in: plan.household)
    return judged.evidence.residents.compactMap(\.weighings.last).filter {
      entries[$0].weighing.label == .none
        && (weighing == nil || judged.odds(of: patient, at: $0) < 500_000)
    }.map { entries[$0].sample.identity }
  }
}

/// Why nobody is named.
package enum WeigherRefusal: Error, Hashable {
  /// The others may be the plan's other patients.
  case severalPatients
  /// The sample is no weighing.
  case noWeighing
}
