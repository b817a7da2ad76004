import Care
import CareStore
import Foundation
import Testing

/// The effect of a correction on the event that its sample counts for, and the refused ones.
struct CorrectionTests {
  private static let start = day(0, hour: 12)

  private static func task(_ linkages: Linkage...) throws -> PlannedTask {
    var task = try PlannedTask.daily()
    task.linkages = linkages
    return task
  }

  private static let steps = Linkage(quantity: .stepCount, type: .cumulative, unit: .one)
  private static let weight = Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)

  /// A single reading, `minute` minutes into the first event.
  private static func sample(_ value: Double, of quantity: Quantity, minute: Double) -> Sample {
    let time = start + 60 * minute
    let reading = Reading(
      quantity: quantity, value: value, arrival: time,
      device: DeviceIdentity(address: "AA:BB:CC:DD:EE:01", definition: "band"),
      raw: [UInt8(truncatingIfNeeded: Int(saturating: minute))]
    )
    return Sample(reading: reading, patient: "john", start: time, end: time)
  }

  private func store(_ linkage: Linkage, _ values: Double...) async throws -> SQLStore {
    let store = try await SQLStore.planned(try Self.task(linkage))
    try await store.write { writer in
      for (minute, value) in values.enumerated() {
        _ = try writer.insert(
          Self.sample(value, of: linkage.quantity, minute: Double(minute + 1)))
      }
    }
    return store
  }

  private func event(_ store: SQLStore) async throws -> Event {
    let events = try await store.read {
      try $0.events(patient: "john", task: nil, from: Self.start, to: Self.start + 1)
    }
    return try #require(events.first)
  }

  private func values(_ store: SQLStore) async throws -> [Double?] {
    try await event(store).outcome?.values.map(\.value.number) ?? []
  }

  @discardableResult
  private func correct(_ store: SQLStore, _ value: Double, to new: Double) async throws -> Sample {
    let samples = try await store.read { try $0.samples(SampleQuery()) }
    let sample = try #require(samples.first { $0.value == value })
    return try await store.write {
      try $0.correct(sample.identity, value: new, source: nil, reason: nil, now: day(1))
    }
  }

  @Test
  func `a corrected count stands among the others of the sum`() async throws {
    let store = try await store(Self.steps, 4000, 500, 100)
    #expect(try await values(store) == [4600])
    try await correct(store, 100, to: 90)
    #expect(try await values(store) == [4590])
    #expect(try await event(store).outcome?.values.map(\.provenance) == [.passive])
    try await correct(store, 90, to: 80)
    #expect(try await values(store) == [4580])
    try await correct(store, 4000, to: 40)
    #expect(try await values(store) == [620])
  }

  @Test
  func `a corrected weight stands among the other weights`() async throws {
    let store = try await store(Self.weight, 82, 28, 82.2)
    try await correct(store, 28, to: 82.1)
    #expect(Set(try await values(store)) == [82, 82.1, 82.2])
  }

  @Test
  func `what a person entered stands alone, also once it is corrected`() async throws {
    let store = try await store(Self.steps, 4000, 500)
    let reference = try await event(store).reference
    _ = try await store.write {
      try $0.setOutcome([.typed(6000, at: Self.start)], of: reference, now: Self.start)
    }
    #expect(try await values(store) == [6000])
    try await correct(store, 6000, to: 5000)
    #expect(try await values(store) == [5000])
    // A correction of a measured sample changes nothing then.
    try await correct(store, 500, to: 600)
    #expect(try await values(store) == [5000])
  }

  @Test(
    arguments: [
      (Quantity.bloodPressureSystolic, 60.0, 60.0, 82.0),
      (.bloodPressureSystolic, 82, 82, 82),
      (.bloodPressureDiastolic, 150, 140, 150),
    ])
  func `a correction leaves the systolic pressure above the diastolic one`(
    quantity: Quantity, value: Double, systolic: Double, diastolic: Double
  ) async throws {
    let store = try await SQLStore.planned(try .daily())
    let pair = [
      Self.sample(140, of: .bloodPressureSystolic, minute: 1),
      Self.sample(82, of: .bloodPressureDiastolic, minute: 1),
    ]
    let sample = try #require(pair.first { $0.quantity == quantity })
    try await store.write { writer in
      for sample in pair { _ = try writer.insert(sample) }
      _ = try writer.insert(Self.sample(300, of: .bloodPressureDiastolic, minute: 3))
    }
    await #expect(
      throws: StoreError.refused(
        .swappedPressures(systolic: systolic, diastolic: diastolic, quantity.unit, task: nil))
    ) {
      try await store.write {
        try $0.correct(sample.identity, value: value, source: nil, reason: nil, now: day(1))
      }
    }
    // Both can be corrected, one after the other.
    try await correct(store, 82, to: 50)
    try await correct(store, 140, to: 60)
    let values = try await store.read { try $0.samples(SampleQuery()) }.map(\.value)
    #expect(Set(values) == [50, 60, 300])
  }

  @Test
  func `the cautions of an event are those of the samples that count for it`() async throws {
    let linkage = Linkage(
      quantity: .bloodPressureSystolic, type: .discrete, unit: Quantity.bloodPressureSystolic.unit)
    let store = try await SQLStore.planned(try Self.task(linkage))
    var doubtful = Self.sample(150, of: .bloodPressureSystolic, minute: 1)
    doubtful.reading.context = [.cuffTooLoose, .finger]
    doubtful.identity = SampleIdentity(doubtful.reading)
    var before = Self.sample(120, of: .bloodPressureSystolic, minute: -90)
    before.reading.context = [.irregularPulse]
    let samples = [doubtful, before]
    try await store.write { writer in
      for sample in samples { _ = try writer.insert(sample) }
    }
    let event = try await event(store)
    #expect(try await store.read { try $0.cautions(of: event) } == [.cuffTooLoose])
    try await correct(store, 150, to: 140)
    let corrected = try await self.event(store)
    #expect(try await store.read { try $0.cautions(of: corrected) } == [.cuffTooLoose])
  }
}
