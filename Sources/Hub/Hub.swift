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

  /// Makes a hub that reads devices by `catalog` and keeps what they measure in `store`.
  ///
  /// - Parameters:
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
    sessions.bind(keeper.context.bindings, timeZone: keeper.context.timeZone)
  }

  /// Works until the radio ends.
  ///
  /// - Returns: What it came to.
  /// - Throws: ``RadioError`` where the radio failed, ``StoreError`` where something could not be
  ///   kept; everything acknowledged until then is in the store.
  public mutating func run() async throws -> HubSummary {
    while true {
      switch try await radio.next(until: nextWake) {
      case .event(let event):
        summary.events += 1
        try await handle(event)
      case .deadline(let time):
        try await act(on: sessions.wake(at: time), at: time)
        try await keep(motion.wake(at: time), at: time)
      case .end(let last):
        if let last {
          try await act(on: sessions.end(at: last), at: last)
          try await keep(motion.end(at: last), at: last)
        }
        return summary
      }
    }
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
    try await act(on: sessions.handle(event.event, at: event.time), at: event.time)
    if case .disconnected(let address) = event.event {
      try await keep(
        motion.disconnected(address.description, at: event.time), at: event.time)
    }
  }

  /// Does what sessions ask, in order: readings are durable before the command that follows them.
  private mutating func act(on outputs: [SessionOutput], at time: Date) async throws {
    var findings: [MotionFinding] = []
    for output in outputs {
      switch output {
      case .reading(let reading):
        findings.append(.reading(reading))
      case .motion(let batch):
        findings += motion.add(batch, at: time)
      case .command(let command):
        try await keep(findings, at: time)
        findings = []
        await send(command)
      case .rejected(let frame):
        tell(
          .rejected(device: frame.address.description, reason: "\(frame.source): \(frame.reason)"))
      case .note(let text):
        tell(.note(text))
      }
    }
    try await keep(findings, at: time)
  }

  private mutating func send(_ command: RadioCommand) async {
    do {
      try await radio.send(command)
    } catch {
      tell(.note(error.description))
    }
  }

  private mutating func keep(_ findings: [MotionFinding], at time: Date) async throws {
    guard !findings.isEmpty else { return }
    let revision = keeper.context.revision
    try await keeper.keep(findings, now: time).forEach { tell($0) }
    if keeper.context.revision != revision {
      sessions.bind(keeper.context.bindings, timeZone: keeper.context.timeZone)
    }
  }

  private mutating func tell(_ report: HubReport) {
    summary.count(report)
    self.report(report)
  }
}
