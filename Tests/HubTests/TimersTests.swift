import Care
import Foundation
import Hub
import Measurement
import Radio
import Testing
import Traces

/// Timers fire in order, and always end.
@Suite struct TimersTests {
  private static let start = time("2026-11-20T07:10:00-08:00")
  private static let waiting = TimedEvent.mi(
    MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"), at: start)

  @Test func `a weight waits for its impedance for a limited time`() async throws {
    let bench = try await Bench(Plans.john())
    let radio = PausingRadio([Self.waiting])
    let run = try await bench.play(radio)
    #expect(run.stored.map(\.value) == [82])
    #expect(run.stored.map(\.arrival) == [Self.start])
    #expect(radio.deadlines == [Self.start + 15])
  }

  @Test func `timers fire in order before the next event`() async throws {
    let bench = try await Bench(Plans.couple("82 kg", "60 kg"))
    let radio = PausingRadio([
      Self.waiting,
      .mi(
        MiFrame(kilograms: 60, clock: "2026-11-20T07:10:05"), from: .otherScale,
        at: Self.start + 5),
      .value(0x2A37, of: 0x180D, "0048", from: .strap, at: Self.start + 30),
    ])
    let run = try await bench.play(radio)
    #expect(radio.deadlines == [Self.start + 15, Self.start + 20])
    #expect(run.stored.map(\.patient) == ["john", "mary"])
    #expect(run.reports.count == 3)
  }

  /// An event at the exact time of a timer comes after it.
  @Test func `a timer precedes an event of the same time`() async throws {
    let bench = try await Bench(Plans.john())
    let radio = PausingRadio([
      Self.waiting,
      .mi(
        MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00", impedance: 500),
        at: Self.start + 15),
    ])
    #expect(try await bench.play(radio).stored.map(\.quantity) == [.bodyMass])
    #expect(radio.deadlines == [Self.start + 15])
  }

  /// A walk of half a minute: the end of the silence, then the end of the minute; then no more
  /// timers.
  @Test func `motion ends with a silence and a minute`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(10)))
    let walk = GaitModel(margin: 0).samples(seconds: 30)
    let radio = PausingRadio(motion(of: "chest", walk, at: Self.start))
    let run = try await bench.play(radio)
    #expect(radio.deadlines == [Self.start + 29.98 + 2, Self.start + 60])
    #expect(run.completed == ["walk"])
    #expect(run.stored.map(\.arrival) == [Self.start + 60])
  }

  @Test func `a broken link ends the walk at once`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(10)))
    let walk = GaitModel(margin: 0).samples(seconds: 30)
    let radio = PausingRadio(
      polar(walk, compressed: false, at: Self.start)
        + [TimedEvent(time: Self.start + 30.5, event: .disconnected(.strap))])
    let run = try await bench.play(radio)
    #expect(radio.deadlines == [Self.start + 60])
    #expect(run.completed == ["walk"])
  }

  @Test func `nothing is due without timers`() async throws {
    let bench = try await Bench(Plans.john())
    let radio = PausingRadio([.value(0x2A37, of: 0x180D, "0048", from: .strap, at: Self.start)])
    try await bench.play(radio)
    #expect(radio.deadlines.isEmpty)
  }

  @Test func `an empty recording has no results`() async throws {
    let bench = try await Bench(Plans.john())
    #expect(try await bench.play([]).summary == HubSummary())
  }

  /// The session ends completely: the sensor is stopped, and the link is disconnected.
  @Test func `the end of the radio ends the sessions`() async throws {
    let bench = try await Bench(Plans.john())
    let radio = PausingRadio(
      SyntheticSensors(timeZone: .gmt).walk(at: Self.start, seconds: 5, cadence: 100, heartRate: 80)
        .dropLast())
    try await bench.play(radio)
    #expect(radio.sent.last == .disconnect(SyntheticSensors.strap))
  }

  /// At distant dates, where `Date` has no microsecond resolution, time still advances.
  @Test(arguments: ["0001-01-01T00:00:10Z", "2400-01-01T00:00:10Z", "9999-12-31T23:59:10Z"])
  func `timers end at any date`(start: String) async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(10)))
    let walk = GaitModel(margin: 0).samples(seconds: 30)
    let radio = PausingRadio(
      [.mi(MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"), at: time(start))]
        + motion(of: "chest", walk, at: time(start)))
    let run = try await bench.play(radio)
    #expect(radio.deadlines.count <= 4)
    #expect(run.stored.map(\.quantity).contains(.bodyMass))
  }
}
