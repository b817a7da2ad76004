import Care
import Foundation
import Hub
import Radio
import Testing
import Traces

/// A plan that is imported while the hub runs applies from the next reading.
@Suite struct PlanChangeTests {
  private static let morning = time("2026-11-20T07:10:00-08:00")

  private static func weighing(_ minute: Int) -> TimedEvent {
    .weight(
      kilograms: 82, clock: "2026-11-20T07:1\(minute):00", from: .scale,
      at: morning + Double(minute) * 60)
  }

  /// Plays events, importing `plan` before the event with that number.
  private func play(
    _ events: [TimedEvent], on bench: Bench, importing plan: String, before number: Int
  ) async throws -> HubRun {
    let radio = PausingRadio(events)
    radio.observe = { step in
      if step == number { try await bench.importPlan(plan, now: Self.morning - 86_400) }
      return 0
    }
    return try await bench.play(radio)
  }

  @Test func `the first plan of a running hub`() async throws {
    let bench = try await Bench()
    let run = try await play(
      [Self.weighing(0), Self.weighing(1)], on: bench, importing: Plans.john(), before: 1)
    #expect(try await bench.samples().map(\.patient) == [nil, "john"])
    #expect(run.completed == ["weigh-in"])
    // Before there was a plan, its zone was unknown too.
    #expect(
      try await bench.samples().map(\.start)
        == [time("2026-11-20T07:10:00Z"), time("2026-11-20T07:11:00-08:00")])
  }

  @Test func `a new task and a new binding`() async throws {
    // Without an expected weight, nothing vetoes the binding.
    let bench = try await Bench(Plans.couple("82 kg", "60 kg"))
    let plan =
      Plans.couple(
        "82 kg", nil, devices: #"  - {address: "5C:CA:D3:70:D4:A2", patient: mary}"#)
      + "\ntasks:\n" + Plans.weighIn.replacing("patient: john", with: "patient: mary")
    let run = try await play(
      [Self.weighing(0), Self.weighing(1)], on: bench, importing: plan, before: 1)
    #expect(run.stored.map(\.patient) == ["john", "mary"])
    #expect(run.completed == ["weigh-in"])
  }

  @Test func `a raised target reopens the day`() async throws {
    let plan = Plans.john(tasks: Self.gain(82))
    let bench = try await Bench(plan)
    let run = try await play(
      [Self.weighing(0), Self.weighing(1)], on: bench,
      importing: Plans.john(tasks: Self.gain(164)), before: 1)
    #expect(run.completed == ["gain"])
    // The latest value is used, so the second reading changes nothing.
    #expect(run.progressed.isEmpty)
    let event = try await bench.events(
      "gain", from: "2026-11-20T07:00:00-08:00", to: "2026-11-20T08:00:00-08:00"
    ).last
    #expect(event?.progress.fraction == 0.5)
  }

  private static func gain(_ kilograms: Int) -> String {
    """
      - id: gain
        patient: john
        title: Gain
        effectiveDate: 2026-11-01
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay, targets: [{value: \(kilograms), unit: kg}]}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
    """
  }

  /// Any reading makes the hub load the new plan, for every device.
  @Test func `a reading loads all devices`() async throws {
    let bench = try await Bench(Plans.john())
    let plan = Plans.john(
      devices: #"  - {address: "A0:9E:1A:00:00:02", definition: sig-heart-rate, patient: john}"#)
    var pulse = TimedEvent.value(
      0x2A37, of: 0x180D, "0048", from: .strap, at: Self.morning + 2)
    if case .value(var value) = pulse.event {
      value.service = nil
      pulse.event = .value(value)
    }
    let unknown = TimedEvent(time: Self.morning - 1, event: pulse.event)
    let run = try await play(
      [unknown, Self.weighing(0), pulse], on: bench, importing: plan, before: 1)
    #expect(run.stored.map(\.quantity) == [.bodyMass, .heartRate])
  }

  /// A device that only its binding describes gives no readings before the new plan is loaded.
  @Test func `a device that only the new plan describes`() async throws {
    let bench = try await Bench()
    let plan = Plans.john(
      devices: #"  - {address: "A0:9E:1A:00:00:02", definition: sig-heart-rate, patient: john}"#)
    let events = [0.0, 1, 2, 61, 62].map { second in
      var event = TimedEvent.value(
        0x2A37, of: 0x180D, "0048", from: .strap, at: Self.morning + second)
      if case .value(var value) = event.event {
        value.service = nil
        event.event = .value(value)
      }
      return event
    }
    let run = try await play(events, on: bench, importing: plan, before: 1)
    #expect(run.stored.map(\.start) == [Self.morning + 61, Self.morning + 62])
    #expect(Set(run.stored.map(\.patient)) == ["john"])
  }
}
