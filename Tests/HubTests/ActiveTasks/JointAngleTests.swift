import Care
import Foundation
import Hub
import Motion
import Radio
import Testing

@testable import TestSupport

/// Two sensors on either side of a joint give the angle between them.
@Suite struct JointAngleTests {
  private static let start = time("2026-11-20T09:10:00-08:00")

  /// Two sensors bound to john, with their places on the body.
  private func devices(thigh: String = "joint: knee, side: left, segment: thigh") -> String {
    """
      - {sensor: upper, patient: john, placement: {\(thigh)}}
      - {sensor: lower, patient: john, placement: {joint: knee, side: left, segment: shank}}
    """
  }

  private func event(_ task: String, _ bench: Bench) async throws -> Event {
    try #require(
      try await bench.events(
        task, from: "2026-11-20T09:00:00-08:00", to: "2026-11-20T09:30:00-08:00"
      ).first)
  }

  /// The events of both sensors, in order of time.
  private func bends(
    thigh: [Double], shank: [Double], shankSilent: ClosedRange<Double>? = nil
  ) -> [TimedEvent] {
    let events =
      motion(of: "upper", LimbPath(thigh).samples(), at: Self.start)
      + motion(of: "lower", LimbPath(shank).samples(without: shankSilent), at: Self.start)
    return events.sorted { $0.time < $1.time }
  }

  @Test func `the angle is that of the joint`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee, devices: devices()))
    let events = bends(thigh: [0, 20, 0, 20, 0], shank: [0, -80, 0, -80, 0])
    let run = try await bench.play(events)
    #expect(run.completed == ["knee"])
    #expect(run.notes.isEmpty && run.unmeasured.isEmpty)
    let event = try await event("knee", bench)
    #expect(abs(event.number("range") - 100) <= 0.5)
    #expect(event.number("repetitions") == 2)
    #expect(event.number("sensorCount") == 2)
    #expect(event.value("confidence") == .text("good"))
    #expect(event.progress.value == event.number("range"))
    // One result, identified by the distal sensor, and recognised in a replay.
    #expect(run.stored.map(\.kind) == ["range", "start", "finish", "minimum", "maximum"])
    #expect(run.stored.allSatisfy { $0.device.address == "lower" })
    let again = try await bench.play(events)
    #expect(again.reports.count == 5)
    #expect(again.summary.duplicates == 5)
  }

  @Test func `a hold is stored`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee, devices: devices()))
    try await bench.play(bends(thigh: [0, 20, 20, 0], shank: [0, -80, -80, 0]))
    let event = try await event("knee", bench)
    // A second at the end of the movement, two without movement, and one more.
    #expect(abs(event.number("hold") - 4) <= 0.5)
    #expect(abs(event.number("holdMean") - 100) <= 1)
  }

  /// Sensors that are named in a recording instead of a plan.
  @Test func `sensor names replace a plan`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee))
    let events =
      motion(of: "left-thigh", LimbPath([0, 20, 0]).samples(), at: Self.start)
      + motion(of: "left-shank", LimbPath([0, -80, 0]).samples(), at: Self.start)
    try await bench.play(events.sorted { $0.time < $1.time })
    let event = try await event("knee", bench)
    #expect(abs(event.number("range") - 100) <= 0.5)
    #expect(event.number("sensorCount") == 2)
  }

  /// A sensor that is taken off later does not change the result.
  @Test(arguments: [[0.0, 20, 0, 0, 0, 0], [0, 20, 0, 60, 0]])
  func `the remaining sensor is not measured again`(thigh: [Double]) async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee, devices: devices()))
    let run = try await bench.play(bends(thigh: thigh, shank: [0, -80, 0]))
    #expect(run.completed == ["knee"])
    #expect(run.stored.count == 5)
    #expect(abs(try await event("knee", bench).number("range") - 100) <= 0.5)
  }

  /// A sensor with only a short recording does not affect the other.
  @Test func `a late sensor is ignored`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee, devices: devices()))
    let events =
      motion(of: "lower", LimbPath([0, -100, 0]).samples(), at: Self.start)
      + motion(of: "upper", LimbPath([0, 0]).samples(), at: Self.start + 5)
    try await bench.play(events.sorted { $0.time < $1.time })
    let event = try await event("knee", bench)
    #expect(abs(event.number("range") - 100) <= 0.5)
    #expect(event.number("sensorCount") == 1)
  }

  /// The movement before the second sensor started is unknown, and the limb was moving already.
  @Test func `a sensor that starts during the movement measures nothing`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee, devices: devices()))
    let late = LimbPath([0, 20, 0]).samples(without: 0...2)
    let events =
      motion(of: "lower", LimbPath([0, -80, 0]).samples(), at: Self.start)
      + motion(of: "upper", late, at: Self.start)
    let run = try await bench.play(events.sorted { $0.time < $1.time })
    #expect(run.unmeasured.map(\.task) == ["knee"])
    #expect(run.unmeasured.compactMap(\.silence).map { $0 / 100 } == [20])
    #expect(run.notes.isEmpty)
    #expect(try await event("knee", bench).outcome == nil)
  }

  /// A silence of either sensor during the movement is reported once and gives no outcome.
  @Test(arguments: [1.5...100.0, 1.6...3.0])
  func `a sensor that drops out measures nothing`(silence: ClosedRange<Double>) async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.knee, devices: devices()))
    let run = try await bench.play(
      bends(thigh: [0, 20, 0], shank: [0, -80, 0], shankSilent: silence))
    #expect(run.unmeasured.map(\.task) == ["knee"])
    #expect(run.unmeasured.first?.silence != nil)
    #expect(run.notes.isEmpty)
    #expect(try await event("knee", bench).outcome == nil)
    #expect(try await bench.samples().isEmpty)
  }

  /// The thigh moves at the knee and the hip: the plan names the joint that its sensor measures.
  @Test(arguments: [("knee", ["knee"]), ("hip", ["hip"])])
  func `a thigh alone measures the joint it is worn for`(joint: String, completed: [String])
    async throws
  {
    let hip = Plans.knee.replacing("id: knee", with: "id: hip")
      .replacing("joint: knee", with: "joint: hip")
    let bench = try await Bench(
      Plans.john(
        tasks: Plans.knee + "\n" + hip,
        devices: devices(thigh: "joint: \(joint), side: left, segment: thigh")))
    let run = try await bench.play(
      motion(of: "upper", LimbPath([0, 100, 0]).samples(), at: Self.start))
    #expect(run.completed == completed)
    #expect(run.stored.count == 5)
  }

  /// A thigh sensor for the hip does not take part in the knee.
  @Test func `sensors of two joints are no pair`() async throws {
    let bench = try await Bench(
      Plans.john(
        tasks: Plans.knee,
        devices: devices(thigh: "joint: hip, side: left, segment: thigh")))
    try await bench.play(bends(thigh: [0, 20, 0], shank: [0, -80, 0]))
    let event = try await event("knee", bench)
    #expect(abs(event.number("range") - 80) <= 0.5)
    #expect(event.number("sensorCount") == 1)
  }

  @Test func `sensors of two people are no pair`() async throws {
    let plan = """
      timeZone: America/Los_Angeles
      patients: [{id: john}, {id: mary}]
      tasks:
      \(Plans.knee)
      devices:
        - {sensor: upper, patient: mary, placement: {joint: knee, side: left, segment: thigh}}
        - {sensor: lower, patient: john, placement: {joint: knee, side: left, segment: shank}}
      """
    let bench = try await Bench(plan)
    try await bench.play(bends(thigh: [0, 20, 0], shank: [0, -80, 0]))
    let event = try await event("knee", bench)
    #expect(abs(event.number("range") - 80) <= 0.5)
    #expect(event.number("sensorCount") == 1)
  }
}
