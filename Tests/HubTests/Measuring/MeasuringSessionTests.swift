import Assessments
import Care
import Foundation
import Measurement
import Motion
import Testing
import Traces

@testable import Hub
@testable import TestSupport

/// Scripts through the state machine of a session.
@Suite struct MeasuringSessionTests {
  /// A session with a sensor that can be worn, moved and switched off.
  struct Script {
    var session: MeasuringSession
    /// The session's clock.
    var time: Int64 = 5_000_000
    let placement: Placement
    let device = DeviceIdentity(address: DeviceID("sensor"))
    /// The samples' clock is another one.
    static let origin: Int64 = 1_795_172_400_000_000

    init(_ activeTask: String, at sensor: String, isProposed: Bool = false) async throws {
      let bench = try await Bench(
        Plans.john(
          tasks: """
              - id: test
                patient: john
                title: Do the test
                schedule:
                  - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h}
                activeTask: {\(activeTask)}
            """))
      let event = try #require(
        try await bench.events(
          "test", from: "2026-11-20T09:00:00-08:00", to: "2026-11-20T09:30:00-08:00"
        ).first)
      let task = try #require(event.task.activeTask)
      let assessment = try #require(AssessmentList.assessment(for: task))
      placement = try #require(Placement(sensorName: sensor))
      session = MeasuringSession(
        id: "1", subject: .init(event: event, task: task, assessment: assessment),
        isProposed: isProposed, at: time)
    }

    /// Plays samples, 100 ms of them at a time.
    mutating func play(_ samples: [MotionSample]) {
      guard let first = samples.first?.time else { return }
      let start = time
      let batches = Dictionary(grouping: samples) { ($0.time - first) / 100_000 }
      for (number, batch) in batches.sorted(by: { $0.key < $1.key }) {
        time = start + (number + 1) * 100_000
        session.add(
          batch.map { $0.at(Self.origin + start + $0.time - first) }, of: device, at: placement,
          time: time)
      }
    }

    /// Rests for some seconds, as the last sample of `samples` does.
    mutating func rest(_ seconds: Double, like sample: MotionSample? = nil) {
      let force = sample?.acceleration ?? Vector3(x: 0, y: 0, z: 1_000_000)
      play(
        (0..<Int(saturating: seconds * 100)).map { index in
          MotionSample(
            time: Int64(index) * 10_000, acceleration: force,
            angularRate: Vector3(x: 0, y: 0, z: 0))
        })
    }

    /// Waits without a sample.
    mutating func wait(_ seconds: Double) {
      time += Int64(saturating: seconds * 1_000_000)
      session.advance(to: time)
    }

    mutating func act(_ action: MeasuringAction) throws(MeasuringFault) {
      try session.perform(action, at: time)
    }

    /// From the sensor being put on to the recording.
    mutating func begin(like sample: MotionSample? = nil) throws {
      rest(1, like: sample)
      try act(.start)
      rest(5.2, like: sample)
    }

    var cues: [MeasuringCue] { session.cues.map(\.cue) }
    var figure: LiveFigure? { session.status.figure }
  }

  private static let bends = BendModel(range: 95_000, repetitions: 2, rate: 100).samples

  private func knee() async throws -> Script {
    try await Script("type: rangeOfMotion, joint: knee, side: left", at: "left-shank")
  }

  @Test func `from the sensor to the result`() async throws {
    var script = try await knee()
    #expect(script.session.state == .waiting)
    #expect(script.session.status.sensors.isEmpty)
    script.rest(1)
    #expect(script.session.state == .instructions)
    #expect(script.session.status.sensors == [DeviceID("sensor")])
    try script.act(.start)
    #expect(script.session.status.secondsLeft == 5)
    script.rest(2.5)
    #expect(script.session.state == .countdown)
    #expect(script.session.status.secondsLeft == 3)
    script.rest(2.7)
    #expect(script.session.state == .recording)
    #expect(
      script.cues == [
        .countdown(5), .countdown(4), .countdown(3), .countdown(2), .countdown(1), .start,
      ])
    // Half way through the first bend, which the filter follows closely.
    script.play(Array(Self.bends.prefix(450)))
    let live = try #require(script.figure)
    #expect(live.kind == .angle)
    #expect(abs(live.value - 95) <= 3, "\(live)")
    #expect(abs((live.range?.upperBound ?? 0) - 95) <= 3)
    script.play(Array(Self.bends.dropFirst(450)))
    script.rest(4)
    #expect(script.session.state == .verdict)
    #expect(script.cues.last == .stop)
    let values = try #require(script.session.result?.values)
    let range = try #require(values.first { $0.figure.kind == "range" }?.value.number)
    #expect(abs(range - 95) < 0.5)
    #expect(values.first { $0.figure.kind == "repetitions" }?.value.number == 2)
    // The rest before the start belongs to it.
    let recorded = try #require(script.session.measured.first?.times)
    #expect(recorded.upperBound - recorded.lowerBound > 17_000_000)
    script.session.keep(at: script.time)
    #expect(script.session.state == .kept)
    #expect(script.session.wakeAt == nil)
    #expect(script.session.measured.isEmpty)
  }

  @Test func `a second sensor across the joint makes it the joints angle`() async throws {
    var script = try await knee()
    let thigh = DeviceIdentity(address: DeviceID("thigh"))
    let place = try #require(Placement(sensorName: "left-thigh"))
    func still(_ script: inout Script, _ seconds: Int, _ samples: [MotionSample]) {
      // Both send at the same times, second by second.
      for second in 0..<seconds {
        let own = (0..<100).map { index in
          MotionSample(
            time: Script.origin + script.time + Int64(index) * 10_000,
            acceleration: Vector3(x: 0, y: 0, z: 1_000_000),
            angularRate: Vector3(x: 0, y: 0, z: 0))
        }
        let part =
          samples.isEmpty
          ? own.map { $0.at($0.time - Script.origin - script.time) }
          : Array(samples.dropFirst(second * 100).prefix(100))
        script.session.add(own, of: thigh, at: place, time: script.time + 1_000_000)
        script.play(part)
      }
    }
    still(&script, 2, [])
    try script.act(.start)
    still(&script, 6, [])
    #expect(script.session.state == .recording)
    #expect(script.session.status.sensors == [DeviceID("thigh"), DeviceID("sensor")])
    still(&script, 16, Self.bends)
    try script.act(.done)
    let values = try #require(script.session.result?.values)
    #expect(values.first { $0.figure.kind == "sensorCount" }?.value.number == 2)
    let range = try #require(values.first { $0.figure.kind == "range" }?.value.number)
    #expect(abs(range - 95) < 1.5)
  }

  @Test func `moving too early begins the countdown again`() async throws {
    var script = try await knee()
    script.rest(1)
    try script.act(.start)
    script.rest(3)
    script.play(Array(Self.bends[300..<330]))
    #expect(script.session.state == .countdown)
    #expect(script.cues.contains(.tooEarly))
    #expect(script.session.status.secondsLeft == 5)
    script.rest(4.5)
    #expect(script.session.state == .countdown)
    script.rest(3)
    #expect(script.session.state == .recording)
    // Whoever never holds still reads the instructions again.
    var restless = try await knee()
    restless.rest(1)
    try restless.act(.start)
    for _ in 0..<6 { restless.play(Array(Self.bends[250..<400])) }
    #expect(restless.session.state == .instructions)
  }

  @Test func `a lost sensor is a refusal`() async throws {
    var script = try await knee()
    try script.begin()
    script.play(Array(Self.bends.prefix(400)))
    script.wait(3.5)
    #expect(script.session.state == .verdict)
    #expect(script.session.refusal == .sensorLost)
    #expect(script.session.result == nil)
    #expect(throws: MeasuringFault.self) {
      try script.act(.done); try script.act(.start)
    }
    // With the sensor again, from the start.
    script.rest(1)
    try script.act(.again)
    script.rest(5.2)
    #expect(script.session.state == .recording)
    #expect(script.session.refusal == nil)
    script.session.lose(script.device.address, at: script.time)
    #expect(script.session.refusal == .sensorLost)
    // In the countdown nothing is lost but time.
    try script.act(.again)
    #expect(script.session.state == .countdown)
    script.session.lose(script.device.address, at: script.time)
    #expect(script.session.state == .waiting)
  }

  @Test func `who never starts loses nothing but the session`() async throws {
    var waiting = try await knee()
    waiting.wait(299)
    #expect(waiting.session.state == .waiting)
    waiting.wait(2)
    #expect(waiting.session.state == .abandoned)

    var idle = try await knee()
    idle.rest(610)
    #expect(idle.session.state == .abandoned)
    #expect(idle.session.status.sensors.isEmpty)

    var proposed = try await Script("type: sway", at: "pelvis", isProposed: true)
    proposed.rest(2)
    #expect(proposed.session.state == .instructions && proposed.session.isProposed)
    proposed.wait(40)
    #expect(proposed.session.state == .abandoned)

    var undecided = try await knee()
    try undecided.begin()
    undecided.play(Self.bends)
    try undecided.act(.done)
    #expect(undecided.session.state == .verdict)
    undecided.wait(601)
    #expect(undecided.session.state == .abandoned)
    #expect(undecided.session.result == nil)

    var motionless = try await knee()
    try motionless.begin()
    motionless.rest(60)
    #expect(motionless.session.refusal == .noMovement)
  }

  @Test func `every state before the end can be cancelled`() async throws {
    let steps: [(inout Script) throws -> Void] = [
      { _ in }, { $0.rest(1) },
      { script in
        script.rest(1)
        try script.act(.start)
      }, { try $0.begin() },
      { script in
        try script.begin()
        script.play(Self.bends)
        try script.act(.done)
      },
    ]
    let states: [MeasuringState] = [.waiting, .instructions, .countdown, .recording, .verdict]
    for (step, state) in zip(steps, states) {
      var script = try await knee()
      try step(&script)
      #expect(script.session.state == state)
      try script.act(.cancel)
      #expect(script.session.state == .cancelled)
      #expect(script.session.result == nil)
      // Twice is once; nothing goes on.
      try script.act(.cancel)
      script.rest(1)
      #expect(script.session.state == .cancelled)
      #expect(throws: MeasuringFault.wrongState(.cancelled)) { try script.act(.start) }
    }
  }

  @Test func `again drops the result`() async throws {
    var script = try await knee()
    try script.begin()
    script.play(BendModel(range: 60_000, repetitions: 1, rate: 100).samples)
    try script.act(.done)
    #expect(script.session.result != nil)
    try script.act(.again)
    #expect(script.session.state == .countdown)
    #expect(script.session.result == nil)
    script.rest(5.2)
    script.play(Self.bends)
    try script.act(.done)
    let range = script.session.result?.values.first { $0.figure.kind == "range" }?.value.number
    #expect(abs((range ?? 0) - 95) < 0.5)
    // A session that is done stays done.
    try script.act(.done)
    #expect(script.session.state == .verdict)
  }

  @Test func `starting soon waits a few seconds for the sensor`() async throws {
    var script = try await knee()
    script.session.startSoon(at: script.time)
    #expect(throws: MeasuringFault.sensorNotNear) { try script.act(.start) }
    script.wait(2)
    script.rest(0.2)
    #expect(script.session.state == .countdown)
    var late = try await knee()
    late.session.startSoon(at: late.time)
    late.wait(20)
    late.rest(1)
    #expect(late.session.state == .instructions)
  }

  @Test func `a fixed time ends by itself`() async throws {
    let tremor = SyntheticTremor(
      frequency: 5, harmonic: 0, sway: 0, noise: 0, jitter: 0, seconds: 30
    ).samples
    var script = try await Script("type: tremor", at: "left-hand")
    script.play(Array(tremor.prefix(100)))
    try script.act(.start)
    // A trembling hand is not still, and need not be.
    script.play(Array(tremor.prefix(600)))
    #expect(script.session.state == .recording)
    #expect(script.session.status.seconds == 15)
    let left = try #require(script.session.status.secondsLeft)
    #expect((13...15).contains(left))
    script.play(Array(tremor.prefix(1_500)))
    #expect(script.cues.suffix(2) == [.start, .stop])
    script.play(Array(tremor.prefix(300)))
    #expect(script.session.state == .verdict)
    let frequency = script.session.result?.values.first { $0.figure.kind == "frequency" }
    #expect(abs((frequency?.value.number ?? 0) - 5) < 0.05)
  }

  @Test func `stands are counted and half the time is cued`() async throws {
    let stands = SyntheticChairStand(jitter: 0).samples(stands: 12)
    var script = try await Script("type: thirtySecondChairStand", at: "left-thigh")
    try script.begin(like: stands.first)
    script.play(Array(stands.prefix(1_200)))
    #expect((2...4).contains(script.figure?.value ?? 0), "\(String(describing: script.figure))")
    script.play(Array(stands.dropFirst(1_200)))
    #expect(script.cues.contains(.halfway) && script.cues.contains(.stop))
    #expect(script.session.state == .verdict)
    #expect(
      script.session.result?.values.first { $0.figure.kind == "count" }?.value.number == 10)
  }

  @Test func `the signal is thinned and bounded`() async throws {
    var script = try await knee()
    try script.begin()
    let before = script.session.status.signal.count
    script.play(Self.bends)
    let signal = script.session.status.signal
    let seconds = Double(Self.bends.count) / 100
    #expect(signal.unit == .decidegree)
    #expect(Double(signal.count - before) <= seconds * 25 + 1)
    #expect(Double(signal.count - before) >= seconds * 20)
    #expect(signal.values.count < 2 * LiveSignal.longest)
    #expect(signal.values(after: 0).count == LiveSignal.longest)
    #expect(signal.values(after: signal.count - 3).count == 3)
    #expect(signal.values(after: signal.count + 9).isEmpty)
    #expect(script.session.cues.count <= 16)
  }

  @Test func `the clock of the samples may step`() async throws {
    // A sensor's clock that is set while it counts down moves neither the start nor the end.
    var script = try await knee()
    script.rest(1)
    try script.act(.start)
    for second in 0..<5 {
      let shift = Int64(second) * 3_600_000_000
      script.session.add(
        [
          MotionSample(
            time: Script.origin + shift, acceleration: Vector3(x: 0, y: 0, z: 1_000_000))
        ], of: script.device, at: script.placement, time: script.time)
      script.wait(1)
    }
    script.rest(0.3)
    #expect(script.session.state == .recording)
  }
}
