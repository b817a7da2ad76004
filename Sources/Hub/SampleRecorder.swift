import Actions
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
  /// Decides whose a weighing is.
  var judge: WeighingJudge
  /// The weighings so far, from the first of the transaction that is judged by them.
  private(set) var history: WeighingHistory?
  /// The state of the clock that dates arrivals.
  var machine = MachineClockState.set

  /// Records the findings of one time.
  ///
  /// Other values of a scale belong to the weight's owner, so weights come first.
  mutating func record(_ batch: FindingBatch) throws -> [HubReport] {
    var reports: [HubReport] = []
    for finding in batch.findings.filter(\.isWeight) + batch.findings.filter({ !$0.isWeight }) {
      switch finding {
      case .reading(let reading): reports += try record(reading, of: batch)
      case .walk(let minute): reports += try record(minute)
      case .recording(let recording): reports += try record(recording, now: batch.time)
      case .report(let report): reports.append(report)
      }
    }
    return reports
  }

  /// Stores `reading`; a refusal of the store is reported and does not affect later readings.
  ///
  /// - Returns: The reports in order: the sample, then the events that it changed.
  mutating func record(
    _ reading: Reading, of batch: FindingBatch? = nil
  ) throws -> [HubReport] {
    guard reading.quantity.isPersonal || plan.isBound(reading.device) else {
      // Room climate and battery levels belong to no person; unbound ones are not stored.
      return [.passedOver(reading)]
    }
    let verdict = try verdict(on: reading)
    if let counter = reading.counter {
      let most = counter.period == .daily ? reading.quantity.plausible.upperBound : .infinity
      guard reading.value.isFinite, (0...most).contains(reading.value) else {
        return [.uncounted(reading, .implausible)]
      }
    }
    let received = reading
    var reading = reading.counted
    if try isConstant(reading) { reading.discardedBy = Reading.constant }
    guard let identity = try newIdentity(of: reading, verdict) else {
      try addContext(of: reading)
      return [.duplicate(reading)]
    }
    var owner = try owner(of: reading, at: verdict.start, in: batch)
    if case .unassigned = owner, try isOfNobodysDevice(reading) {
      // A stream would be kept for ever, and nothing of it is acknowledged.
      if reading.isStreamed { return [.passedOver(received)] }
      owner = .housemate(.deviceOfNobody)
    }
    var sample = sample(reading, identity: identity, verdict, of: owner)
    let notes = try clockNotes(on: reading, verdict)
    let before = try completions.openEvents(of: sample, in: plan, writer)
    var reason: UncountedReason?
    do {
      if reading.counter == nil {
        guard try writer.insert(sample) else { return [.duplicate(received)] }
      } else {
        guard let booked = try writer.book(sample) else { return [.duplicate(received)] }
        (sample, reason) = (booked.sample, booked.reason)
      }
    } catch StoreError.refused(let refusal) {
      return [.refusedReading(received, refusal)]
    }
    if case .housemate = owner {
      // A later change by hand is dated later, and holds.
      _ = try writer.change(
        .sample(identity), .disown, decidedBy: .evidence, reason: nil, now: reading.arrival)
      try addToHistory(sample)
      return [.disowned(try writer.sample(identity) ?? sample)] + notes
    }
    try addToHistory(sample)
    if reading.counter != nil, sample.value == 0 {
      // The total that it confirms may complete an event.
      let after = try completions.openEvents(of: sample, in: plan, writer)
      return [reason.map { .uncounted(received, $0) } ?? .duplicate(received)] + notes
        + completions.changes(from: before, to: after, by: sample)
    }
    guard sample.ownState != .notTaken else {
      sample.state = .notTaken
      return [.notTaken(sample)] + notes
    }
    guard sample.patient != nil else { return [.unassigned(sample)] + notes }
    guard !before.isEmpty else { return [.stored(sample)] + notes }
    let after = try completions.openEvents(of: sample, in: plan, writer)
    return [.stored(sample)] + notes + completions.changes(from: before, to: after, by: sample)
  }

  /// Whether the device sends this impedance with whatever weight.
  private func isConstant(_ reading: Reading) throws -> Bool {
    guard reading.quantity == .impedance, reading.discardedBy == nil else { return false }
    func latest(
      _ count: Int, _ quantity: Quantity, _ states: Set<Sample.State>
    ) throws -> [Sample] {
      try writer.samples(
        SampleQuery(
          quantity: quantity, device: reading.device.address, to: reading.arrival, limit: count,
          states: states))
    }
    let impedances = try latest(
      ConstantImpedance.least, reading.quantity, [.live, .disowned, .notTaken])
    guard impedances.count == ConstantImpedance.least else { return false }
    // The weight of this weighing may be there already.
    let weights = try latest(ConstantImpedance.least + 1, .bodyMass, [.live, .disowned])
    var known = ConstantImpedance()
    for sample in impedances {
      guard
        let weight = weights.last(where: { $0.isWeight(with: sample.reading, at: sample.start) })
      else { continue }
      known.add(sample.value, with: weight.value)
    }
    return known.constant == reading.value
  }

  /// Whether a person has said that what the device measured is of none of the patients.
  ///
  /// Of a weighing its own evidence says so.
  private func isOfNobodysDevice(_ reading: Reading) throws -> Bool {
    let device = reading.device.address
    guard !plan.bindings.isOfHousehold(device), reading.quantity != .bodyMass,
      !reading.quantity.isMeasuredWithWeight
    else { return false }
    // A single value of a device that is used here may be a visitor's.
    let disowned = SampleQuery(
      quantity: reading.quantity, device: device, limit: 1, states: [.disowned])
    return try writer.sampleCount(disowned) > 0
      && writer.sampleCount(SampleQuery(device: device, limit: 1)) == 0
  }

  private func sample(
    _ reading: Reading, identity: SampleIdentity, _ verdict: DeviceClock.Verdict,
    of owner: ReadingAttribution.Owner
  ) -> Sample {
    var sample = Sample(
      identity: identity, reading: reading, start: verdict.start,
      end: reading.interval?.end ?? verdict.start, isClockTrusted: verdict.isTrusted,
      provenance: reading.provenance)
    switch owner {
    case .patient(let patient): sample.patient = patient
    case .unassigned(let reason), .housemate(let reason): sample.unassignedReason = reason.text
    }
    return sample
  }

  /// The owner of the reading; other values of a scale belong to the weight's owner.
  private mutating func owner(
    of reading: Reading, at start: Date, in batch: FindingBatch?
  ) throws -> ReadingAttribution.Owner {
    if reading.quantity.isMeasuredWithWeight, reading.discardedBy == nil,
      let weight = try companionWeight(of: reading, at: start)
    {
      guard weight.state != .disowned else {
        return .housemate(.withDisownedWeight)
      }
      guard let patient = weight.patient else {
        return .unassigned(.withUnassignedWeight)
      }
      return .patient(patient)
    }
    return try plan.attribution.owner(of: reading) {
      try reviewWeek(before: reading, at: start)
      let history = try history ?? WeighingHistory(in: plan, writer)
      self.history = history
      return judge.verdict(
        on: reading, at: start, with: batch?.companions(of: reading) ?? [], in: plan,
        after: history)
    }
  }

  /// Judges all weighings again before the first of a week: those of a week say whose others were.
  private mutating func reviewWeek(before reading: Reading, at start: Date) throws {
    let known = try history ?? WeighingHistory(in: plan, writer)
    history = known
    guard known.ends(beforeWeekOf: reading, at: start, in: plan) else { return }
    _ = try WeighingReview.update(in: writer, now: reading.arrival)
    history = nil
  }

  /// Adds what was stored to the weighings that are known of this transaction.
  private mutating func addToHistory(_ sample: Sample) throws {
    guard history != nil, sample.ownState != .notTaken,
      WeighingHistory.quantities.contains(sample.quantity),
      let stored = try writer.sample(sample.identity)
    else { return }
    try history?.add(stored, in: plan, writer)
  }

  /// The weight that the same device measured with `reading`.
  private func companionWeight(of reading: Reading, at start: Date) throws -> Sample? {
    let weights = try writer.samples(
      SampleQuery(
        quantity: .bodyMass, device: reading.device.address, from: start - Sample.weighingSpan,
        to: start + Sample.weighingSpan, states: [.live, .disowned]))
    return weights.last { $0.isWeight(with: reading, at: start) }
  }
}

// MARK: - The device's clock

extension SampleRecorder {
  private var clock: DeviceClock { DeviceClock(timeZone: plan.timeZone, machine: machine) }

  private func verdict(on reading: Reading) throws -> DeviceClock.Verdict {
    let isFetched = reading.deviceTime != nil && !reading.isBroadcast
    return clock.verdict(
      on: reading, isFetched ? try clockHistory(before: reading) : DeviceClock.History())
  }

  /// The evidence of earlier readings about the clock of a device that sends stored records.
  private func clockHistory(before reading: Reading) throws -> DeviceClock.History {
    // The values of one measurement share a verdict: that on the weight.
    let quantity = reading.quantity.isMeasuredWithWeight ? .bodyMass : reading.quantity
    // Longer than a connection lasts while its records arrive.
    let connection: TimeInterval = 600
    let earlier = try writer.samples(
      SampleQuery(
        quantity: quantity, device: reading.device.address, to: reading.arrival, limit: 64)
    ).filter { $0.deviceTime != nil }
    // Readings from before this machine's clock was set cannot judge the device's clock.
    let live = earlier.filter { sample in
      sample.reading.isBroadcast && (sample.isClockTrusted || sample.isDatedByArrival)
    }.max { $0.arrival < $1.arrival }
    let fetched = earlier.last {
      $0.userIndex == reading.userIndex && !$0.reading.isBroadcast
        && $0.isClockTrusted && $0.arrival < reading.arrival - connection
    }
    return DeviceClock.History(
      lastFetched: fetched?.start,
      error: live.flatMap { DeviceClock(timeZone: plan.timeZone).verdict(on: $0.reading).error })
  }

  /// The identity under which a reading is stored; `nil` if it is stored already.
  ///
  /// A device repeats what it has sent: a scale broadcasts its last weighing when it is moved, and
  /// a device that deletes nothing sends its whole memory again. Both repeat the time of the first
  /// transmission, whatever is thought of it now.
  private func newIdentity(
    of reading: Reading, _ verdict: DeviceClock.Verdict
  ) throws -> SampleIdentity? {
    if try isKnownByAge(reading) || isKnownBefore(reading, verdict) { return nil }
    let byArrival = SampleIdentity(reading, isClockTrusted: false)
    guard reading.deviceTime != nil else {
      return try writer.contains(reading, identity: byArrival) ? nil : byArrival
    }
    let byClock = SampleIdentity(reading)
    if let known = try writer.sample(byClock) {
      // The hour that a change of clocks repeats has two readings at one time.
      let isRepetition =
        !reading.isBroadcast || !verdict.isTrusted
        || abs(reading.arrival.timeIntervalSince(known.arrival)) <= Reading.repetitionWindow
      if isRepetition { return nil }
    } else if try isKnownByName(reading, verdict) {
      return nil
    } else if verdict.isDated {
      return byClock
    }
    if try writer.contains(reading, identity: byArrival) { return nil }
    // The same frame, also if it was broadcast before it was fetched. A clock that runs shows each
    // second once, right or wrong; one that restarts at each measurement shows the same again.
    let isDated = (reading.deviceTime?.year ?? 0) >= DeviceClock.earliestYear
    let isOnce = reading.deviceTime?.hasRun ?? false || isDated && !reading.isBroadcast
    let since =
      isOnce ? Date(timeIntervalSince1970: 0) : reading.arrival - Reading.repetitionWindow
    return try writer.containsFrame(of: reading, since: since) ? nil : byArrival
  }

  /// How far apart, in seconds, the times of one record may be that are counted back from two
  /// arrivals.
  ///
  /// It covers what the links delayed, and what the device's clock drifted in days. Two
  /// measurements take longer.
  private static let ageTolerance: TimeInterval = 10

  /// Whether a reading whose time was counted back from its arrival is stored already: sent again,
  /// it has other bytes, and a time that is a little different.
  private func isKnownByAge(_ reading: Reading) throws -> Bool {
    guard reading.isDatedByAge, let start = reading.deviceTime?.instants(in: plan.timeZone).last
    else { return false }
    let near = try writer.samples(
      SampleQuery(
        quantity: reading.quantity, device: reading.device.address,
        from: start.addingTimeInterval(-Self.ageTolerance),
        to: start.addingTimeInterval(Self.ageTolerance), states: Set(Sample.State.allCases)))
    return near.contains {
      $0.deviceTime != nil && !$0.reading.isBroadcast && $0.value == reading.value
        && $0.userIndex == reading.userIndex && $0.reading.ordinal == reading.ordinal
    }
  }

  /// Whether what a device sends after a measurement was stored when it was measured.
  private func isKnownBefore(_ reading: Reading, _ verdict: DeviceClock.Verdict) throws -> Bool {
    guard reading.isRepeated else { return false }
    let near = try writer.samples(
      SampleQuery(
        quantity: reading.quantity, device: reading.device.address,
        from: verdict.start - Reading.repetitionWindow,
        to: verdict.start + Reading.clockTolerance, states: Set(Sample.State.allCases)))
    return near.contains { $0.value == reading.value && $0.userIndex == reading.userIndex }
  }

  /// The farthest that two times of one record can be apart, in seconds: twice an offset of 16 bits
  /// in minutes.
  private static let longestOffset: TimeInterval = 2 * 32_768 * 60

  /// Whether the record that the device names so is stored already, at whatever time.
  private func isKnownByName(_ reading: Reading, _ verdict: DeviceClock.Verdict) throws -> Bool {
    guard let place = reading.nameInRaw, reading.raw.count >= place.upperBound else { return false }
    let name = reading.raw[place]
    // Of a clock that is not believed, the earlier one may have been dated by its arrival.
    let query = SampleQuery(
      quantity: reading.quantity, device: reading.device.address,
      from: verdict.isTrusted ? verdict.start - Self.longestOffset : nil,
      to: verdict.isTrusted ? verdict.start + Self.longestOffset : nil,
      states: Set(Sample.State.allCases))
    return try writer.samples(query).contains { sample in
      sample.raw.count >= place.upperBound && sample.raw[place] == name
        && sample.reading.ordinal == reading.ordinal && sample.deviceTime != nil
    }
  }

  /// Keeps what the device says of a reading that is stored already: the first time, the link may
  /// have been lost before.
  private func addContext(of reading: Reading) throws {
    guard !reading.context.isEmpty else { return }
    for isTrusted in [true, false] {
      let identity = SampleIdentity(reading, isClockTrusted: isTrusted)
      if try writer.addContext(reading.context, to: identity) { return }
    }
  }

  /// Reports a clock that is wrong, once for each error that it has.
  private func clockNotes(
    on reading: Reading, _ verdict: DeviceClock.Verdict
  ) throws -> [HubReport] {
    guard let error = verdict.error, !reading.quantity.isMeasuredWithWeight else { return [] }
    let earlier = try writer.samples(
      SampleQuery(
        quantity: reading.quantity, device: reading.device.address, limit: 8,
        states: Set(Sample.State.allCases)))
    let isKnown = earlier.contains { sample in
      guard !sample.isClockTrusted else { return false }
      let known = clock.verdict(on: sample.reading).error
      return known.map { abs($0 - error) < 2 * DeviceClock.tolerance } ?? false
    }
    return isKnown ? [] : [.wrongClock(reading, error: error)]
  }
}

extension Sample {
  /// Whether the time is that of the arrival, to the second.
  fileprivate var isDatedByArrival: Bool { abs(start.timeIntervalSince(reading.arrival)) < 1 }
}

extension LocalDateTime {
  /// Whether the clock ran before it showed this: one that has just restarted shows the first hour
  /// of a year.
  fileprivate var hasRun: Bool { (month, day, hour) != (1, 1, 0) }
}

extension FindingBatch {
  /// The readings that the same device measured with a weight.
  fileprivate func companions(of weight: Reading) -> [Reading] {
    findings.compactMap { finding in
      guard case .reading(let reading) = finding, reading.device == weight.device,
        reading.deviceTime == weight.deviceTime, reading.userIndex == weight.userIndex
      else { return nil }
      return reading
    }
  }
}

extension Reading {
  /// The reading as it is stored: of a running total, without what the total adds.
  ///
  /// Neither a broadcast nor a stream: the same total of another receiver, or later, is a total
  /// like any other, and adds nothing.
  fileprivate var counted: Reading {
    guard counter != nil else { return self }
    var reading = self
    (reading.total, reading.value, reading.sourceValue) = (value, 0, nil)
    (reading.isBroadcast, reading.isStreamed, reading.interval) = (false, false, nil)
    return reading
  }

  /// Its provenance: a measurement with several values is performed by a person.
  var provenance: Provenance { kind == nil ? .passive : .active }
}

// MARK: - Batch writer

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
