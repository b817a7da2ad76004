import Care
@testable import CareStore
import Foundation
import TestSupport
import Testing

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

  @Test
  func `every field is read back unchanged`() async throws {
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

  @Test
  func `a sample of a known identity changes nothing, even with another value`() async throws {
    let store = try await store(.weight(72.4))
    #expect(try await store.write { try $0.insert(.weight(99)) } == false)
    #expect(try await all(store) == [.weight(72.4)])
  }

  @Test
  func `a deleted sample stays known and is not shown`() async throws {
    let sample = Sample.weight()
    let store = try await store(sample)
    let deleted = try await change(store, sample.identity, .delete)
    #expect(deleted.map(\.state) == [.deleted])
    #expect(try await all(store) == [])
    #expect(try await all(store, SampleQuery(states: [.deleted])) == deleted)
    #expect(try await store.read { try $0.contains(sample.reading, identity: sample.identity) })
    #expect(try await store.write { try $0.insert(sample) } == false)
    #expect(try await change(store, sample.identity, .restore) == [sample])
    #expect(try await all(store) == [sample])
  }

  @discardableResult
  private func change(
    _ store: SQLStore, _ identity: SampleIdentity, _ change: SampleChange, at now: Date = midnight
  ) async throws -> [Sample] {
    try await store.write {
      try $0.change(.sample(identity), change, reason: nil, now: now).samples
    }
  }

  @Test
  func `a sample moves from one person to another, to the tray and back`() async throws {
    let store = try SQLStore.example()
    let people = ["anna", "ben"].map { Patient(id: $0) }
    try await store.write { writer in
      _ = try writer.importPlan(
        PlanDocument(timeZone: .gmt, patients: people, tasks: []), now: midnight)
      _ = try writer.insert(.weight(patient: "anna"))
    }
    let identity = Sample.weight().identity
    func owners() async throws -> [String?] { try await all(store).map(\.patient) }
    try await change(store, identity, .assign(patient: "ben"), at: day(1))
    #expect(try await owners() == ["ben"])
    #expect(try await all(store, SampleQuery(owner: .patient("anna"))) == [])
    try await change(store, identity, .unassign, at: day(2))
    #expect(try await owners() == [nil])
    try await change(store, identity, .disown, at: day(3))
    #expect(try await owners() == [])
    #expect(try await all(store, SampleQuery(states: [.disowned])).map(\.patient) == [nil])
    // The last change holds, also if the clock was set back meanwhile.
    try await change(store, identity, .assign(patient: "anna"), at: day(1))
    #expect(try await owners() == ["anna"])
    try await change(store, identity, .assign(patient: "ben"), at: day(4))
    #expect(try await owners() == ["ben"])
  }

  @Test
  func `what was measured together moves together`() async throws {
    var impedance = Sample.weight(500, identity: "scale|2", at: midnight + 20)
    impedance.quantity = .impedance
    var later = Sample.weight(501, identity: "scale|3", at: midnight + 90)
    later.quantity = .impedance
    var pulse = Sample.weight(60, identity: "scale|4", at: midnight + 20)
    pulse.quantity = .heartRate
    let store = try await store(.weight(), impedance, later, pulse)
    try await change(store, Sample.weight().identity, .unassign)
    #expect(
      try await all(store, SampleQuery(owner: .unassigned)).map(\.identity.text)
        == ["scale|1", "scale|2"])
  }

  @Test
  func `a correction stands in place of what was measured, which stays as its origin`() async throws
  {
    let store = try await store(.weight(72.4))
    let origin = Sample.weight().identity
    let correction = try await store.write {
      try $0.correct(origin, value: 71.4, source: nil, reason: "shoes", now: day(1))
    }
    #expect(correction.provenance == .manual)
    #expect(correction.corrects == origin)
    #expect(try await all(store) == [correction])
    #expect(
      try await all(store, SampleQuery(states: [.corrected])).map(\.identity) == [origin])
    let second = try await store.write {
      try $0.correct(correction.identity, value: 70.4, source: nil, reason: nil, now: day(2))
    }
    #expect(try await all(store).map(\.value) == [70.4])
    try await change(store, second.identity, .delete, at: day(3))
    #expect(try await all(store) == [.weight(72.4)])
  }

  @Test
  func `a correction stays with the person of what it corrects`() async throws {
    let store = try SQLStore.example()
    let people = ["anna", "otto"].map { Patient(id: $0) }
    let identity = Sample.weight().identity
    try await store.write { writer in
      _ = try writer.importPlan(
        PlanDocument(timeZone: .gmt, patients: people, tasks: []), now: midnight)
      _ = try writer.insert(.weight(patient: "otto"))
      _ = try writer.change(
        .span(device: "5C:CA:D3:70:D4:A2", from: nil, to: nil), .assign(patient: "anna"),
        reason: nil, now: day(1))
      _ = try writer.change(
        .sample(identity), .assign(patient: "otto"), reason: nil, now: day(2))
      _ = try writer.correct(identity, value: 71, source: nil, reason: "boots", now: day(3))
    }
    #expect(try await all(store, SampleQuery(owner: .patient("otto"))).map(\.value) == [71])
    #expect(try await all(store, SampleQuery(owner: .patient("anna"))) == [])
    #expect(try await store.exported().contains { $0.contains("boots") })
  }

  @Test
  func `a span of a device is deleted and restored`() async throws {
    let store = try await store(.weight(at: midnight), .weight(identity: "b", at: midnight + 3600))
    try await store.write { writer in
      for second in 0..<7200 {
        _ = try writer.insert(.beat(60 + Double(second % 7), at: midnight + Double(second)))
      }
    }
    let device: DeviceID = "5C:CA:D3:70:D4:A2"
    let span = SampleSelection.span(device: device, from: midnight + 1800, to: midnight + 5400)
    let result = try await store.write {
      try $0.change(span, .delete, reason: "test", now: day(1))
    }
    #expect(result.streamedCount == 3600)
    #expect(result.samples.map(\.identity.text) == ["b"])
    #expect(try await all(store, SampleQuery(quantity: .bodyMass)).count == 1)
    #expect(try await all(store, SampleQuery(quantity: .heartRate)).count == 3600)
    let half = SampleSelection.span(device: device, from: midnight + 3600, to: midnight + 5400)
    _ = try await store.write { try $0.change(half, .restore, reason: nil, now: day(2)) }
    let beats = try await all(store, SampleQuery(quantity: .heartRate))
    #expect(beats.count == 5400)
    #expect(
      beats.allSatisfy {
        $0.value == 60 + Double(Int(saturating: $0.start.timeIntervalSince(midnight)) % 7)
      })
    #expect(try await all(store, SampleQuery(quantity: .bodyMass)).count == 2)
  }

  @Test
  func `a sample has a short number`() async throws {
    let identity = Sample.weight(identity: "b").identity
    let store = try await store(.weight(identity: "a"), .weight(identity: "b"))
    let number = try #require(try await store.read { try $0.number(of: identity) })
    #expect(try await store.read { try $0.identity(ofNumber: number) } == identity)
    let none = SampleIdentity(text: "none")
    #expect(try await store.read { try $0.number(of: none) } == nil)
    await #expect(
      throws: StoreError.unknown(.sampleNumber(number + 1))
    ) { try await store.read { try $0.identity(ofNumber: number + 1) } }
  }

  @Test
  func `an unassigned sample can be assigned`() async throws {
    let store = try await store(.weight(patient: nil))
    let identity = Sample.weight().identity
    #expect(try await all(store, SampleQuery(owner: .unassigned)) == [.weight(patient: nil)])
    #expect(try await change(store, identity, .assign(patient: "john")) == [.weight()])
    #expect(try await all(store, SampleQuery(owner: .patient("john"))) == [.weight()])
    #expect(try await all(store, SampleQuery(owner: .unassigned)) == [])
  }

  @Test
  func `it cannot be assigned to an unknown patient`() async throws {
    let store = try await store(.weight(patient: nil))
    await #expect(throws: StoreError.unknown(.patient("jane", known: ["john"]))) {
      try await change(store, Sample.weight().identity, .assign(patient: "jane"))
    }
    let none = SampleIdentity(text: "none")
    await #expect(throws: StoreError.unknown(.sample(none))) {
      try await change(store, none, .assign(patient: "john"))
    }
    #expect(try await all(store) == [.weight(patient: nil)])
  }

  @Test func `a sample of nobody whom the store knows is refused`() async throws {
    let store = try await store()
    let refusal = StoreError.unknown(.patient("jane", known: ["john"]))
    var total = Sample.weight(patient: "jane")
    (total.reading.total, total.reading.counter) = (5, RunningTotal(.daily))
    var streamed = Sample.steps(30, at: midnight)
    streamed.patient = "jane"
    for sample in [Sample.weight(patient: "jane"), streamed, total] {
      await #expect(throws: refusal) { try await store.write { try $0.insert(sample) } }
    }
    #expect(try await store.read { try $0.sampleCount(SampleQuery()) } == 0)
    // A deleted person's is kept, and hidden with the person.
    try await store.write { writer in
      try writer.addJane()
      try writer.delete(ThingReference(.patient, patient: "jane", id: "jane"), now: midnight)
      #expect(try writer.insert(.weight(patient: "jane")))
    }
    #expect(try await store.check() == [])
  }

  @Test
  func `the latest sample is the one with the latest start, then the one stored last`() async throws
  {
    let store = try await store(
      .weight(1, identity: "a", at: day(2)), .weight(2, identity: "b", at: day(3)),
      .weight(3, identity: "c", at: day(3)), .weight(4, identity: "d", at: day(1)),
      .weight(5, identity: "e", patient: nil, at: day(9)))
    try await store.write { writer in
      try writer.addJane()
      _ = try writer.insert(.weight(6, identity: "f", patient: "jane", at: day(9)))
    }
    let latest = try await store.read { try $0.latestSample(patient: "john", quantity: .bodyMass) }
    #expect(latest?.value == 3)
    #expect(
      try await store.read { try $0.latestSample(patient: "john", quantity: .heartRate) } == nil)
  }

  @Test(
    arguments: [
      (10, 20, ["long", "at 10", "10 to 20"]), (11, 19, ["long", "10 to 20"]),
      (20, 21, ["long", "10 to 20"]), (21, 30, ["long"]), (0, 9, ["long"]),
      (101, 200, []),
    ])
  func `a span takes what touches it, both ends counted`(
    _ from: Int, _ to: Int, _ expected: [String]
  ) async throws {
    func second(_ number: Int) -> Date { midnight + TimeInterval(number) }
    let store = try await store(
      .weight(identity: "10 to 20", at: second(10), end: second(20)),
      .weight(identity: "long", at: second(0), end: second(100)),
      .weight(identity: "at 10", at: second(10)))
    let query = SampleQuery(
      owner: .patient("john"), quantity: .bodyMass, from: second(from), to: second(to))
    #expect(Set(try await all(store, query).map(\.identity.text)) == Set(expected))
  }

  @Test
  func `a limit keeps the latest, still oldest first`() async throws {
    let store = try await store(
      .weight(1, identity: "a", at: day(1)), .weight(3, identity: "c", at: day(3)),
      .weight(2, identity: "b", at: day(2)))
    #expect(try await all(store).map(\.value) == [1, 2, 3])
    #expect(try await all(store, SampleQuery(limit: 2)).map(\.value) == [2, 3])
    #expect(try await all(store, SampleQuery(limit: 0)) == [])
    #expect(try await all(store, SampleQuery(limit: -1)) == [])
    #expect(try await all(store, SampleQuery(device: "nowhere")) == [])
  }

  @Test
  func `a device is found in the spelling in which it was stored`() async throws {
    var sample = Sample.weight()
    sample.device.address = "Left-Thigh"
    let store = try await store(sample)
    #expect(try await all(store, SampleQuery(device: "left-thigh")) == [sample])
    #expect(
      try await all(store, SampleQuery(device: "left-thigh")).first?.device.address.text
        == "Left-Thigh")
  }

  @Test(
    arguments: [
      Sample.weight(.nan), Sample.weight(.infinity), Sample.weight(end: midnight - 1),
      Sample.weight(at: .distantPast - 1),
      Sample.weight(end: time("9999-12-31T23:59:59Z") + 1),
      Sample.weight(at: Date(microseconds: .max)),
      Sample.weight(identity: "cut\0short"),
    ])
  func `invalid samples are refused`(_ sample: Sample) async throws {
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

  @Test
  func `samples lie within the years 1 to 9999, streamed or not`() async throws {
    let (first, last) = (time("0001-01-01T00:00:00Z"), time("9999-12-31T23:59:59Z"))
    let store = try await store(
      .weight(identity: "a", at: first), .weight(identity: "b", at: last),
      .beat(60, at: first), .beat(60, at: last))
    #expect(try await all(store).count == 4)
    for sample in [
      Sample.beat(60, at: last + 1), .weight(at: last + 1), .weight(at: .distantPast - 1),
    ] {
      await #expect(throws: StoreError.refused(.sampleDateOutOfRange(sample.quantity))) {
        try await store.write { try $0.insert(sample) }
      }
    }
    let lines = try await store.exported()
    let copy = try SQLStore.peer(9)
    _ = try await copy.merge(lines: lines)
    #expect(try await copy.exported() == lines)
  }
}

struct LocalDateTimeTextTests {
  @Test(
    arguments: 0..<100 as Range<UInt64>)
  func `a written text is read back, even if it is no real date`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &random) }
    let time = LocalDateTime(
      year: number(65_535), month: number(255), day: number(255), hour: number(255),
      minute: number(255), second: number(255))
    #expect(LocalDateTime(text: time.description) == time)
  }

  @Test(
    arguments: [
      "", "T", "2026-11-02", "2026-11-02T10:00", "2026-11-02T10:00:00Z", "26-11-02T10:00:00",
      "2026-11-02T10:00:00T", "2026--11-02T10:00:00", "2026-11-02T10:00:x0",
    ])
  func `anything else is refused`(_ text: String) {
    #expect(LocalDateTime(text: text) == nil)
  }
}
