import Care
import DeviceCatalog
import Foundation
import Measurement
import Motion
import Testing
import Traces

@testable import Hub

/// How fast a person walks in a day, by a sensor that nobody thinks of.
@Suite struct WalkingMinutesTests {
  private static let start = time("2026-11-20T17:00:00-08:00")
  private static let walk = GaitModel().samples(seconds: 140)

  private func speeds(
    _ sensor: String, _ samples: [MotionSample], height: Double? = nil
  ) async throws -> [Sample] {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(1000)))
    if let height {
      let stored = Sample(
        identity: SampleIdentity(text: "height"),
        reading: Reading(
          quantity: .height, value: height, arrival: Self.start - 60,
          device: DeviceIdentity(address: "tape")),
        patient: "john", start: Self.start - 60, end: Self.start - 60)
      _ = try await bench.store.write { try $0.insert(stored) }
    }
    try await bench.play(motion(of: sensor, samples, at: Self.start))
    return try await bench.samples(.walkingSpeed)
  }

  @Test(arguments: [1.5, nil, 1.9])
  func `each minute of walking at the trunk has a speed`(height: Double?) async throws {
    let whole = try WalkingSpeed.measure(
      Self.walk, on: .trunk, height: height.map { Int64(saturating: $0 * 1_000) })
    let minutes = try await speeds("trunk", Self.walk, height: height)
    #expect(minutes.map(\.start) == [0, 60, 120].map { Self.start + $0 })
    #expect(minutes.allSatisfy { $0.patient == "john" && $0.end == $0.start + 60 })
    for minute in minutes { #expect(abs(minute.value * 1_000 - Double(whole.speed)) < 40) }
  }

  @Test(arguments: ["left-foot", "left-hand", "chest"])
  func `no other place has one`(sensor: String) async throws {
    #expect(try await speeds(sensor, Self.walk).isEmpty)
  }

  /// A few steps in a room are no measure of how somebody walks.
  @Test func `fewer than twenty steps have none`() async throws {
    let short = GaitModel().samples(seconds: 10)
    #expect(steps(in: short, on: .trunk) >= 12)
    #expect(try await speeds("trunk", short).isEmpty)
  }

  /// The same rise on short legs is a slow walk.
  @Test func `a slow walk has none`() async throws {
    let walk = GaitModel().samples(seconds: 60)
    #expect(try await speeds("trunk", walk, height: 1.7).count == 1)
    #expect(try await speeds("trunk", walk, height: 0.5).isEmpty)
  }

  /// The last steps of a walk are counted some seconds after it.
  @Test(arguments: [(false, 3), (true, 0)])
  func `a walk that a person performs is none in passing`(isPerformed: Bool, minutes: Int) {
    var motion = SensorMotion(device: DeviceIdentity(address: "trunk"))
    var findings: [Finding] = []
    let walk = GaitModel(margin: 40).samples(seconds: 140)
    for second in 0..<220 {
      let batch = Array(walk[second * 50..<(second + 1) * 50])
      findings += motion.add(
        batch, at: EventTime(Date(microseconds: Int64(second + 1) * 1_000_000)),
        placement: Placement(segment: .trunk),
        isSupervised: isPerformed && (40..<180).contains(second))
    }
    findings += motion.end(at: Date(microseconds: 220_000_000))
    #expect(findings.count { if case .walk = $0 { true } else { false } } == minutes)
  }
}
