import Assessments
import Care
import Foundation
import Hub
import Measurement
import Motion
import Radio
import Testing
import Traces

@testable import TestSupport

/// Active tasks other than a range of motion, from a sensor's motion to the outcome.
@Suite struct ActiveTaskTests {
  private static let start = time("2026-11-20T09:10:00-08:00")

  /// A daily task of an hour that requires a measurement.
  private func plan(_ activeTask: String) -> String {
    Plans.john(
      tasks: """
          - id: test
            patient: john
            title: Do the test
            schedule:
              - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h}
            activeTask: {\(activeTask)}
        """)
  }

  private func event(_ bench: Bench) async throws -> Event {
    try #require(
      try await bench.events(
        "test", from: "2026-11-20T09:00:00-08:00", to: "2026-11-20T09:30:00-08:00"
      ).first)
  }

  /// Performs the task and returns its event; results are reported once, and recognised in a
  /// replay.
  private func perform(
    _ activeTask: String, _ sensor: String, _ samples: [MotionSample],
    besides others: [TimedEvent] = []
  ) async throws -> Event {
    let bench = try await Bench(plan(activeTask))
    let events = (motion(of: sensor, samples, at: Self.start) + others)
      .sorted { $0.time < $1.time }
    let run = try await bench.play(events)
    #expect(run.completed == ["test"])
    #expect(run.notes.isEmpty && run.unmeasured.isEmpty)
    let event = try await event(bench)
    #expect(event.progress.isCompleted)
    #expect(event.outcome?.values.allSatisfy { $0.provenance == .active } == true)
    #expect(event.progress.value == event.outcome?.values.first?.value.number)
    let again = try await bench.play(events)
    #expect(again.completed.isEmpty)
    #expect(again.summary.stored == 0)
    return event
  }

  @Test func `timed up and go`() async throws {
    let event = try await perform(
      "type: timedUpAndGo", "left-thigh", SyntheticTimedUpAndGo().samples())
    #expect(
      event.kinds == [
        "total", "stand", "walkOut", "turn1", "walkBack", "turn2", "sit", "peakTurnRate",
        "confidence",
      ])
    // The thigh moves for 10.3 s; the trunk starts 0.6 s earlier and stops 0.4 s later.
    #expect(abs(event.number("total") - 11.3) <= 0.5)
    #expect(abs(event.number("turn1") - 1.3) <= 0.4)
    #expect(event.outcome?.values.first?.unit == .second)
  }

  @Test func `five times sit to stand`() async throws {
    let event = try await perform(
      "type: fiveTimesSitToStand, side: left", "left-thigh", Recordings.stands(5))
    #expect(
      event.kinds == ["total", "untilStanding"]
        + [String](repeating: "repetition", count: 5) + ["confidence"])
    #expect(abs(event.number("total") - (4 * 3.2 + 2.7)) <= 0.3)
    #expect(abs(event.number("untilStanding") - (4 * 3.2 + 1.1)) <= 0.3)
    #expect(abs(event.number("repetition") - 3.2) <= 0.3)
  }

  @Test func `thirty second chair stand`() async throws {
    let event = try await perform(
      "type: thirtySecondChairStand", "right-thigh", Recordings.stands(12))
    #expect(event.kinds == ["count", "endsWithHalfStand", "confidence"])
    // Nine in 28.8 s; the tenth stands after 1.1 s more.
    #expect(event.number("count") == 10)
  }

  @Test func `timed walk`() async throws {
    let event = try await perform(
      "type: timedWalk, distance: 20 m", "trunk", GaitModel().samples(seconds: 20))
    #expect(
      event.kinds == [
        "speed", "duration", "distance", "steps", "cadence", "stepLength", "walkingSpeed",
        "strideLength", "assumesHeight", "confidence",
      ])
    #expect(abs(event.number("speed") - 1) <= 0.1)
    #expect(event.value("assumesHeight") == .boolean(true))
    #expect(abs(event.number("cadence") - 108) <= 5)
    #expect(event.number("distance") == 20)
    #expect(event.outcome?.values.first?.unit == .metrePerSecond)
  }

  @Test func `six minute walk`() async throws {
    let beats = (0..<36).map { index in
      TimedEvent.value(
        0x2A37, of: 0x180D, hex([0x00, UInt8(80 + index)]), from: .strap,
        at: Self.start + 5 + 10 * Double(index))
    }
    let event = try await perform(
      "type: sixMinuteWalk, stepLength: 60 cm", "trunk", GaitModel().samples(seconds: 365),
      besides: beats)
    let steps = event.number("steps")
    #expect(abs(steps - 648) <= 15)
    #expect(abs(event.number("distance") - steps * 0.6) < 0.001)
    #expect(event.value("isEstimate") == .boolean(true))
    #expect(event.kinds.count { $0 == "stepsOfMinute" } == 6)
    #expect(event.number("rests") == 0)
    #expect(abs(event.number("heartRateHighest") - 115) <= 2)
    #expect(abs(event.number("heartRateMean") - 97) <= 2)
  }

  @Test func `six minute walk without a step length has no distance`() async throws {
    let event = try await perform(
      "type: sixMinuteWalk", "trunk", GaitModel().samples(seconds: 365))
    #expect(event.kinds.first == "steps")
    #expect(!event.kinds.contains("distance"))
    #expect(!event.kinds.contains("heartRateMean"))
  }

  @Test func tremor() async throws {
    let event = try await perform(
      "type: tremor, side: right", "right-hand", Recordings.tremor(seconds: 12))
    #expect(
      event.kinds == [
        "acceleration", "frequency", "amplitude", "peakAcceleration", "peakShare", "bandShare",
        "confidence",
      ])
    #expect(abs(event.number("frequency") - 5) <= 0.05)
    // 0.05 g / √2, and 0.05 g / (2π · 5 Hz)².
    #expect(abs(event.number("peakAcceleration") - 0.347) <= 0.02)
    #expect(abs(event.number("amplitude") - 0.497) <= 0.03)
  }

  @Test func sway() async throws {
    let event = try await perform("type: sway, axis: z", "pelvis", Recordings.sway(seconds: 32))
    #expect(event.kinds.prefix(2) == ["rmsAnteroposterior", "rmsMediolateral"])
    // 0.01 g / √2.
    #expect(abs(event.number("rmsAnteroposterior") - 0.0693) <= 0.003)
    #expect(event.number("rmsMediolateral") <= 0.003)
    #expect(abs(event.number("meanFrequencyAnteroposterior") - 0.5) <= 0.1)
    #expect(event.outcome?.values.allSatisfy { $0.unit != nil || $0.kind == "confidence" } == true)
  }

  /// A refused assessment is reported with its reason and completes no task.
  @Test(
    arguments: [
      (
        "type: timedUpAndGo", "left-thigh", Recordings.stands(1), .timedUpAndGo(.noWalk)
      ),
      (
        "type: fiveTimesSitToStand", "left-thigh", Recordings.stands(4),
        .chairStand(.tooFewStands(4))
      ),
      (
        "type: thirtySecondChairStand", "left-thigh", Recordings.stands(4),
        .chairStand(.tooShort(seconds: 15))
      ),
      (
        "type: timedWalk, distance: 10 m", "left-shank", Recordings.sway(seconds: 19.9),
        .walk(.noWalk)
      ),
      (
        "type: sixMinuteWalk", "trunk", GaitModel().samples(seconds: 60),
        .walk(.tooShort(seconds: 65))
      ),
      (
        "type: tremor", "left-forearm", Recordings.tremor(seconds: 4),
        .tremor(.tooShort(seconds: 3))
      ),
      (
        "type: sway", "pelvis", Recordings.sway(seconds: 19.9), .sway(.tooShort(seconds: 19))
      ),
      (
        "type: sway, axis: y", "pelvis", Recordings.sway(seconds: 32), .sway(.axisUpright(.y))
      ),
    ] as [(String, String, [MotionSample], AssessmentRefusal)])
  func `a refusal is reported and completes nothing`(
    activeTask: String, sensor: String, samples: [MotionSample], refusal: AssessmentRefusal
  ) async throws {
    let bench = try await Bench(plan(activeTask))
    let run = try await bench.play(motion(of: sensor, samples, at: Self.start))
    #expect(run.unmeasured == [Unmeasured(task: "test", reason: .refused(refusal))])
    #expect(run.notes.isEmpty)
    #expect(run.completed.isEmpty)
    #expect(try await event(bench).outcome == nil)
    // A value that a sensor measures in passing is no result of a task.
    #expect(
      try await bench.samples().allSatisfy { [.stepCount, .walkingSpeed].contains($0.quantity) })
  }

  /// Sensors in other places, and a walk during a task that requires standing still.
  @Test(arguments: [
    ("type: timedUpAndGo", "left-shank", SyntheticTimedUpAndGo().samples()),
    ("type: timedUpAndGo, side: right", "left-thigh", SyntheticTimedUpAndGo().samples()),
    ("type: fiveTimesSitToStand", "trunk", Recordings.stands(5)),
    ("type: timedWalk, distance: 20 m", "pocket", GaitModel().samples(seconds: 20)),
    ("type: tremor", "left-thigh", Recordings.tremor(seconds: 12)),
    ("type: tremor", "left-hand", GaitModel().samples(seconds: 30)),
    ("type: sway", "left-hand", Recordings.sway(seconds: 32)),
    ("type: sway", "pelvis", GaitModel().samples(seconds: 30)),
  ])
  func `motion outside a task is ignored`(
    activeTask: String, sensor: String, samples: [MotionSample]
  ) async throws {
    let bench = try await Bench(plan(activeTask))
    let run = try await bench.play(motion(of: sensor, samples, at: Self.start))
    #expect(run.notes.isEmpty && run.unmeasured.isEmpty)
    #expect(run.completed.isEmpty)
    #expect(try await event(bench).outcome == nil)
  }
}

/// Synthetic recordings, 100 samples a second.
private enum Recordings {
  /// Stands from a chair, one in 3.2 s.
  static func stands(_ count: Int) -> [MotionSample] {
    SyntheticChairStand(jitter: 0).samples(stands: count)
  }

  /// A hand that trembles at 5 Hz by 0.05 g along one axis.
  static func tremor(seconds: Double) -> [MotionSample] {
    SyntheticTremor(
      frequency: 5, harmonic: 0, sway: 0, noise: 0, jitter: 0, seconds: seconds
    ).samples
  }

  /// A back that sways at 0.5 Hz by 0.01 g to the front, where z points.
  static func sway(seconds: Double) -> [MotionSample] {
    SyntheticStance(
      front: [(0.5, 0.01)], side: [], lean: 0, noise: 0, jitter: 0, seconds: seconds
    ).samples
  }
}
