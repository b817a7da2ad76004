import Care
import Foundation

/// Turns readings into stored samples, and reports the events that they complete, inside one
/// transaction.
struct SampleRecorder {
  /// The transaction.
  var writer: any StoreWriter
  /// The plan.
  var plan: PlanSnapshot
  /// The events that are known to be complete.
  var completions: CompletionTracker

  /// Records the findings of one time.
  ///
  /// Other values of a scale belong to the weight's owner, so weights come first.
  mutating func record(_ batch: FindingBatch) throws -> [HubReport] {
    var reports: [HubReport] = []
    for finding in batch.findings.filter(\.isWeight) + batch.findings.filter({ !$0.isWeight }) {
      switch finding {
      case .reading(let reading): reports += try record(reading)
      case .recording(let recording): reports += try record(recording, now: batch.time)
      case .report(let report): reports.append(report)
      }
    }
    return reports
  }

  /// Stores `reading`; a refusal of the store is reported and does not affect the following readings.
  ///
  /// - Returns: The reports in order: the sample, then the events that it changed.
  mutating func record(_ reading: Reading) throws -> [HubReport] {
    guard reading.quantity.isPersonal || plan.isBound(reading.device) else {
      // Room climate and battery levels belong to no person; unbound ones are not stored.
      return []
    }
    let verdict = clock.verdict(on: reading)
    let identity = SampleIdentity(reading, isClockTrusted: verdict.isTrusted)
    guard try !writer.contains(reading, identity: identity) else { return [.duplicate(reading)] }
    let sample = try sample(reading, identity: identity, verdict)
    let before = try completions.openEvents(of: sample, in: plan, writer)
    do {
      guard try writer.insert(sample) else { return [.duplicate(reading)] }
    } catch StoreError.refused(let refusal) {
      return [.refusedReading(reading, refusal)]
    }
    guard sample.patient != nil else { return [.unassigned(sample)] }
    guard !before.isEmpty else { return [.stored(sample)] }
    let after = try completions.openEvents(of: sample, in: plan, writer)
    return [.stored(sample)] + completions.changes(from: before, to: after, by: sample)
  }

  private var clock: DeviceClock { DeviceClock(timeZone: plan.timeZone) }

  private func sample(
    _ reading: Reading, identity: SampleIdentity, _ verdict: DeviceClock.Verdict
  ) throws -> Sample {
    let owner = try owner(of: reading)
    var sample = Sample(
      identity: identity, reading: reading, start: verdict.start,
      end: reading.interval?.end ?? verdict.start, isClockTrusted: verdict.isTrusted,
      provenance: reading.provenance)
    switch owner {
    case .patient(let patient): sample.patient = patient
    case .unassigned(let reason): sample.unassignedReason = reason
    }
    return sample
  }

  /// The owner of the reading; other values of a scale belong to the weight's owner.
  private func owner(of reading: Reading) throws -> Attribution.Owner {
    if reading.quantity.isMeasuredWithWeight, let weight = try companionWeight(of: reading) {
      guard let patient = weight.patient else {
        return .unassigned(reason: "it was measured with a weight that is unassigned")
      }
      return .patient(patient)
    }
    return try plan.attribution.owner(of: reading) { patient in
      try writer.latestSample(patient: patient, quantity: .bodyMass)?.value
    }
  }

  /// The weight that the same device measured with `reading`.
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
  /// Its provenance: a measurement with several values is performed by a person.
  var provenance: Provenance { kind == nil ? .passive : .active }
}
