import Actions
import Care
import Foundation

/// Writes findings to the store, one transaction for each call.
struct BatchWriter {
  private let store: any Store
  private let patient: String?
  private var completions = CompletionTracker()
  private var judge = WeighingJudge()
  /// The plan as of the last batch.
  private(set) var plan: PlanSnapshot
  /// Returns whether the machine's clock is synchronized; `nil` for a recording.
  private let isClockSynchronized: (() -> Bool?)?
  /// The store's evidence about that clock, from the first batch on.
  private var ahead: StoredAhead?

  /// The latest sample, if it is of more than a day after the first batch.
  private struct StoredAhead: Sendable {
    var latest: Date?
  }

  /// Reads the plan; readings are assigned to `patient` only, or to everyone for `nil`.
  init(store: any Store, patient: String?, isClockSynchronized: (() -> Bool?)?) async throws {
    self.store = store
    self.patient = patient
    self.isClockSynchronized = isClockSynchronized
    plan = try await store.read { try PlanSnapshot($0, patient: patient) }
  }

  /// Reads the plan again if it has changed.
  ///
  /// - Returns: Whether it has.
  mutating func refresh() async throws -> Bool {
    let (patient, known) = (patient, plan)
    let changed = try await store.read { reader in
      try reader.planRevision() == known.revision ? nil : try PlanSnapshot(reader, patient: patient)
    }
    guard let changed else { return false }
    (plan, completions) = (changed, CompletionTracker())
    return true
  }

  /// Keeps the key that a device has sent in its binding.
  ///
  /// - Returns: Whether the plan has changed; not if it does not name the device any longer.
  mutating func keep(_ key: Secret<[UInt8]>, of device: DeviceID, at time: Date) async throws
    -> Bool
  {
    try await store.write { writer in
      let bindings = try writer.deviceBindings().filter { $0.address == device }
      guard
        var binding = bindings.first(where: { $0.key != nil })
          ?? bindings.first(where: { $0.userIndex == nil }) ?? bindings.first
      else { return }
      binding.key = key
      try writer.bind(binding, now: time)
    }
    return try await refresh()
  }

  /// Whether something of a device is stored, in any state.
  func hasSamples(of device: DeviceID) async throws -> Bool {
    try await store.read { reader in
      let query = SampleQuery(device: device, limit: 1, states: Set(Sample.State.allCases))
      return try reader.sampleCount(query) > 0
    }
  }

  /// Proposes a session with the sensor that was switched on.
  func propose(_ device: DeviceIdentity, to desk: MeasuringDesk, at time: Date) async throws {
    let bindings = plan.bindings
    guard bindings.contains(where: { $0.address == device.address && $0.placement != nil }) else {
      return
    }
    try await store.read { reader in
      let events = try reader.events(patient: nil, task: nil, from: time, to: time + 1)
      desk.propose(device.address, events, in: reader, bindings: bindings, now: time)
    }
  }

  /// Writes `batches` in one transaction; all of it is durable when this returns.
  ///
  /// A plan that was imported in the meantime takes effect from these batches on.
  mutating func write(_ batches: [FindingBatch]) async throws -> [HubReport] {
    let (patient, known, completions, judge) = (patient, plan, completions, judge)
    let isLive = isClockSynchronized != nil
    let (isSynchronized, knownAhead) = (isClockSynchronized?(), ahead)
    let written = try await store.write { writer in
      let isCurrent = try writer.planRevision() == known.revision
      let plan = isCurrent ? known : try PlanSnapshot(writer, patient: patient)
      var recorder = SampleRecorder(
        writer: writer, plan: plan, completions: isCurrent ? completions : CompletionTracker(),
        judge: judge)
      var ahead = knownAhead
      if isLive, ahead == nil, let first = batches.first?.time {
        let query = SampleQuery(from: first + MachineClockState.slack, limit: 1)
        ahead = StoredAhead(latest: try writer.samples(query).last?.start)
      }
      let reports = try batches.flatMap { batch in
        if isLive {
          recorder.machine = MachineClockState(
            at: batch.time, isSynchronized: isSynchronized, latest: ahead?.latest)
        }
        return try recorder.record(batch)
      }
      return (
        reports: reports, plan: plan, completions: recorder.completions, judge: recorder.judge,
        ahead: ahead
      )
    }
    ahead = written.ahead
    (plan, self.completions, self.judge) = (written.plan, written.completions, written.judge)
    return written.reports
  }
}

// MARK: - Findings

/// A result of an event, on its way into the store.
enum Finding: Sendable {
  /// A measured value.
  case reading(Reading)
  /// A minute of walking.
  case walk(WalkedMinute)
  /// A stretch of motion that may be an active task.
  case recording(ActiveTaskRecording)
  /// A report that needs no store, in its place among the others.
  case report(HubReport)

  /// Whether it is a weight.
  var isWeight: Bool {
    guard case .reading(let reading) = self else { return false }
    return reading.quantity == .bodyMass
  }
}

/// The findings of one time, which are written together.
struct FindingBatch: Sendable {
  /// The time.
  var time: Date
  /// The findings, in order.
  var findings: [Finding]
}
