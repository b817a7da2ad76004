import Attribution
package import Care

/// The weighing whose answer helps most: the last one that waits.
package struct WeighingQuestion: Sendable {
  /// The weighing.
  package var sample: Sample
  /// How many waiting weighings the answer is expected to settle, itself among them.
  package var settled: Int
  /// The weights in kg of those who use the scale, lightest first.
  package var residents: [Double]

  /// Finds the question; `nil` if hardly anything waits.
  ///
  /// `memory` spares learning what it knows.
  package init?(
    _ reader: any StoreReader, _ memory: WeighingMemory = WeighingMemory()
  ) throws {
    let waiting = SampleQuery(owner: .unassigned, quantity: .bodyMass, limit: Self.least)
    guard try reader.samples(waiting).count == Self.least else { return nil }
    let plan = try PlanSnapshot(reader, patient: nil)
    let entries = try WeighingHistory(in: plan, reader).entries
    let last = entries.lastIndex {
      $0.sample.patient == nil && $0.sample.state == .live && $0.weighing.label == .none
    }
    guard let last else { return nil }
    sample = entries[last].sample
    let (evidence, settled) = memory.evidence(
      of: entries.map(\.weighing), in: plan.household, settledBy: last)
    self.settled = settled
    residents = evidence.residents.map { Double($0.weight / 100) / 10 }
  }

  /// A single weighing that waits is a question by itself.
  private static let least = 3
}
