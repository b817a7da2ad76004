import Actions
public import Care
public import DeviceCatalog
package import Foundation
public import Radio

/// The pipeline from a radio to the store: runs the device sessions, stores their readings, and
/// reports which tasks they complete.
///
/// One consumer of one radio: each event is processed completely, its readings durable and its
/// commands sent, before the next is requested. Timers are values that the radio's time fires, so
/// recordings and live radios take the same path.
public struct Hub {
  private let radio: any Radio
  private var writer: BatchWriter
  private let report: (HubReport) -> Void
  private var sessions: SessionTable
  private var motion = MotionTable()
  /// The sessions with people, if there are any.
  private let desk: MeasuringDesk?
  private var summary = HubSummary()
  /// When recent notes were reported.
  private var notes: [SessionOutput: SteadyTime] = [:]
  /// Findings that are not in the store yet.
  private var backlog: [FindingBatch] = []
  /// The keys that devices have sent, once, and that are not in the store yet.
  private var unkept: [DeviceAddress: LearnedKey] = [:]
  /// The time of the last event or deadline.
  private var lastTime: Date?
  /// By how many seconds the wall clock was set forward since the run began.
  private var clockSetting: TimeInterval = 0
  /// The linked devices of which the store refused a reading: nothing more is acknowledged to them, for
  /// they delete what is.
  private var refused: Set<DeviceAddress> = []
  /// Whether the radio was interrupted, so that the run is to end.
  private var isEnding = false
  /// The check of a store that somebody may take away; `nil` without one.
  private let storeCheck: StoreCheck?
  /// When the store is checked next, also while no device sends; `nil` for never.
  private var storeCheckAt: SteadyTime?
  /// When the plan is read again for an unknown device.
  private var planRefresh: SteadyTime?

  /// The most different notes that are reported a minute.
  static let mostNotes = 64

  /// The most batches in one transaction, while a recording is ahead of the store.
  static let longestBacklog = 128

  /// The longest delay, in seconds, until a binding of an unknown device takes effect.
  static let planAge: TimeInterval = 60

  /// A key, and when the device sent it.
  private struct LearnedKey {
    let key: Secret<[UInt8]>
    let time: Date
  }

  /// Notices that a store cannot be used, which nobody else does while no device sends.
  package struct StoreCheck {
    /// The time, in seconds, after which the store is checked again.
    static let interval: TimeInterval = 60

    /// When it is checked first.
    let start: Date
    /// Throws if the store cannot be used.
    let check: () throws -> Void

    /// Makes a check.
    package init(from start: Date, _ check: @escaping () throws -> Void) {
      self.start = start
      self.check = check
    }
  }

  /// Makes a hub that reads devices by `catalog` and stores their measurements in `store`.
  ///
  /// - Parameters:
  ///   - radio: The source of events.
  ///   - store: The store, which holds the plan.
  ///   - catalog: The device definitions.
  ///   - patient: The only patient to assign readings to; `nil` for everyone in the plan.
  ///   - isClockSynchronized: Whether a time service has set the clock that dates the events, `nil`
  ///     if the machine does not say; asked at each transaction. Until then the clocks of readings
  ///     are marked as untrusted. Without it, as for recordings, the dates of the events hold.
  ///   - report: Receives every report, in order.
  /// - Throws: ``StoreError`` if the plan cannot be read.
  public init(
    radio: any Radio, store: any Store, catalog: DeviceCatalog, patient: String? = nil,
    isClockSynchronized: (() -> Bool?)? = nil, report: @escaping (HubReport) -> Void
  ) async throws {
    try await self.init(
      radio: radio, store: store, catalog: catalog, patient: patient, desk: nil,
      isClockSynchronized: isClockSynchronized, report: report)
  }

  /// Makes a hub whose sensors serve the sessions of `desk`, too, and which checks its store
  /// every minute.
  package init(
    radio: any Radio, store: any Store, catalog: DeviceCatalog, patient: String? = nil,
    desk: MeasuringDesk?, isClockSynchronized: (() -> Bool?)? = nil,
    storeCheck: StoreCheck? = nil, report: @escaping (HubReport) -> Void
  ) async throws {
    self.radio = radio
    self.desk = desk
    self.storeCheck = storeCheck
    storeCheckAt = storeCheck.map { EventTime($0.start).steady }
    self.report = report
    writer = try await BatchWriter(
      store: store, patient: patient, isClockSynchronized: isClockSynchronized)
    sessions = SessionTable(catalog: catalog)
    bind()
  }

  /// Runs until the radio ends or fails; pending findings are stored in both cases.
  ///
  /// At its end it disconnects the devices and stores what they send until their links are down: a
  /// device deletes what is confirmed, also by bluetoothd. After a ``StoreError`` it may run again:
  /// what could not be stored is stored first.
  ///
  /// - Returns: The summary of the run.
  /// - Throws: ``RadioError`` if the radio failed, ``StoreError`` if a finding could not be stored;
  ///   everything acknowledged until then is in the store.
  public mutating func run() async throws -> HubSummary {
    try await flush()
    while !isEnding {
      let step: RadioStep
      do throws(RadioError) {
        step = try await radio.next(until: nextWake)
      } catch {
        try await finish()
        throw error
      }
      switch step {
      case .event(let event):
        lastTime = event.time
        summary.events += 1
        try await handle(event)
      case .deadline(let time):
        lastTime = time
        let now = eventTime(time)
        if let due = storeCheckAt, now.steady >= due {
          storeCheckAt = now.steady + StoreCheck.interval
          try storeCheck?.check()
        }
        try await process(sessions.wake(at: now), at: time)
        try await store(motion.wake(at: time), at: time)
      case .clockSet(let jump, let time):
        try await follow(clockSetBy: jump, at: time)
      case .end:
        isEnding = true
      }
    }
    try await finish()
    return summary
  }

  /// Goes on by a wall clock that was set: what was measured keeps its times, and steps are counted
  /// by the new clock's minutes.
  private mutating func follow(clockSetBy jump: TimeInterval, at time: Date) async throws {
    let before = lastTime ?? time
    clockSetting += jump
    lastTime = time
    emit(.clockSet(by: jump))
    try await store(motion.restart(at: before), at: before)
    try await flush()
  }

  /// The time of a date of the radio, whose dates are those of the clock as it is set now.
  private func eventTime(_ date: Date) -> EventTime { EventTime(date, setting: clockSetting) }

  /// How long, in seconds, links may take to end: bluetoothd takes two.
  static let leaveTime: TimeInterval = 8

  /// Ends every session and stores the pending findings.
  private mutating func finish() async throws {
    if let lastTime {
      try await process(sessions.end(at: eventTime(lastTime)), at: lastTime)
      try await leave(sessions.linkedDevices, at: lastTime)
      try await store(motion.end(at: self.lastTime ?? lastTime), at: self.lastTime ?? lastTime)
    }
    try await flush()
  }

  /// Stores what devices send until their links are down; begins nothing new.
  ///
  /// One interruption is ignored: a stop that follows a reload must not shorten it.
  private mutating func leave(_ addresses: Set<DeviceAddress>, at time: Date) async throws {
    var linked = addresses
    let deadline = eventTime(time).steady + Self.leaveTime
    var isInterrupted = false
    while !linked.isEmpty {
      // A radio that failed has nothing to say.
      let end = deadline.date(setting: clockSetting)
      guard let step = try? await radio.next(until: end) else { return }
      switch step {
      case .event(let event):
        lastTime = event.time
        summary.events += 1
        let outputs = sessions.handle(event.event, at: eventTime(event.time)).filter(\.isOfTheEnd)
        try await process(outputs, at: event.time)
        switch event.event {
        case .disconnected, .failed: linked.formIntersection(sessions.linkedDevices)
        default: break
        }
      case .clockSet(let jump, let time):
        try await follow(clockSetBy: jump, at: time)
      case .end where !isInterrupted:
        isInterrupted = true
      case .deadline, .end:
        return
      }
    }
  }

  /// Ends every link, without storing or confirming anything, since the store cannot be written.
  ///
  /// ``run()`` goes on afterwards.
  package mutating func hangUp() async {
    for address in sessions.linkedDevices.sorted() { await send(.disconnect(address)) }
  }

  /// Stores what waits and reads the plan, to see that the store can be used again.
  package mutating func recover() async throws {
    try storeCheck?.check()
    try await flush()
    if try await writer.refresh() { bind() }
  }

  private var nextWake: Date? {
    let deadline = [sessions.wakeAt, storeCheckAt].compactMap(\.self).min()
    return [deadline?.date(setting: clockSetting), motion.wakeAt].compactMap(\.self).min()
  }

  private mutating func handle(_ event: TimedEvent) async throws {
    if case .motion(let recorded) = event.event {
      let batch = MotionBatch(recorded, at: event.time)
      try await store(motion.add(batch, at: eventTime(event.time), desk: desk), at: event.time)
      try await propose(at: event.time)
      return
    }
    // The data of a device are not lost if the plan cannot be read.
    var planFailure: (any Error)?
    do { try await refreshPlan(of: event) } catch { planFailure = error }
    try await process(
      sessions.handle(event.event, at: eventTime(event.time)), at: event.time)
    if case .disconnected(let address) = event.event {
      refused.remove(address)
      desk?.lose(DeviceID(address.description))
      try await store(
        motion.disconnected(DeviceID(address.description), at: event.time), at: event.time)
    }
    if let planFailure { throw planFailure }
    try await propose(at: event.time)
  }

  /// Processes outputs in order: readings are durable before the command that follows them.
  ///
  /// Where the store fails, the readings and keys behind the command wait with those before it.
  private mutating func process(_ outputs: [SessionOutput], at time: Date) async throws {
    var rest = outputs[...]
    do {
      try await process(&rest, at: time)
    } catch {
      let readings = rest.compactMap { output -> Finding? in
        if case .reading(let reading) = output { .reading(reading) } else { nil }
      }
      if !readings.isEmpty { backlog.append(FindingBatch(time: time, findings: readings)) }
      for case .learned(let address, let key) in rest {
        unkept[address] = LearnedKey(key: key, time: time)
      }
      throw error
    }
  }

  private mutating func process(
    _ outputs: inout ArraySlice<SessionOutput>, at time: Date
  ) async throws {
    var findings: [Finding] = []
    while let output = outputs.popFirst() {
      switch output {
      case .reading(let reading):
        desk?.receive(reading, bindings: writer.plan.bindings)
        findings.append(.reading(reading))
      case .motion(let batch):
        findings += motion.add(batch, at: eventTime(time), desk: desk)
      case .learned(let address, let key):
        unkept[address] = LearnedKey(key: key, time: time)
        try await store(findings, at: time)
        try await flush()
        findings = []
      case .command(.connect(let address, _)) where try await isAskedAbout(address):
        sessions.decline(address)
      case .command(let command):
        try await store(findings, at: time)
        try await flush()
        findings = []
        if !command.mayAcknowledge(to: refused) { await send(command) }
      case .rejected(let frame):
        findings.append(.report(.rejected(frame)))
      case .note(let note):
        if isNew(output, at: time) { findings.append(.report(.device(note))) }
      case .linkFailed(let failure):
        var failureAtAnyDelay = failure
        failureAtAnyDelay.retryDelay = nil
        if isNew(.linkFailed(failureAtAnyDelay), at: time) {
          findings.append(.report(.linkFailed(failure)))
        }
      }
    }
    try await store(findings, at: time)
  }

  /// Whether a device of which nobody has said whose it is has sent something on an earlier run: it
  /// waits for the answer.
  private func isAskedAbout(_ address: DeviceAddress) async throws -> Bool {
    guard sessions.isLinkedOnce(address) else { return false }
    return try await writer.hasSamples(of: DeviceID(address.description))
  }

  /// Proposes a session to the wearers of the sensors that were switched on.
  private mutating func propose(at time: Date) async throws {
    guard let desk else { return }
    for device in motion.takeNewSensors() { try await writer.propose(device, to: desk, at: time) }
  }

  private mutating func send(_ command: RadioCommand) async {
    do throws(RadioError) {
      try await radio.send(command)
    } catch {
      emit(.radioRefused(error))
    }
  }

  /// Stores `findings`, at once unless the radio has another event waiting.
  ///
  /// Nothing is acknowledged before ``flush()``, so pending findings can be sent again.
  private mutating func store(_ findings: [Finding], at time: Date) async throws {
    if !findings.isEmpty { backlog.append(FindingBatch(time: time, findings: findings)) }
    let isAwaited = findings.contains { if case .recording = $0 { true } else { false } }
    guard !radio.hasNext || isAwaited || backlog.count >= Self.longestBacklog else { return }
    try await flush()
  }

  /// Makes the pending findings and the keys durable, and reports the findings.
  private mutating func flush() async throws {
    if !backlog.isEmpty {
      let revision = writer.plan.revision
      let reports = try await writer.write(backlog)
      backlog = []
      for report in reports {
        if case .refusedReading(let reading, _) = report,
          let address = DeviceAddress(reading.device.address.text)
        {
          refused.insert(address)
        }
        emit(report)
      }
      if writer.plan.revision != revision { bind() }
    }
    for (address, learned) in unkept.sorted(by: { $0.key < $1.key }) {
      let device = DeviceID(address.description)
      let isNew = try await writer.keep(learned.key, of: device, at: learned.time)
      unkept[address] = nil
      if isNew { bind() }
    }
  }

  private mutating func bind() {
    sessions.bind(writer.plan.bindings, timeZone: writer.plan.timeZone)
    motion.bind(writer.plan.bindings, calibrations: writer.plan.calibrations)
  }

  /// Reads the plan again, at most once in ``planAge``, for an unknown device: other changes of the
  /// plan are noticed with the next reading, and an unknown device gives none.
  private mutating func refreshPlan(of event: TimedEvent) async throws {
    let now = eventTime(event.time).steady
    guard planRefresh.map({ now >= $0 }) ?? true, let address = event.event.address,
      !sessions.knows(address)
    else { return }
    planRefresh = now + Self.planAge
    if try await writer.refresh() { bind() }
  }

  /// Whether a note was not reported within the last minute: a strap without skin contact repeats
  /// it every second.
  private mutating func isNew(_ note: SessionOutput, at time: Date) -> Bool {
    let now = eventTime(time).steady
    notes = notes.filter { now - $0.value < 60 }
    guard notes[note] == nil, notes.count < Self.mostNotes else { return false }
    notes[note] = now
    return true
  }

  private mutating func emit(_ report: HubReport) {
    summary.count(report)
    self.report(report)
  }
}

extension RadioCommand {
  /// Whether it tells one of the devices that something was received.
  fileprivate func mayAcknowledge(to devices: Set<DeviceAddress>) -> Bool {
    switch self {
    case .confirm(let confirmation): devices.contains(confirmation.address)
    case .write(let address, _, _, _): devices.contains(address)
    default: false
    }
  }
}

extension SessionOutput {
  /// Whether it belongs to the end of a link: what was measured, and its acknowledgement.
  fileprivate var isOfTheEnd: Bool {
    switch self {
    case .command(.confirm): true
    case .command, .linkFailed: false
    case .reading, .motion, .learned, .rejected, .note: true
    }
  }
}
