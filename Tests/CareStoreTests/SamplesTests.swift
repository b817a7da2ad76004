import Care
@testable import CareStore
import Foundation
import TestSupport
import Testing

@Suite("SQLStore, samples")
struct SamplesTests {
  /// A store with a plan of John's, to whom samples can be assigned.
  private func store(_ samples: Sample...) async throws -> SQLStore {
    let store = try SQLStore.example()
    try await store.write { writer in
      _ = try writer.importPlan(.example(try .daily()), now: midnight)
      for sample in samples { #expect(try writer.insert(sample)) }
    }
    return store
  }

  private func all(_ store: SQLStore, _ query: SampleQuery = SampleQuery()) async throws -> [Sample]
  {
    try await store.read { try $0.samples(query) }
  }

  @Test("Every field is read back unchanged")
  func roundTrip() async throws {
    var full = Sample.weight(72.4, identity: "full", patient: nil, end: midnight + 60)
    full.sourceValue = SourceValue(value: 159.6, unit: try #require(UnitOfMeasure("lb")))
    full.arrival = time("2026-11-20T07:10:00.123456-08:00")
    full.deviceTime = LocalDateTime(year: 2015, month: 0, day: 31, hour: 23, minute: 5, second: 9)
    full.isClockTrusted = false
    full.device.definition = "scale"
    full.userIndex = 3
    full.provenance = .active
    full.kind = "range"
    full.raw = [0, 255, 0, 16]
    let store = try await store(full)
    #expect(try await all(store) == [full])
  }

  @Test("A sample of a known identity changes nothing, even with another value")
  func identityIsUnique() async throws {
    let store = try await store(.weight(72.4))
    #expect(try await store.write { try $0.insert(.weight(99)) } == false)
    #expect(try await all(store) == [.weight(72.4)])
  }

  @Test("A deleted sample stays known and is not shown")
  func tombstone() async throws {
    let sample = Sample.weight()
    let store = try await store(sample)
    #expect(
      try await store.write { try $0.deleteSample(sample.identity, now: midnight) } == sample)
    #expect(try await all(store) == [])
    #expect(try await store.read { try $0.contains(sample.identity) })
    #expect(try await store.write { try $0.insert(sample) } == false)
    let gone = StoreError.unknown(.deletedSample(sample.identity))
    await #expect(throws: gone) {
      try await store.write { try $0.deleteSample(sample.identity, now: midnight) }
    }
    await #expect(throws: gone) {
      try await store.write { try $0.assign(sample.identity, to: "john", now: midnight) }
    }
  }

  @Test("A sample has a short number until it is deleted")
  func number() async throws {
    let identity = Sample.weight(identity: "b").identity
    let store = try await store(.weight(identity: "a"), .weight(identity: "b"))
    let number = try #require(try await store.read { try $0.number(of: identity) })
    #expect(try await store.read { try $0.identity(ofNumber: number) } == identity)
    let none = SampleIdentity(rawValue: "none")
    #expect(try await store.read { try $0.number(of: none) } == nil)
    _ = try await store.write { try $0.deleteSample(identity, now: midnight) }
    await #expect(
      throws: StoreError.unknown(.sampleNumber(number))
    ) { try await store.read { try $0.identity(ofNumber: number) } }
  }

  @Test("An unassigned sample can be assigned once")
  func assign() async throws {
    let store = try await store(.weight(patient: nil))
    let identity = Sample.weight().identity
    #expect(try await all(store, SampleQuery(owner: .unassigned)) == [.weight(patient: nil)])
    #expect(
      try await store.write { try $0.assign(identity, to: "john", now: midnight) } == .weight())
    #expect(try await all(store, SampleQuery(owner: .patient("john"))) == [.weight()])
    #expect(try await all(store, SampleQuery(owner: .unassigned)) == [])
    await #expect(
      throws: StoreError.refused(.assignedSample(patient: "john"))
    ) { try await store.write { try $0.assign(identity, to: "john", now: midnight) } }
  }

  @Test("It cannot be assigned to an unknown patient")
  func assignToUnknown() async throws {
    let store = try await store(.weight(patient: nil))
    await #expect(throws: StoreError.unknown(.patient("jane", known: ["john"]))) {
      try await store.write { try $0.assign(Sample.weight().identity, to: "jane", now: midnight) }
    }
    await #expect(throws: StoreError.unknown(.sample(SampleIdentity(rawValue: "none")))) {
      try await store.write {
        try $0.assign(SampleIdentity(rawValue: "none"), to: "john", now: midnight)
      }
    }
    #expect(try await all(store) == [.weight(patient: nil)])
  }

  @Test("The latest sample is the one with the latest start, then the one stored last")
  func latest() async throws {
    let store = try await store(
      .weight(1, identity: "a", at: day(2)), .weight(2, identity: "b", at: day(3)),
      .weight(3, identity: "c", at: day(3)), .weight(4, identity: "d", at: day(1)),
      .weight(5, identity: "e", patient: nil, at: day(9)),
      .weight(6, identity: "f", patient: "jane", at: day(9)))
    let latest = try await store.read { try $0.latestSample(patient: "john", quantity: .bodyMass) }
    #expect(latest?.value == 3)
    #expect(
      try await store.read { try $0.latestSample(patient: "john", quantity: .heartRate) } == nil)
  }

  @Test(
    "A span takes what touches it, both ends counted",
    arguments: [
      (10, 20, ["long", "at 10", "10 to 20"]), (11, 19, ["long", "10 to 20"]),
      (20, 21, ["long", "10 to 20"]), (21, 30, ["long"]), (0, 9, ["long"]),
      (101, 200, []),
    ])
  func span(_ from: Int, _ to: Int, _ expected: [String]) async throws {
    func second(_ number: Int) -> Date { midnight + TimeInterval(number) }
    let store = try await store(
      .weight(identity: "10 to 20", at: second(10), end: second(20)),
      .weight(identity: "long", at: second(0), end: second(100)),
      .weight(identity: "at 10", at: second(10)))
    let query = SampleQuery(
      owner: .patient("john"), quantity: .bodyMass, from: second(from), to: second(to))
    #expect(Set(try await all(store, query).map(\.identity.rawValue)) == Set(expected))
  }

  @Test("A limit keeps the latest, still oldest first")
  func limit() async throws {
    let store = try await store(
      .weight(1, identity: "a", at: day(1)), .weight(3, identity: "c", at: day(3)),
      .weight(2, identity: "b", at: day(2)))
    #expect(try await all(store).map(\.value) == [1, 2, 3])
    #expect(try await all(store, SampleQuery(limit: 2)).map(\.value) == [2, 3])
    #expect(try await all(store, SampleQuery(limit: 0)) == [])
    #expect(try await all(store, SampleQuery(limit: -1)) == [])
    #expect(try await all(store, SampleQuery(device: "nowhere")) == [])
  }

  @Test("A device is found in the spelling in which it was stored")
  func spelling() async throws {
    var sample = Sample.weight()
    sample.device.address = "Left-Thigh"
    let store = try await store(sample)
    #expect(try await all(store, SampleQuery(device: "left-thigh")) == [sample])
    #expect(
      try await all(store, SampleQuery(device: "left-thigh")).first?.device.address.text
        == "Left-Thigh")
    // Older versions stored an address as it was given.
    try await store.write { writer in
      try (writer as? SQLTransaction)?.execute("UPDATE sample SET device = 'aa:bb:cc:dd:ee:0f'")
    }
    let found = try await all(store, SampleQuery(device: "AA:BB:CC:DD:EE:0F"))
    #expect(found.map(\.device.address.text) == ["AA:BB:CC:DD:EE:0F"])
  }

  /// Version 0.1 stored the address of a recorded sensor as it was given.
  @Test("A sample whose identity has the address in lower case is stored already")
  func lowerCaseIdentity() async throws {
    let earlier = Sample.weight(identity: "d2:4f:71:00:00:03|stepCount|a1|0||")
    let same = Sample.weight(identity: "D2:4F:71:00:00:03|stepCount|a1|0||")
    let other = Sample.weight(identity: "D2:4F:71:00:00:04|stepCount|a1|0||")
    let store = try await store(earlier)
    let known = try await store.read { reader in
      [try reader.contains(same.identity), try reader.contains(other.identity)]
    }
    let inserted = try await store.write { writer in
      [try writer.insert(same), try writer.insert(other)]
    }
    #expect(known == [true, false])
    #expect(inserted == [false, true])
  }

  @Test(
    "Invalid samples are refused",
    arguments: [
      Sample.weight(.nan), Sample.weight(.infinity), Sample.weight(end: midnight - 1),
      Sample.weight(identity: "cut\0short"),
    ])
  func refused(_ sample: Sample) async throws {
    let store = try await store()
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert(sample) }
    }
    guard case .refused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await all(store) == [])
  }
}

@Suite("LocalDateTime as text")
struct LocalDateTimeTextTests {
  @Test(
    "A written text is read back, even if it is no real date", arguments: 0..<100 as Range<UInt64>)
  func roundTrip(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &random) }
    let time = LocalDateTime(
      year: number(65_535), month: number(255), day: number(255), hour: number(255),
      minute: number(255), second: number(255))
    #expect(LocalDateTime(text: time.description) == time)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", "T", "2026-11-02", "2026-11-02T10:00", "2026-11-02T10:00:00Z", "26-11-02T10:00:00",
      "2026-11-02T10:00:00T", "2026--11-02T10:00:00", "2026-11-02T10:00:x0",
    ])
  func refused(_ text: String) {
    #expect(LocalDateTime(text: text) == nil)
  }
}
