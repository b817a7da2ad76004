import Care
import Foundation
import Hub
import Radio
import Testing

/// A scale's other quantities belong to the patient of the weight.
@Suite struct CompanionTests {
  private static let morning = time("2026-11-20T07:10:00-08:00")
  private static let couple = Plans.couple("80 kg", "60 kg")

  private static func owners(_ samples: [Sample]) -> [String: String?] {
    Dictionary(samples.map { ($0.quantity.rawValue, $0.patient) }) { first, _ in first }
  }

  @Test(arguments: [(80.0, "john"), (60, "mary"), (70, nil)])
  func `an impedance follows its weight`(kilograms: Double, owner: String?) async throws {
    let bench = try await Bench(Self.couple)
    let clock = "2026-11-20T07:10:00"
    try await bench.play([
      .mi(MiFrame(kilograms: kilograms, clock: clock), at: Self.morning),
      .mi(MiFrame(kilograms: kilograms, clock: clock, impedance: 503), at: Self.morning + 6),
    ])
    #expect(
      Self.owners(try await bench.samples()) == ["bodyMass": owner, "impedance": owner])
  }

  /// The weight and composition of a real scale (a BF720), a second apart, from one user slot.
  @Test func `a composition in a later frame follows its weight`() async throws {
    let bench = try await Bench(Self.couple)
    let evening = time("2026-05-12T18:53:56-07:00")
    let run = try await bench.play([
      .value(
        0x2A9D, of: 0x181D, "0e783eea07050c12353601ee002607", from: .scale, at: evening),
      .value(0x2A9C, of: 0x181B, "9803c200df1a9701cc2fca21a811", from: .scale, at: evening + 1),
    ])
    #expect(
      run.stored.map(\.quantity.rawValue)
        == [
          "bodyMass", "bodyMassIndex", "height", "bodyFatPercentage", "basalMetabolicRate",
          "musclePercentage", "softLeanMass", "bodyWaterMass", "impedance",
        ])
    #expect(Set(run.stored.map(\.patient)) == ["john"])
    #expect(Set(run.stored.map(\.start)) == [time("2026-05-12T18:53:54-07:00")])
  }

  /// A composition that includes its weight, at the end of the frame.
  @Test func `a weight after its companions is found`() async throws {
    let bench = try await Bench(Self.couple)
    // Flags: weight present; 20 % fat; 60 kg. No time and no user: a scale without a clock.
    let composition = "0004c800e02e"
    let run = try await bench.play([
      .weight(kilograms: 80, clock: "0000-00-00T00:00:00", from: .scale, at: Self.morning),
      TimedEvent(time: Self.morning + 10, event: .disconnected(.scale)),
      .value(0x2A9C, of: 0x181B, composition, from: .scale, at: Self.morning + 20),
    ])
    #expect(
      run.stored.map { "\($0.quantity.rawValue) \($0.value) \($0.patient ?? "nobody")" }
        == ["bodyMass 80.0 john", "bodyMass 60.0 mary", "bodyFatPercentage 20.0 mary"])
  }

  @Test func `companions of two consecutive people are separate`() async throws {
    let bench = try await Bench(Self.couple)
    let events = [(80.0, "07:10:00", 500), (60, "07:10:30", 600)].enumerated().flatMap {
      index, weighing in
      let clock = "2026-11-20T\(weighing.1)"
      let start = Self.morning + Double(index) * 30
      return [
        TimedEvent.mi(MiFrame(kilograms: weighing.0, clock: clock), at: start),
        .mi(
          MiFrame(kilograms: weighing.0, clock: clock, impedance: weighing.2), at: start + 5),
      ]
    }
    try await bench.play(events)
    #expect(
      try await bench.samples(.impedance).map { "\($0.patient ?? "nobody") \($0.value)" }
        == ["john 500.0", "mary 600.0"])
  }

  /// A scale with users but no clock: the first user's values are not assigned to the second.
  @Test func `a user slot distinguishes two people`() async throws {
    let bench = try await Bench(Self.couple)
    let clock = "0000-00-00T00:00:00"
    // Flags: user present; 20 % fat; the user.
    let run = try await bench.play([
      .weight(kilograms: 80, clock: clock, user: 1, at: Self.morning),
      .weight(kilograms: 60, clock: clock, user: 2, at: Self.morning + 10),
      .value(0x2A9C, of: 0x181B, "0400c80001", from: .scale, at: Self.morning + 12),
      .value(0x2A9C, of: 0x181B, "0400fa0002", from: .scale, at: Self.morning + 13),
    ])
    #expect(
      run.stored.map { "\($0.quantity.rawValue) \($0.value) \($0.patient ?? "nobody")" }
        == [
          "bodyMass 80.0 john", "bodyMass 60.0 mary", "bodyFatPercentage 20.0 john",
          "bodyFatPercentage 25.0 mary",
        ])
  }

  @Test func `a lost clock does not separate them`() async throws {
    let bench = try await Bench(Self.couple)
    let clock = "1970-01-01T00:03:00"
    try await bench.play([
      .mi(MiFrame(kilograms: 60, clock: clock), at: Self.morning),
      .mi(MiFrame(kilograms: 60, clock: clock, impedance: 503), at: Self.morning + 12),
    ])
    let samples = try await bench.samples()
    #expect(Self.owners(samples) == ["bodyMass": "mary", "impedance": "mary"])
    #expect(samples.allSatisfy { !$0.isClockTrusted })
  }
}
