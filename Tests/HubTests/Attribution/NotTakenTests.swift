import Care
import CareStore
import Foundation
import Hub
import Radio
import TestSupport
import Testing

/// Readings that are kept and not taken as measurements.
@Suite struct NotTakenTests {
  private static let morning = time("2026-11-20T07:10:00-08:00")

  /// A stored weight of a Medisana scale in an unknown unit, with an impedance.
  private static func stones(confirmation: UInt64? = nil) -> TimedEvent {
    .value(
      0x8A21, of: 0x78B2, "5dbc0600ff6e0aa056451100ff020900000000", from: .scale,
      at: time("2016-01-20T22:31:05Z"), confirmation: confirmation)
  }

  private static let medisana = Plans.john(
    devices: #"  - {address: "5C:CA:D3:70:D4:A2", definition: medisana-bs4xx-1970, patient: john}"#)

  @Test func `a discarded record is kept before it is confirmed`() async throws {
    let journal = Journal()
    let base = try SQLStore.counted()
    let bench = try await Bench(
      Self.medisana, on: WatchedStore(base: base, journal: journal))
    let run = try await bench.play(
      PausingRadio([Self.stones(confirmation: 7)], journal: journal))
    #expect(journal.lines == ["written []", "written []", "confirmed 7"])
    let kept = try #require(run.notTaken.first)
    #expect(run.notTaken.count == 1 && run.summary.notTaken == 1)
    #expect(kept.quantity == .bodyMass && kept.patient == nil && kept.state == .notTaken)
    #expect(kept.reading.raw == bytes("5dbc0600ff6e0aa056451100ff020900000000"))
    #expect(kept.reading.discardedBy?.hasPrefix("validIf: unit != 2") == true)
    #expect(run.stored.isEmpty && run.unassigned.isEmpty && run.completed.isEmpty)
    // No half of it is stored: its impedance is left out as well.
    let all = try await base.read {
      try $0.samples(SampleQuery(states: [.live, .disowned, .notTaken]))
    }
    #expect(all.map(\.reading) == [kept.reading])
    let again = try await bench.play(PausingRadio([Self.stones(confirmation: 8)], journal: journal))
    #expect(again.summary.duplicates == 1 && again.notTaken.isEmpty)
    #expect(journal.lines.last == "confirmed 8")
  }

  @Test func `what could not be kept is not confirmed`() async throws {
    let journal = Journal()
    let store = WatchedStore(base: try SQLStore.counted(), journal: journal, failing: [2])
    let bench = try await Bench(Self.medisana, on: store)
    await #expect(throws: StoreError.self) {
      try await bench.play(PausingRadio([Self.stones(confirmation: 7)], journal: journal))
    }
    #expect(journal.lines.last == "write 2 failed")
  }

  /// A scale without electrodes fills the field with something.
  private static func weighings(_ impedances: [Int]) -> [TimedEvent] {
    impedances.enumerated().map { day, impedance in
      .mi(
        MiFrame(
          kilograms: 82 + Double(day % 3) / 10,
          clock: "2026-11-\(10 + day)T07:10:00", impedance: impedance),
        at: time("2026-11-\(10 + day)T07:10:01-08:00"))
    }
  }

  @Test func `an impedance that never varies is no measurement`() async throws {
    let bench = try await Bench(Plans.john())
    let run = try await bench.play(Self.weighings(Array(repeating: 555, count: 8)))
    #expect(run.stored.filter { $0.quantity == .bodyMass }.count == 8)
    #expect(run.stored.filter { $0.quantity == .impedance }.count == 5)
    #expect(run.notTaken.map(\.value) == [555, 555, 555])
    #expect(run.notTaken.allSatisfy { $0.reading.discardedBy == "constant" })
  }

  /// A measured one is; as soon as it varies, so is the next.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `an impedance that varies is a measurement`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var impedances = (0..<8).map { _ in Int.random(in: 495...505, using: &generator) }
    impedances[3] = impedances[2] + 1
    impedances[7] = impedances[6] + 1
    let bench = try await Bench(Plans.john())
    let run = try await bench.play(Self.weighings(impedances))
    #expect(
      run.stored.filter { $0.quantity == .impedance }.map(\.value) == impedances.map(Double.init))
  }

  /// Whatever constant a scale sends for both of a couple, and however often: who was weighed is
  /// decided as if it sent none.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a constant is no evidence`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let constant = Int.random(in: 300...700, using: &generator)
    let days = (0..<14).map { day in
      (
        day,
        day < 8 ? (day.isMultiple(of: 2) ? 80 : 60) : Double.random(in: 58...82, using: &generator)
      )
    }
    func owners(_ impedance: Int?) async throws -> [String?] {
      let bench = try await Bench(Plans.couple("80 kg", "60 kg"))
      try await bench.play(
        days.map { day, weight in
          .mi(
            MiFrame(
              kilograms: weight, clock: "2026-11-\(10 + day)T07:10:00", impedance: impedance),
            at: time("2026-11-\(10 + day)T07:10:01-08:00"))
        })
      return try await bench.samples(.bodyMass).map(\.patient)
    }
    let with = try await owners(constant)
    let without = try await owners(nil)
    #expect(with == without)
  }
}
