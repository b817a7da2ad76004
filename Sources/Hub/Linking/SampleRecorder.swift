import Care
import Foundation

/// Turns a reading into a stored sample, and tells what that did to the plan, in one transaction.
struct SampleRecorder {
  /// Where it is stored.
  var writer: any StoreWriter
  /// The plan.
  var context: PlanContext
  /// Finds what samples complete.
  var linker: Linker

  /// Keeps what was found at one time.
  ///
  /// What else a scale says belongs to the weight's owner, so weights come first.
  mutating func record(_ batch: FindingBatch) throws -> [HubReport] {
    var reports: [HubReport] = []
    for finding in batch.findings.filter(\.isWeight) + batch.findings.filter({ !$0.isWeight }) {
      switch finding {
      case .reading(let reading): reports += try record(reading)
      case .recording(let recording): reports += try record(recording, now: batch.time)
      case .news(let report): reports.append(report)
      }
    }
    return reports
  }

  /// Stores `reading`; one that no store can keep is told of, and those after it are kept.
  ///
  /// - Returns: What happened, in order: the sample's fate, then the events that it moved.
  mutating func record(_ reading: Reading) throws -> [HubReport] {
    guard reading.quantity.isPersonal || context.isBound(reading.device) else {
      // The air in the room and a battery's charge are nobody's, and no tray should fill with them.
      return []
    }
    let identity = SampleIdentity(reading)
    guard try !writer.contains(identity) else { return [.duplicate(reading)] }
    let sample = try sample(reading, identity: identity)
    let before = try linker.openEvents(of: sample, in: context, writer)
    do {
      guard try writer.insert(sample) else { return [.duplicate(reading)] }
    } catch StoreError.refused(let refusal) {
      return [.refusedReading(reading, refusal)]
    }
    guard sample.patient != nil else { return [.unassigned(sample)] }
    guard !before.isEmpty else { return [.stored(sample)] }
    let after = try linker.openEvents(of: sample, in: context, writer)
    return [.stored(sample)] + linker.changes(from: before, to: after, by: sample)
  }

  private var clock: DeviceClock { DeviceClock(timeZone: context.timeZone) }

  private func sample(_ reading: Reading, identity: SampleIdentity) throws -> Sample {
    let verdict = clock.verdict(on: reading)
    let owner = try owner(of: reading)
    var sample = Sample(
      identity: identity, reading: reading, start: verdict.start,
      end: reading.interval?.end ?? verdict.start, isClockTrusted: verdict.isTrusted,
      provenance: reading.provenance)
    switch owner {
    case .patient(let patient): sample.patient = patient
    case .nobody(let reason): sample.unassignedReason = reason
    }
    return sample
  }

  /// Whose the reading is; what a scale says besides the weight belongs to the weight's owner.
  private func owner(of reading: Reading) throws -> Attribution.Owner {
    if reading.quantity.isMeasuredWithWeight, let weight = try companionWeight(of: reading) {
      guard let patient = weight.patient else {
        return .nobody(reason: "it came with a weight that is nobody's yet")
      }
      return .patient(patient)
    }
    return try context.attribution.owner(of: reading) { patient in
      try writer.latestSample(patient: patient, quantity: .bodyMass)?.value
    }
  }

  /// The weight that the same device took with `reading`.
  private func companionWeight(of reading: Reading) throws -> Sample? {
    let start = clock.verdict(on: reading).start
    let weights = try writer.samples(
      SampleQuery(
        quantity: .bodyMass, device: reading.device.address, from: start.addingTimeInterval(-60),
        to: start.addingTimeInterval(60)))
    return weights.last { $0.deviceTime == reading.deviceTime && $0.userIndex == reading.userIndex }
  }
}

extension Reading {
  /// How it came to be known: a measurement with several values is one that a person performed.
  var provenance: Provenance { kind == nil ? .passive : .active }
}
