public import Care
public import DeviceCatalog
import Foundation
public import Radio

/// The heart: hears a radio, reads devices, keeps what they measure, and tells what that completed.
///
/// One consumer of one radio: each event is handled to the end, its readings durable and its
/// commands sent, before the next is asked for. Timers are values that the radio's own time fires,
/// so a recording and a live radio take the same path.
public struct Hub {
  private let radio: any Radio
  private var keeper: Keeper
  private let report: (HubReport) -> Void
  private var sessions: SessionTable
  private var motion = MotionTable()
  private var summary = HubSummary()
  /// What was told lately, and when.
  private var notes: [SessionOutput: Date] = [:]
  /// What was found and is not in the store yet.
  private var backlog: [FindingBatch] = []
  /// When something last happened.
  private var lastTime: Date?
  /// When the plan is next looked at for the sake of a device that nobody knows.
  private var planIsOld = Date.distantPast

  /// How many different notes a minute are told.
  static let mostNotes = 64

  /// How many batches are kept together at most, while a recording is ahead of the store.
  static let longestBacklog = 128

  /// How long a device that was just bound may have to wait to be known, in seconds.
  static let planAge: TimeInterval = 60

  /// Makes a hub that reads devices by `catalog` and keeps what they measure in `store`.
  ///
  /// - Parameters:
  ///   - radio: What is heard.
  ///   - store: Where it is kept; it holds the plan.
  ///   - catalog: The devices that are read.
  ///   - patient: The only person that readings may be given to; `nil` for everyone in the plan.
  ///   - report: Told everything that happens, in order.
  /// - Throws: ``StoreError`` where the plan cannot be read.
  public init(
    radio: any Radio, store: any Store, catalog: DeviceCatalog, patient: String? = nil,
    report: @escaping (HubReport) -> Void
  ) async throws {
    self.radio = radio
    self.report = report
    keeper = try await Keeper(store: store, patient: patient)
    sessions = SessionTable(catalog: catalog)
    bind()
  }

  /// Works until the radio ends, or fails; what was held back until then is kept in both cases.
  ///
  /// - Returns: What it came to.
  /// - Throws: ``RadioError`` where the radio failed, ``StoreError`` where something could not be
  ///   kept; everything acknowledged until then is in the store.
  public mutating func run() async throws -> HubSummary {
    while true {
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
        try await act(on: sessions.wake(at: time), at: time)
        try await keep(motion.wake(at: time), at: time)
      case .end:
        try await finish()
        return summary
      }
    }
  }

  /// Keeps what is still held back, and ends every session in good order.
  private mutating func finish() async throws {
    if let lastTime {
      try await act(on: sessions.end(at: lastTime), at: lastTime)
      try await keep(motion.end(at: lastTime), at: lastTime)
    }
    try await flush()
  }

  private var nextWake: Date? {
    [sessions.wakeAt, motion.wakeAt].compactMap(\.self).min()
  }

  private mutating func handle(_ event: TimedEvent) async throws {
    if case .motion(let recorded) = event.event {
      let batch = MotionBatch(recorded, at: event.time)
      try await keep(motion.add(batch, at: event.time), at: event.time)
      return
    }
    try await lookForBinding(of: event)
    try await act(on: sessions.handle(event.event, at: event.time), at: event.time)
    if case .disconnected(let address) = event.event {
      try await keep(
        motion.disconnected(DeviceID(address.description), at: event.time), at: event.time)
    }
  }

  /// Does what sessions ask, in order: readings are durable before the command that follows them.
  private mutating func act(on outputs: [SessionOutput], at time: Date) async throws {
    var findings: [Finding] = []
    for output in outputs {
      switch output {
      case .reading(let reading):
        findings.append(.reading(reading))
      case .motion(let batch):
        findings += motion.add(batch, at: time)
      case .command(let command):
        try await keep(findings, at: time)
        try await flush()
        findings = []
        await send(command)
      case .rejected(let frame):
        findings.append(.news(.rejected(frame)))
      case .note(let note):
        if isNews(output, at: time) { findings.append(.news(.device(note))) }
      case .linkFailed(let failure):
        var failureAtAnyDelay = failure
        failureAtAnyDelay.retryDelay = nil
        if isNews(.linkFailed(failureAtAnyDelay), at: time) {
          findings.append(.news(.linkFailed(failure)))
        }
      }
    }
    try await keep(findings, at: time)
  }

  private mutating func send(_ command: RadioCommand) async {
    do throws(RadioError) {
      try await radio.send(command)
    } catch {
      tell(.radioRefused(error))
    }
  }

  /// Keeps `findings`, at once unless the radio is behind.
  ///
  /// Nothing is acknowledged in between, so what is held back is never lost to anyone.
  private mutating func keep(_ findings: [Finding], at time: Date) async throws {
    if !findings.isEmpty { backlog.append(FindingBatch(time: time, findings: findings)) }
    let isAwaited = findings.contains { if case .recording = $0 { true } else { false } }
    guard !radio.hasNext || isAwaited || backlog.count >= Self.longestBacklog else { return }
    try await flush()
  }

  /// Makes durable what is held back, and tells of it.
  private mutating func flush() async throws {
    guard !backlog.isEmpty else { return }
    let revision = keeper.context.revision
    let reports = try await keeper.keep(backlog)
    backlog = []
    reports.forEach { tell($0) }
    if keeper.context.revision != revision { bind() }
  }

  private mutating func bind() {
    sessions.bind(keeper.context.bindings, timeZone: keeper.context.timeZone)
    motion.bind(keeper.context.bindings, calibrations: keeper.context.calibrations)
  }

  /// Looks at the plan, now and then, for a device that nobody knows: readings are what makes the
  /// hub notice another plan, and such a device gives none before it is noticed.
  private mutating func lookForBinding(of event: TimedEvent) async throws {
    guard event.time >= planIsOld, let address = event.event.address, !sessions.knows(address)
    else { return }
    planIsOld = event.time.addingTimeInterval(Self.planAge)
    if try await keeper.refresh() { bind() }
  }

  /// Whether a note was not told within the last minute: a strap without skin contact says so every
  /// second.
  private mutating func isNews(_ note: SessionOutput, at time: Date) -> Bool {
    notes = notes.filter { time < $0.value.addingTimeInterval(60) }
    guard notes[note] == nil, notes.count < Self.mostNotes else { return false }
    notes[note] = time
    return true
  }

  private mutating func tell(_ report: HubReport) {
    summary.count(report)
    self.report(report)
  }
}
