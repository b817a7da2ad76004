import Assessments
import Care
import CareStore
import Foundation
import Measurement
import Motion
import Radio
import Synchronization
import Testing
import Traces

@testable import Hub
@testable import TestSupport

/// The real path: sensors, hub, desk and store, with people.
@Suite struct MeasuringDeskTests {
  static let start = time("2026-11-20T09:10:00-08:00")

  /// A trace whose time is the desk's, in which people do things.
  final class Visit: Radio {
    private let trace: TraceRadio
    private var deeds: [(at: TimeInterval, deed: () async throws -> Void)] = []
    private(set) var failure: (any Error)?
    let desk: MeasuringDesk

    init(_ events: [TimedEvent]) {
      trace = TraceRadio([SyntheticTrace(events.sorted { $0.time < $1.time })])
      let clock = SharedClock()
      shared = clock
      let ids = Mutex(0)
      desk = MeasuringDesk(
        clock: { clock.time },
        makeID: {
          ids.withLock { last in
            last += 1
            return String(last)
          }
        })
    }

    private let shared: SharedClock

    final class SharedClock: Sendable {
      private let value = Mutex<Int64>(0)
      var time: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
      }
    }

    /// Does something so many seconds after the start.
    func at(_ seconds: TimeInterval, _ deed: @escaping () async throws -> Void) {
      deeds.append((seconds, deed))
      deeds.sort { $0.at < $1.at }
    }

    func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
      let step = try await trace.next(until: deadline)
      let time: Date? =
        switch step {
        case .event(let event): event.time
        case .deadline(let time): time
        case .end, .clockSet: nil
        }
      while let deed = deeds.first,
        time.map({ $0.timeIntervalSince(MeasuringDeskTests.start) >= deed.at }) ?? true
      {
        deeds.removeFirst()
        shared.time = Int64(deed.at * 1_000_000)
        do { try await deed.deed() } catch { failure = failure ?? error }
      }
      if let time {
        shared.time = Int64(
          saturating: time.timeIntervalSince(MeasuringDeskTests.start) * 1_000_000)
      }
      return step
    }

    func send(_ command: RadioCommand) async throws(RadioError) {}
  }

  private static func plan(_ activeTask: String, extra: String = "") -> String {
    Plans.john(
      tasks: """
          - id: test
            patient: john
            title: Do the test
            schedule:
              - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h}
            activeTask: {\(activeTask)}
        \(extra)
        """,
      devices: """
          - {sensor: left-shank, patient: john, placement: {joint: knee, side: left, segment: shank}}
          - {sensor: left-thigh, patient: john, placement: {side: left, segment: thigh}}
          - {sensor: right-hand, patient: john, placement: {side: right, segment: hand}}
          - {sensor: pelvis, patient: john, placement: {segment: pelvis}}
          - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: john}
        """)
  }

  private func event(_ bench: Bench) async throws -> Event {
    try #require(
      try await bench.events(
        "test", from: "2026-11-20T09:00:00-08:00", to: "2026-11-20T09:30:00-08:00"
      ).first)
  }

  /// Eight seconds of rest, the samples, and ten seconds of rest.
  private static func worn(_ samples: [MotionSample]) -> [MotionSample] {
    guard let first = samples.first, let last = samples.last else { return [] }
    func rest(_ sample: MotionSample, from: Int64, _ seconds: Int64) -> [MotionSample] {
      (0..<seconds * 100).map {
        MotionSample(
          time: from + $0 * 10_000, acceleration: sample.acceleration,
          angularRate: sample.angularRate.map { _ in Vector3(x: 0, y: 0, z: 0) })
      }
    }
    let lead = rest(first, from: 0, 8)
    let shift = 8_000_000 - first.time
    let end = last.time + shift + 10_000
    return lead + samples.map { $0.at($0.time + shift) } + rest(last, from: end, 10)
  }

  private func run(_ bench: Bench, _ visit: Visit) async throws -> HubRun {
    let log = ReportLog()
    var hub = try await Hub(
      radio: visit, store: bench.store, catalog: try Catalog.shipped(), desk: visit.desk
    ) { log.add($0) }
    let summary = try await hub.run()
    return HubRun(reports: log.reports, summary: summary)
  }

  /// Performs a task with a person who starts it after a second and keeps the result.
  private func perform(
    _ activeTask: String, _ sensor: String, _ samples: [MotionSample], rests: Bool = true,
    besides others: [TimedEvent] = []
  ) async throws -> Event {
    let bench = try await Bench(Self.plan(activeTask))
    let recording = rests ? Self.worn(samples) : samples
    let visit = Visit(motion(of: sensor, recording, at: Self.start) + others)
    let event = try await event(bench)
    let (store, desk) = (bench.store, visit.desk)
    visit.at(0.5) {
      _ = try await store.read { reader in
        try desk.open(event, startsSoon: true, in: reader, now: Self.start)
      }
    }
    let end = Double(recording.last?.time ?? 0) / 1_000_000 + 1
    visit.at(end) {
      let status = visit.desk.status(of: "1")
      #expect(status?.state == .verdict, "\(String(describing: status?.refusal))")
      _ = try await visit.desk.keep("1", in: store, now: Self.start + end)
      // Twice is once.
      _ = try await visit.desk.keep("1", in: store, now: Self.start + end)
    }
    let run = try await run(bench, visit)
    if let failure = visit.failure { throw failure }
    #expect(run.notes.isEmpty && run.unmeasured.isEmpty)
    // The recording is the session's alone.
    #expect(run.completed.isEmpty && run.progressed.isEmpty)
    #expect(visit.desk.status(of: "1")?.state == .kept)
    let kept = try await self.event(bench)
    #expect(kept.progress.isCompleted)
    #expect(kept.outcome?.values.allSatisfy { $0.provenance == .active } == true)
    let samples = try await bench.samples().filter { $0.reading.kind != nil }
    #expect(samples.allSatisfy { $0.patient == "john" && $0.provenance == .active })
    #expect(Set(samples.map { $0.reading.kind ?? "" }).count == samples.count)
    return kept
  }

  @Test func `range of motion`() async throws {
    let event = try await perform(
      "type: rangeOfMotion, joint: knee, side: left", "left-shank",
      BendModel(range: 95_000, repetitions: 3, rate: 100).samples)
    #expect(abs(event.number("range") - 95) < 0.5)
    #expect(event.number("repetitions") == 3)
  }

  @Test func `timed up and go`() async throws {
    let event = try await perform(
      "type: timedUpAndGo", "left-thigh", SyntheticTimedUpAndGo().samples())
    #expect(abs(event.number("total") - 11.3) <= 0.5)
  }

  @Test func `five times sit to stand`() async throws {
    let event = try await perform(
      "type: fiveTimesSitToStand", "left-thigh",
      SyntheticChairStand(jitter: 0).samples(stands: 5))
    #expect(abs(event.number("total") - (4 * 3.2 + 2.7)) <= 0.3)
  }

  @Test func `thirty second chair stand`() async throws {
    let event = try await perform(
      "type: thirtySecondChairStand", "left-thigh",
      SyntheticChairStand(jitter: 0).samples(stands: 12))
    #expect(event.number("count") == 10)
  }

  @Test func `timed walk`() async throws {
    let event = try await perform(
      "type: timedWalk, distance: 20 m", "pelvis", GaitModel(margin: 13).samples(seconds: 20),
      rests: false)
    #expect(abs(event.number("speed") - 1) <= 0.1)
  }

  @Test func `six minute walk`() async throws {
    let beats = (0..<40).map { index in
      TimedEvent.value(
        0x2A37, of: 0x180D, hex([0x00, UInt8(80 + index)]), from: .strap,
        at: Self.start + 5 + 10 * Double(index))
    }
    let event = try await perform(
      "type: sixMinuteWalk, stepLength: 60 cm", "pelvis",
      GaitModel(margin: 13).samples(seconds: 380),
      rests: false,
      besides: beats)
    #expect(abs(event.number("steps") - 648) <= 15)
    #expect(abs(event.number("heartRateHighest") - 116) <= 3)
  }

  @Test func tremor() async throws {
    let samples = SyntheticTremor(
      frequency: 5, harmonic: 0, sway: 0, noise: 0, jitter: 0, seconds: 20
    ).samples
    let event = try await perform("type: tremor, side: right", "right-hand", samples)
    #expect(abs(event.number("frequency") - 5) <= 0.1)
  }

  @Test func sway() async throws {
    let samples = SyntheticStance(
      front: [(0.5, 0.01)], side: [], lean: 0, noise: 0, jitter: 0, seconds: 40
    ).samples
    let event = try await perform("type: sway, axis: z", "pelvis", samples)
    #expect(abs(event.number("rmsAnteroposterior") - 0.0693) <= 0.01)
  }

  @Test func `a cancelled session leaves nothing`() async throws {
    let bench = try await Bench(Self.plan("type: timedUpAndGo"))
    let visit = Visit(
      motion(
        of: "left-thigh", Self.worn(SyntheticTimedUpAndGo().samples()), at: Self.start))
    let (event, store, desk) = (try await event(bench), bench.store, visit.desk)
    visit.at(0.5) {
      _ = try await store.read {
        try desk.open(event, startsSoon: true, in: $0, now: Self.start)
      }
    }
    visit.at(12) { _ = try visit.desk.perform(.cancel, on: "1") }
    let run = try await run(bench, visit)
    #expect(visit.failure == nil)
    #expect(run.completed.isEmpty && run.unmeasured.isEmpty)
    #expect(try await self.event(bench).outcome == nil)
    #expect(try await bench.samples().allSatisfy { $0.reading.kind == nil })
  }

  @Test func `without a session the recording answers as before`() async throws {
    let bench = try await Bench(Self.plan("type: timedUpAndGo"))
    let visit = Visit(
      motion(
        of: "left-thigh", Self.worn(SyntheticTimedUpAndGo().samples()), at: Self.start))
    #expect(try await run(bench, visit).completed == ["test"])
  }

  @Test func `a sensor that is put on proposes what waits`() async throws {
    let bench = try await Bench(Self.plan("type: sway, axis: z"))
    let stance = SyntheticStance(
      front: [(0.5, 0.01)], side: [], lean: 0, noise: 0, jitter: 0, seconds: 50
    ).samples
    let first = try #require(stance.first?.time)
    let samples = stance.map { $0.at($0.time - first) }
    let visit = Visit(motion(of: "pelvis", samples, at: Self.start))
    let event = try await event(bench)
    visit.at(2.5) {
      let proposed = try #require(visit.desk.status(ofEvent: event.id))
      #expect(proposed.isProposed && proposed.state == .instructions)
      _ = try visit.desk.perform(.start, on: proposed.id)
      #expect(visit.desk.status(of: proposed.id)?.isProposed == false)
    }
    _ = try await run(bench, visit)
    #expect(visit.failure == nil)
    #expect(visit.desk.status(ofEvent: event.id)?.state == .verdict)
    // A proposal without an answer does not keep the sensor from being measured as before.
    let ignored = Visit(motion(of: "pelvis", samples, at: Self.start))
    #expect(try await run(bench, ignored).completed == ["test"])
  }

  @Test func `what must wait is not taken from any stretch`() async throws {
    let bench = try await Bench(
      Plans.john(
        tasks: """
            - id: test
              patient: john
              title: Do the test
              schedule:
                - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h}
              activeTask: {type: tremor}
          """,
        devices: """
            - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: john, placement: {segment: hand}}
          """))
    let tremor = SyntheticTremor(
      frequency: 5, harmonic: 0, sway: 0, noise: 0, rate: 50, jitter: 0, seconds: 12
    ).samples
    let connected = TimedEvent(time: Self.start - 1_200, event: .connected(.strap))
    // Before the event, the strap is put on; in it, the arm rests a while.
    func stretch(_ seconds: Int64) -> [TimedEvent] {
      polar(
        tremor.map { $0.at($0.time + seconds * 1_000_000) }, compressed: false,
        at: Self.start - 1_199)
    }
    let (early, later) = (stretch(0), stretch(1_199))
    let run = try await bench.play([connected] + early + later)
    #expect(run.completed.isEmpty && run.unmeasured.isEmpty)
    // Switched off, and on again for it.
    let off = TimedEvent(time: Self.start + 20, event: .disconnected(.strap))
    let on = TimedEvent(time: Self.start + 100, event: .connected(.strap))
    let last = stretch(1_300)
    let again = try await bench.play([connected] + early + later + [off, on] + last)
    #expect(again.completed == ["test"])
  }

  @Test func `one person and sensor have one session`() async throws {
    let bench = try await Bench(
      """
      timeZone: America/Los_Angeles
      patients: [{id: john}, {id: mary}]
      tasks:
        - {id: tug, patient: john, title: A, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}], activeTask: {type: timedUpAndGo}}
        - {id: stands, patient: john, title: B, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}], activeTask: {type: fiveTimesSitToStand}}
        - {id: knee, patient: mary, title: C, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}], activeTask: {type: rangeOfMotion, joint: knee}}
        - {id: sway, patient: mary, title: D, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}], activeTask: {type: sway}}
        - {id: walk, patient: mary, title: E, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: stepCount, type: cumulative, unit: count}}
      devices:
        - {sensor: one, patient: john, placement: {segment: thigh}}
        - {sensor: two, patient: mary, placement: {joint: knee, segment: shank}}
      """)
    let visit = Visit([])
    let desk = visit.desk
    let store = bench.store
    func open(_ task: String, day: String = "2026-11-20") async throws -> MeasuringStatus {
      let event = try #require(
        try await bench.events(task, from: day + "T09:00:00-08:00", to: day + "T09:30:00-08:00")
          .first)
      return try await store.read { try desk.open(event, in: $0, now: Self.start) }
    }
    let bindings = try await store.read { try $0.deviceBindings() }
    func send(_ sensor: String) -> Bool {
      desk.receive(
        [MotionSample(time: 0, acceleration: Vector3(x: 0, y: 0, z: 1_000_000))],
        of: DeviceIdentity(address: DeviceID(sensor)), bindings: bindings)
    }
    let john = try await open("tug")
    #expect(try await open("tug").id == john.id)
    let mary = try await open("knee")
    #expect(mary.id != john.id)
    // Before the start nothing is held; another task of the same person takes its place.
    #expect(!send("one") && !send("two"))
    #expect(desk.status(of: john.id)?.sensors == [DeviceID("one")])
    #expect(desk.status(of: mary.id)?.sensors == [DeviceID("two")])
    let stands = try await open("stands")
    #expect(desk.status(of: john.id)?.state == .cancelled)
    _ = send("one")
    _ = try desk.perform(.start, on: stands.id)
    #expect(send("one") && !send("two"))
    await #expect(throws: MeasuringFault.busy(event: stands.event)) {
      try await open("tug")
    }
    await #expect(throws: MeasuringFault.self) { try await open("sway") }
    await #expect(throws: MeasuringFault.noAssessment) { try await open("walk") }
    await #expect(throws: MeasuringFault.notYet) { try await open("knee", day: "2026-11-21") }
    #expect(throws: MeasuringFault.unknown) { try desk.perform(.start, on: "no") }
    await #expect(throws: MeasuringFault.wrongState(.countdown)) {
      try await desk.keep(stands.id, in: store, now: Self.start)
    }
  }
}
