import Care
import CareStore
import Foundation
import Hub
import Motion
import Radio
import TestSupport
import Testing
import Traces

/// A run that is interrupted at any point and replayed from the start gives the same result as an
/// uninterrupted one.
@Suite struct InterruptionTests {
  private static let start = time("2026-11-20T08:58:00-08:00")
  private static let plan =
    Plans.couple(
      "80 kg", "60 kg",
      devices: """
          - {address: "A0:9E:1A:00:00:02", patient: john}
          - {address: "D2:4F:71:00:00:03", definition: witmotion-bwt901ble, patient: john, placement: {joint: knee, side: left, segment: shank}}
        """) + "\ntasks:\n" + [Plans.weighIn, Plans.steps(100), Plans.knee].joined(separator: "\n")

  /// A random sequence of weigh-ins, heartbeats, a walk and some bends.
  static func events(_ seed: UInt64) -> [TimedEvent] {
    var random = SeededGenerator(seed: seed)
    let sensors = SyntheticSensors(timeZone: TimeZone(identifier: "America/Los_Angeles") ?? .gmt)
    var events: [TimedEvent] = []
    for _ in 0..<4 {
      let at = start + Double(Int.random(in: 0...600, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let weights = [80.0, 60, 70, 83, 4]
        let kilograms = weights[Int.random(in: 0..<5, using: &random)]
        events += sensors.weighIn(
          at: at, steps5g: Int(saturating: kilograms * 200),
          impedance: Bool.random(using: &random) ? 500 : nil)
      case 2:
        events += sensors.walk(at: at, seconds: 70, cadence: 108, heartRate: 90)
      default:
        events += sensors.kneeBends(at: at, range: 95_000, repetitions: 1)
      }
    }
    let order = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    return order.map(\.element)
  }

  private func contents(
    _ events: [TimedEvent], interruptedAfter count: Int?, in folder: URL
  ) async throws -> [String] {
    let path = folder.appending(path: "\(count ?? -1).db").path
    if let count {
      let store = try SQLStore.counted(at: path)
      try await Bench(on: store).importPlan(Self.plan)
      // Power fails: no more events are received, and no more data is written.
      let power = PowerSwitch()
      let bench = try await Bench(on: PoweredStore(base: store, power: power))
      await #expect(throws: (any Error).self) {
        try await bench.play(PoweredRadio(events, until: count, power: power))
      }
      try store.close()
    }
    let store = try SQLStore.counted(at: path)
    let bench = try await Bench(count == nil ? Self.plan : nil, on: store)
    try await bench.play(events)
    let contents = try await store.contents()
    try store.close()
    return contents
  }

  @Test(arguments: 0..<4)
  func `ends where an undisturbed run does`(seed: UInt64) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "measured-hub-\(ProcessInfo.processInfo.processIdentifier)-\(seed)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let events = Self.events(seed)
    let whole = try await contents(events, interruptedAfter: nil, in: folder)
    #expect(!whole.isEmpty)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2 {
      let count = Int.random(in: 0...events.count, using: &random)
      let broken = try await contents(events, interruptedAfter: count, in: folder)
      #expect(broken == whole, "after \(count) of \(events.count) events")
    }
  }
}
