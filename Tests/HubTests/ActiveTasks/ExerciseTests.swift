import Care
import Foundation
import Hub
import Measurement
import Motion
import Radio
import Testing
import Traces

@testable import TestSupport

/// A limb sensor's motion becomes the outcome of the exercise.
@Suite struct ExerciseTests {
  private static let start = time("2026-11-20T09:10:00-08:00")
  private static let devices = """
      - {address: "D2:4F:71:00:00:03", definition: witmotion-bwt901ble, patient: john, placement: {joint: knee, side: left, segment: shank}}
    """
  private static let plan = Plans.john(tasks: Plans.knee, devices: devices)

  private func event(_ bench: Bench) async throws -> Event? {
    try await bench.events(
      "knee", from: "2026-11-20T09:00:00-08:00", to: "2026-11-20T09:30:00-08:00"
    ).first
  }

  /// The path, and the expected range and completion.
  ///
  /// Of these, 0→+120→0 is the one that wraps elsewhere, to 357.6.
  @Test(arguments: [
    ([90.0, 10, 90], 80.0, false), ([0, -120, 0], 120, true), ([0, 120, 0], 120, true),
    ([0, 60, 0], 60, false), ([30, -30, 30], 60, false), ([0, -200, 0], 200, true),
  ])
  func `the range of a knee reaches its goal or not`(
    degrees: [Double], range: Double, isCompleted: Bool
  )
    async throws
  {
    let bench = try await Bench(Self.plan)
    let run = try await bench.play(
      motion(of: "left-shank", LimbPath(degrees).samples(), at: Self.start))
    let event = try #require(try await event(bench))
    #expect(event.progress.isCompleted == isCompleted)
    #expect(run.completed == (isCompleted ? ["knee"] : []))
    let values = event.outcome?.values ?? []
    let kinds = ["range", "start", "finish", "minimum", "maximum", "repetitions"]
    #expect(values.prefix(6).map(\.kind) == kinds)
    #expect(values.prefix(5).allSatisfy { $0.unit == .degree })
    #expect(values.allSatisfy { $0.provenance == .active })
    #expect(event.value("sensorCount") == .integer(1))
    #expect(event.value("confidence") == .text("good"))
    guard case .double(let measured)? = values.first?.value else {
      Issue.record("there is no range")
      return
    }
    #expect(abs(measured - range) <= 0.5)
  }

  @Test func `turning around meanwhile changes nothing`() async throws {
    let bench = try await Bench(Self.plan)
    let samples = LimbPath([0, 100, 0], yaw: 5).samples()
    try await bench.play(motion(of: "left-shank", samples, at: Self.start))
    let range = try #require(try await bench.samples(.rangeOfMotion).first { $0.kind == "range" })
    #expect(abs(range.value - 100) <= 0.5)
  }

  /// The synthetic sensor's bytes, sent over a link.
  @Test func `knee bends over a link complete the exercise`() async throws {
    let bench = try await Bench(Self.plan)
    let events = SyntheticSensors(timeZone: .gmt).kneeBends(
      at: Self.start, range: 95_000, repetitions: 3)
    let run = try await bench.play(events)
    #expect(run.completed == ["knee"])
    let range = try #require(try await bench.samples(.rangeOfMotion).first { $0.kind == "range" })
    #expect(abs(range.value - 95) <= 0.5)
    #expect(range.patient == "john")
    #expect(range.provenance == .active)
    let again = try await bench.play(events)
    #expect(again.summary.duplicates == 5)
    #expect(again.reports.count == 5)
  }

  /// A silence ends one exercise; the next one is separate.
  @Test func `two exercises of one run are two`() async throws {
    let bench = try await Bench(Self.plan)
    let run = try await bench.play(
      motion(of: "left-shank", LimbPath([0, 60, 0]).samples(), at: Self.start)
        + motion(of: "left-shank", LimbPath([0, 100, 0]).samples(), at: Self.start + 60))
    let ranges = run.stored.filter { $0.kind == "range" }
    #expect(ranges.map { $0.value.rounded() } == [60, 100])
    #expect(ranges.map(\.start) == [Self.start, Self.start + 60])
    #expect(run.progressed.count == 1)
    #expect(run.completed == ["knee"])
  }

  /// An exercise without targets has its repetitions as the goal; a better recording replaces one
  /// that fell short of it.
  @Test func `the repetitions of an exercise are its goal`() async throws {
    let plan = Plans.john(
      tasks: Plans.knee.replacing(
        ", targets: [{value: 90, unit: deg, kind: range}]", with: ""
      ).replacing(
        "{type: rangeOfMotion, joint: knee, side: left}",
        with: "{type: exercise, joint: knee, sets: 3, repetitions: 10, rest: 30s, minimum: 60 deg}"),
      devices: Self.devices)
    let bench = try await Bench(plan)
    var exercise = SyntheticExercise()
    let first = try await bench.play(
      motion(of: "left-shank", exercise.samples(), at: Self.start))
    #expect(first.progressed.count == 1)
    #expect(
      try await event(bench)?.progress == EventProgress(value: 10, goal: 30, fraction: 1.0 / 3))
    // Two seconds a repetition: quick, and still no walk.
    exercise.sets = [[Double]](repeating: [Double](repeating: 75, count: 10), count: 3)
    (exercise.out, exercise.hold, exercise.back, exercise.pause) = (0.9, 0, 0.9, 0.2)
    let second = try await bench.play(
      motion(of: "left-shank", exercise.samples(), at: Self.start + 300))
    #expect(second.completed == ["knee"])
    let event = try #require(try await event(bench))
    #expect(event.value("sets") == .integer(3))
    #expect(event.value("partialRepetitions") == .integer(0))
    #expect(event.progress.isCompleted)
  }

  /// A silence in the middle, temporary or permanent, is reported and gives no outcome.
  @Test(arguments: [1.7...2.5, 1.7...100])
  func `a sensor that drops out measures nothing`(silence: ClosedRange<Double>) async throws {
    let bench = try await Bench(Self.plan)
    let samples = LimbPath([0, 100, 0]).samples(without: silence)
    let run = try await bench.play(motion(of: "left-shank", samples, at: Self.start))
    #expect(run.unmeasured.map(\.task) == ["knee"])
    #expect(run.unmeasured.first?.silence != nil)
    #expect(run.notes.isEmpty)
    #expect(run.completed.isEmpty)
    #expect(try await event(bench)?.outcome == nil)
    #expect(try await bench.samples().isEmpty)
  }

  @Test func `a link that breaks in the middle measures nothing`() async throws {
    let bench = try await Bench(Self.plan)
    let events = SyntheticSensors(timeZone: .gmt).kneeBends(
      at: Self.start, range: 95_000, repetitions: 1)
    // 1.4 s to the first sample, 2 s of rest, and half of the bend.
    let cut = Self.start + 4
    let run = try await bench.play(
      events.filter { $0.time < cut }
        + [TimedEvent(time: cut + 1, event: .disconnected(SyntheticSensors.shank))])
    #expect(run.unmeasured.count == 1)
    #expect(run.notes.isEmpty)
    #expect(try await event(bench)?.outcome == nil)
  }

  @Test func `no movement is no exercise`() async throws {
    let bench = try await Bench(Self.plan)
    let run = try await bench.play(
      [
        TimedEvent(
          time: Self.start, event: .motion(RecordedMotion(sensor: "left-shank", samples: [])))
      ])
    #expect(run.reports.isEmpty)
    #expect(try await event(bench)?.outcome == nil)
  }

  /// Sensors in other places, or at another time, and a person who walks.
  @Test(arguments: [
    ("right-shank", 0, true), ("left-forearm", 0, true), ("pocket", 0, true),
    ("left-shank", 12, true), ("left-shank", 0, false),
  ])
  func `motion outside a task is ignored`(sensor: String, hours: Int, bends: Bool) async throws {
    let bench = try await Bench(Self.plan)
    let samples =
      bends ? LimbPath([0, 100, 0]).samples() : SyntheticFoot().samples(strides: 20)
    let run = try await bench.play(
      motion(of: sensor, samples, at: Self.start + Double(hours) * 3600))
    #expect(run.notes.isEmpty && run.unmeasured.isEmpty)
    #expect(run.completed.isEmpty)
    #expect(try await bench.samples(.rangeOfMotion).isEmpty)
  }

  @Test func `with two people the sensor must be bound`() async throws {
    let plan = """
      timeZone: America/Los_Angeles
      patients:
        - {id: john}
        - {id: mary}
      tasks:
      \(Plans.knee)
      """
    let bench = try await Bench(plan)
    let run = try await bench.play(
      motion(of: "left-shank", LimbPath([0, 100, 0]).samples(), at: Self.start))
    #expect(run.unmeasured.map(\.task) == ["knee"])
    guard case .unassigned(let reason, let reading) = run.unmeasured.first?.reason else {
      Issue.record("it was measured")
      return
    }
    #expect(reason == .severalPatients(count: 2))
    #expect(reading.device.address == "left-shank")
    #expect(try await event(bench)?.outcome == nil)
  }

  @Test func `a second attempt replaces the first but no typed value`() async throws {
    let bench = try await Bench(Self.plan)
    func bend(_ degrees: Double, after seconds: Double) async throws -> HubRun {
      try await bench.play(
        motion(
          of: "left-shank", LimbPath([0, degrees, 0]).samples(), at: Self.start + seconds))
    }
    #expect(try await bend(60, after: 0).progressed.map { $0.value.rounded() } == [60])
    #expect(try await bend(70, after: 60).progressed.map { $0.value.rounded() } == [70])
    let reference = try #require(try await event(bench)?.reference)
    let typed = OutcomeValue(
      value: .double(80), kind: "range", time: Self.start + 90, provenance: .manual)
    _ = try await bench.store.write {
      try $0.setOutcome([typed], of: reference, now: Self.start + 90)
    }
    let run = try await bend(100, after: 120)
    #expect(run.completed.isEmpty)
    #expect(run.stored.count == 5)
    #expect(try await event(bench)?.outcome?.values.map(\.value) == [.double(80)])
  }
}
