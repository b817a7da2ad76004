import Care
import Foundation
import GATT
import Hub
import Measurement
import Radio
import Testing
import Traces

/// The machine's clock is set while devices are linked and timers run.
@Suite struct ClockSettingTests {
  private static let start = time("2026-11-20T07:10:00-08:00")

  private static func step(_ seconds: Double, _ event: RadioEvent) -> RadioStep {
    .event(TimedEvent(time: start + seconds, event: event))
  }

  /// A strap's advertisement.
  private static let advertisement = RadioEvent.advertisement(
    Advertisement(
      address: .strap, addressType: .public, rssi: -60, data: [3, 3, 0x0D, 0x18]))

  private static let services = RadioEvent.services(
    .strap,
    [
      GATTService(
        uuid: BluetoothUUID(0x180D),
        characteristics: [GATTCharacteristic(uuid: BluetoothUUID(0x2A37), properties: [.notify])])
    ])

  private static func beat(_ seconds: Double) -> RadioStep {
    .event(.value(0x2A37, of: 0x180D, "0048", from: .strap, at: start + seconds))
  }

  /// A strap's link is lost after the clock was set; it rests five seconds, no longer.
  @Test(arguments: [-86_400.0, 86_400, -7200])
  func `pauses last as long as before`(jump: Double) async throws {
    let bench = try await Bench(Plans.john())
    let radio = ScriptedRadio([
      Self.step(0, Self.advertisement), Self.step(1, .connected(.strap)),
      Self.step(1, Self.services), Self.beat(2), Self.step(10, .disconnected(.strap)),
      .clockSet(by: jump, at: Self.start + 11 + jump),
      Self.step(12 + jump, Self.advertisement), Self.step(16 + jump, Self.advertisement),
      Self.step(17 + jump, .connected(.strap)), Self.step(17 + jump, Self.services),
      Self.beat(18 + jump),
    ])
    let run = try await bench.play(radio)
    let links = radio.sent.filter { if case .connect = $0 { true } else { false } }
    #expect(links.count == 2)
    #expect(
      run.reports.filter { if case .clockSet = $0 { true } else { false } }
        == [.clockSet(by: jump)])
    let beats = try await bench.samples(.heartRate).map(\.arrival)
    #expect(beats == [Self.start + 2, Self.start + 18 + jump].sorted())
  }

  /// A weight waits fifteen seconds for its impedance, however the clock is set meanwhile.
  @Test(arguments: [-86_400.0, 86_400])
  func `deadlines last as long as before`(jump: Double) async throws {
    let bench = try await Bench(Plans.john())
    let waiting = TimedEvent.mi(
      MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"), at: Self.start)
    let radio = ScriptedRadio([
      .event(waiting), .clockSet(by: jump, at: Self.start + 1 + jump),
      .deadline(Self.start + 15 + jump),
    ])
    let run = try await bench.play(radio)
    #expect(Array(radio.deadlines[1...2]) == [Self.start + 15, Self.start + 15 + jump])
    #expect((run.stored + run.unassigned).map(\.value) == [82])
  }

  /// A walk across the moment keeps its steps; a sensor that goes on was not switched on.
  @Test(arguments: [-86_400.0, 86_400])
  func `a walk keeps its steps`(jump: Double) async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(10)))
    let walk = GaitModel(margin: 0).samples(seconds: 60)
    let events = polar(walk, compressed: false, at: Self.start)
    let half = events.count / 2
    let first: [RadioStep] = events[..<half].map { .event($0) }
    let second: [RadioStep] = events[half...].map {
      .event(TimedEvent(time: $0.time + jump, event: $0.event))
    }
    let setting = RadioStep.clockSet(by: jump, at: events[half].time + jump)
    let radio = ScriptedRadio(first + [setting] + second)
    _ = try await bench.play(radio)
    let whole = try await Bench(Plans.john(tasks: Plans.steps(10)))
    try await whole.play(ScriptedRadio(events.map { .event($0) }))
    let steps = try await bench.samples(.stepCount).reduce(0) { $0 + $1.value }
    let all = try await whole.samples(.stepCount).reduce(0) { $0 + $1.value }
    #expect(all > 80)
    // The stretch is cut in two, each with a first and a last step.
    #expect(abs(steps - all) <= 8, "\(steps) of \(all)")
    let hours = try await bench.samples(.stepCount).map { sample in
      (sample.start.timeIntervalSince(Self.start) / 3600).rounded()
    }
    #expect(Set(hours) == [0, jump / 3600])
  }
}
