import Attribution
package import Care

/// The question whose weighings are whose, whose answer helps most.
package struct WeighingQuestion: Sendable {
  /// The subject.
  package var kind: Kind
  /// The weighing that is asked about; of several, the latest.
  package var sample: Sample
  /// How many waiting weighings the answer is expected to settle.
  package var settled: Int
  /// Those who use the scale, lightest first.
  package var residents: [Resident]

  /// Subjects of questions.
  package enum Kind: Hashable, Sendable {
    /// Whose the last weighing is that waits: its answer settles nearly as many as any other.
    case owner
    /// Which of the residents is the plan's only patient: that one of several is not would settle
    /// little.
    case weigher(patient: String)
    /// Whether a weighing is of the patient who got it on evidence alone. It is asked once even if
    /// nothing waits, since a person who is clearly taken for another stays so without an answer.
    case confirmation(patient: String)
  }

  /// Somebody who uses the scale.
  package struct Resident: Hashable, Sendable {
    /// The weight in kg, as it is now.
    package var weight: Double
    /// The last weighing.
    package var latest: Sample
  }

  /// Finds the question; `nil` if there is none.
  ///
  /// `memory` spares learning what it knows.
  package init?(
    _ reader: any StoreReader, _ memory: WeighingMemory = WeighingMemory()
  ) throws {
    let plan = try PlanSnapshot(reader, patient: nil)
    guard try !plan.everyone.isEmpty && Self.isPossible(in: plan, reader) else { return nil }
    try self.init(WeighingHistory(in: plan, reader).entries, in: plan, memory)
  }

  init?(
    _ entries: [WeighingHistory.Entry], in plan: PlanSnapshot, _ memory: WeighingMemory
  ) {
    let weighings = entries.map(\.weighing)
    let judged = memory.judged(weighings, in: plan.household)
    // Of whom it was said that it is somebody else, nothing is asked.
    let bodies = judged.evidence.residents.filter { !$0.isDisowned }
    let latest = bodies.compactMap(\.weighings.last)
    residents = zip(bodies, latest).map {
      Resident(weight: Double($0.weight / 100) / 10, latest: entries[$1].sample)
    }
    let waiting = entries.indices.filter { entries[$0].waits }
    let unconfirmed = plan.everyone.map(\.id).filter { patient in
      !weighings.contains { $0.label.patient == patient }
    }
    if plan.everyone.count == 1, let patient = plan.everyone.first?.id, latest.count > 1 {
      let isOpen = latest.allSatisfy { judged.odds(of: patient, at: $0) < Self.clear }
      if unconfirmed.contains(patient) || isOpen && waiting.count >= Self.least,
        let last = latest.max()
      {
        kind = .weigher(patient: patient)
        sample = entries[last].sample
        settled = memory.settled(byAnswering: latest, of: weighings) {
          judged.evidence.settled(byNaming: patient, among: latest)
        }
        return
      }
    }
    if waiting.count >= Self.least, let last = waiting.last {
      kind = .owner
      sample = entries[last].sample
      settled = memory.settled(byAnswering: [last], of: weighings) {
        judged.evidence.settled(byAnswering: last)
      }
      return
    }
    guard plan.everyone.count > 1 else { return nil }
    for patient in unconfirmed {
      let own = entries.indices.filter { entries[$0].sample.patient == patient }
      guard own.count >= Self.least, let last = own.last else { continue }
      (kind, sample, settled) = (.confirmation(patient: patient), entries[last].sample, 0)
      return
    }
    return nil
  }

  /// Whether there can be a question: where everything is the only patient's, nothing has to be read.
  private static func isPossible(
    in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> Bool {
    guard plan.everyone.count == 1 else { return true }
    let others = [
      SampleQuery(owner: .unassigned, quantity: .bodyMass, limit: 1),
      SampleQuery(quantity: .bodyMass, limit: 1, states: [.disowned]),
    ]
    return try others.contains { try !reader.samples($0).isEmpty }
  }

  /// A single weighing that waits is a question by itself.
  private static let least = 3
  /// The odds in millionths at which it is not open who somebody is.
  private static let clear = 990_000
}

extension WeighingHistory.Entry {
  /// Whether it waits in the tray without anybody's word.
  var waits: Bool {
    sample.patient == nil && sample.state == .live && weighing.label == .none
  }
}

extension Weighing.Label {
  /// The patient whom it names.
  var patient: String? {
    switch self {
    case .none, .nobody: nil
    case .patient(let patient), .entered(let patient): patient
    }
  }
}
