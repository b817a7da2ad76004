package import Attribution
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

// MARK: - Weighing judge

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

// MARK: - Plan snapshot

/// The part of the plan by which devices are read and readings are assigned.
package struct PlanSnapshot: Sendable {
  /// The revision of the plan.
  package var revision: Int64
  /// The patients whose readings are stored.
  package var patients: [Patient]
  /// All patients of the plan, who may weigh on the same scale.
  package var everyone: [Patient]
  /// Their devices.
  package var bindings: [DeviceBinding]
  /// The calibrations of accelerometers.
  package var calibrations: [SensorCalibration]
  /// The zone of device clocks; UTC before the first plan.
  package var timeZone: TimeZone
  /// The linked tasks, by patient and id, so that reports have one order.
  package var linkedTasks: [TaskHistory]

  /// Reads the plan of a store; only the part of `patient` unless that is `nil`.
  package init(_ reader: any StoreReader, patient: String?) throws {
    revision = try reader.planRevision()
    everyone = try reader.patients()
    patients = everyone.filter { patient == nil || $0.id == patient }
    bindings = try reader.deviceBindings()
    calibrations = try reader.calibrations()
    timeZone = try reader.planTimeZone() ?? .gmt
    let tasks = try reader.taskVersions(patient: patient)
    linkedTasks = EventExpansion.histories(of: tasks)
      .filter { $0.versions.contains { $0.linkage != nil } }
      .sorted { Self.name(of: $0) < Self.name(of: $1) }
  }

  private static func name(of history: TaskHistory) -> (String, String) {
    history.versions.first.map { ($0.patient, $0.id) } ?? ("", "")
  }

  /// Whether the plan binds the device to a patient.
  package func isBound(_ device: DeviceIdentity) -> Bool {
    bindings.contains { $0.patient != nil && $0.address == device.address }
  }
}

extension [DeviceBinding] {
  /// The patient to whom the reading's user slot is bound, and whether any slot of its device is.
  package func slot(of reading: Reading) -> (patient: String?, isBound: Bool) {
    guard let slot = reading.userIndex else { return (nil, false) }
    let bound = filter { $0.address == reading.device.address && $0.userIndex != nil }
    return (bound.first { $0.userIndex == slot }?.patient, !bound.isEmpty)
  }

  /// The patient to whom alone the reading's device is bound as a whole.
  package func onlyPatient(of reading: Reading) -> String? {
    let owners = Set(
      filter { $0.address == reading.device.address && $0.userIndex == nil }.compactMap(\.patient))
    return owners.count == 1 ? owners.first : nil
  }
}
