import Care
import CareStore
import Foundation
import Hub
import Radio
import Testing

/// The effect of stored samples on the events at their time.
@Suite struct LinkageTests {
  private static let exercise = """
      - id: exercise
        patient: john
        title: Move
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay, targets: [{value: 30, unit: min}]}
        linkage: {quantity: exerciseTime, type: cumulative, unit: min}
    """

  private static func sample(
    _ quantity: String, _ value: Double, from start: String, to end: String? = nil
  ) throws -> Sample {
    Sample(
      identity: SampleIdentity(text: "\(quantity)|\(start)|\(value)"),
      reading: Reading(
        quantity: try #require(Quantity(rawValue: quantity)), value: value,
        arrival: time(end ?? start), device: DeviceIdentity(address: "watch")),
      patient: "john", start: time(start), end: time(end ?? start))
  }

  private func progress(_ bench: Bench, _ task: String) async throws -> EventProgress? {
    try await bench.events(
      task, from: "2026-11-20T12:00:00-08:00", to: "2026-11-20T13:00:00-08:00"
    ).first?.progress
  }

  /// 22 of 30 minutes, then 30, and 22 again once the second sample is deleted.
  @Test func `minutes reach their goal until a sample is deleted`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.exercise))
    let first = try Self.sample(
      "exerciseTime", 22, from: "2026-11-20T09:00:00-08:00", to: "2026-11-20T09:22:00-08:00")
    let second = try Self.sample(
      "exerciseTime", 8, from: "2026-11-20T18:00:00-08:00", to: "2026-11-20T18:08:00-08:00")
    _ = try await bench.store.write { try $0.insert(first) }
    #expect(
      try await progress(bench, "exercise")
        == EventProgress(value: 22, goal: 30, fraction: 22.0 / 30))
    _ = try await bench.store.write { try $0.insert(second) }
    #expect(try await progress(bench, "exercise")?.isCompleted == true)
    _ = try await bench.store.write {
      try $0.change(
        .sample(second.identity), .delete, reason: nil, now: time("2026-11-20T19:00:00-08:00"))
    }
    #expect(
      try await progress(bench, "exercise")
        == EventProgress(value: 22, goal: 30, fraction: 22.0 / 30))
  }

  /// Cumulative values are added, discrete values are listed in order of arrival.
  @Test func `cumulative values add up and discrete ones are listed`() async throws {
    let pulse = """
        - id: pulse
          patient: john
          title: Heart rate
          schedule:
            - {start: 2026-11-01, interval: {days: 1}, duration: allDay}
          linkage: {quantity: heartRate, type: discrete, unit: bpm}
      """
    let bench = try await Bench(Plans.john(tasks: Plans.steps(100) + "\n" + pulse))
    let samples = [
      try Self.sample("stepCount", 10, from: "2026-11-20T09:00:00-08:00"),
      try Self.sample("stepCount", 20, from: "2026-11-20T09:01:00-08:00"),
      try Self.sample("heartRate", 70, from: "2026-11-20T09:00:00-08:00"),
      try Self.sample("heartRate", 80, from: "2026-11-20T09:01:00-08:00"),
    ]
    _ = try await bench.store.write { store in try samples.map(store.insert) }
    func values(_ task: String) async throws -> [Value] {
      try await bench.events(
        task, from: "2026-11-20T12:00:00-08:00", to: "2026-11-20T13:00:00-08:00"
      ).first?.outcome?.values.map(\.value) ?? []
    }
    #expect(try await values("walk") == [.double(30)])
    #expect(try await values("pulse") == [.double(70), .double(80)])
  }

  /// [e−1, e] counts for an event from s to e, [s−2, s−1], [s−1, s] and [e, e+1] do not.
  @Test func `a sum has no part of what began before`() async throws {
    let task = """
        - id: walk
          patient: john
          title: Walk
          schedule:
            - {start: 2026-11-20T09:00, interval: {days: 1}, duration: 1h}
          linkage: {quantity: stepCount, type: cumulative, unit: count}
      """
    let bench = try await Bench(Plans.john(tasks: task))
    let samples = [
      try Self.sample(
        "stepCount", 1000, from: "2026-11-20T08:59:58-08:00", to: "2026-11-20T08:59:59-08:00"),
      try Self.sample(
        "stepCount", 1, from: "2026-11-20T08:59:59-08:00", to: "2026-11-20T09:00:00-08:00"),
      try Self.sample(
        "stepCount", 2, from: "2026-11-20T09:59:59-08:00", to: "2026-11-20T10:00:00-08:00"),
      try Self.sample(
        "stepCount", 4000, from: "2026-11-20T10:00:00-08:00", to: "2026-11-20T10:00:01-08:00"),
    ]
    _ = try await bench.store.write { store in try samples.map(store.insert) }
    let events = try await bench.events(
      "walk", from: "2026-11-20T08:00:00-08:00", to: "2026-11-20T11:00:00-08:00")
    #expect(events.map { $0.outcome?.values.map(\.value) } == [[.double(2)]])
  }

  @Test func `reports of two tasks are ordered by ID`() async throws {
    let other = Plans.weighIn.replacing("id: weigh-in", with: "id: balance")
    let bench = try await Bench(Plans.john(tasks: Plans.weighIn + "\n" + other))
    let run = try await bench.play([
      .mi(
        MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"),
        at: time("2026-11-20T07:10:00-08:00"))
    ])
    #expect(run.completed == ["balance", "weigh-in"])
  }

  @Test func `a weight below its target is progress and the latest counts`() async throws {
    let task = """
        - id: gain
          patient: john
          title: Reach 83 kg
          schedule:
            - {start: 2026-11-01, interval: {days: 1}, duration: allDay, targets: [{value: 83, unit: kg}]}
          linkage: {quantity: bodyMass, type: discrete, unit: kg}
      """
    let bench = try await Bench(Plans.john(tasks: task))
    let run = try await bench.play(
      [82.0, 83, 83.5].enumerated().map { index, kilograms in
        .mi(
          MiFrame(kilograms: kilograms, clock: "2026-11-20T07:1\(index):00"),
          at: time("2026-11-20T07:1\(index):00-08:00"))
      })
    #expect(run.progressed.map(\.value) == [82])
    #expect(run.completed == ["gain"])
  }

  @Test func `a typed value is preserved`() async throws {
    let bench = try await Bench(Plans.john())
    let morning = time("2026-11-20T07:00:00-08:00")
    let event = try #require(
      try await bench.events(
        "weigh-in", from: "2026-11-20T07:00:00-08:00", to: "2026-11-20T08:00:00-08:00"
      ).first)
    let typed = OutcomeValue(
      value: .double(81), unit: .kilogram, time: morning, provenance: .manual)
    _ = try await bench.store.write {
      try $0.setOutcome([typed], of: event.reference, now: morning)
    }
    let run = try await bench.play([
      .mi(MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"), at: morning + 600)
    ])
    #expect(run.stored.map(\.value) == [82])
    #expect(run.completed.isEmpty)
    let after = try await bench.events(
      "weigh-in", from: "2026-11-20T07:00:00-08:00", to: "2026-11-20T08:00:00-08:00")
    #expect(after.first?.outcome?.values == [typed])
  }
}
