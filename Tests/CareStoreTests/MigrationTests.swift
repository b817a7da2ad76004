import Care
import Foundation
import GRDB
import Testing

@testable import CareStore

/// Stores that earlier versions made, from their dumps in `Fixtures`.
struct MigrationTests {
  /// Makes the file of a dump, and opens it.
  private func store(_ version: Int, in scratch: borrowing ScratchDirectory) throws -> SQLStore {
    let dump = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/schema-\(version).sql")
    let path = scratch.file("care.db")
    let database = try DatabaseQueue(path: path)
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: String(contentsOf: dump, encoding: .utf8))
    }
    try database.close()
    #expect(StoreHeader(Array(try contents(of: path).prefix(100)))?.version == version)
    return try SQLStore.example(at: path)
  }

  @Test(arguments: [1, 2, 3, 6, 7, 9])
  func `a store of each schema is migrated with all its content`(_ version: Int) async throws {
    let scratch = try ScratchDirectory()
    let store = try store(version, in: scratch)
    let all = SampleQuery(states: Set(Sample.State.allCases))
    let samples = try await store.read { try $0.samples(all) }
    #expect(samples.count == 22)
    let weight = try #require(samples.first { $0.quantity == .bodyMass })
    #expect(weight.value == 81.95)
    #expect(weight.patient == "john")
    #expect(weight.identity == SampleIdentity(weight.reading))
    #expect(try await store.read { try $0.number(of: weight.identity) } == 1)
    let impedance = try #require(samples.first { $0.quantity == .impedance })
    #expect(impedance.state == .deleted)
    #expect(impedance.device.address.text == "5C:CA:D3:70:D4:A2")
    #expect(impedance.identity == SampleIdentity(impedance.reading))
    let beats = samples.filter { $0.quantity == .heartRate }
    #expect(beats.map(\.value) == (0..<20).map { 70 + Double($0 % 9) })
    #expect(beats.map(\.state) == beats.indices.map { $0 == 2 ? .deleted : .live })
    let areStreamed = beats.allSatisfy {
      $0.reading.isStreamed && $0.identity == SampleIdentity($0.reading)
    }
    #expect(areStreamed)
    #expect(try await store.write { try $0.insert(weight) } == false)
    #expect(try await store.write { try $0.insert(beats[0]) } == false)
    #expect(try await store.write { try $0.insert(beats[2]) } == false)
    let findings = try await store.check()
    #expect(findings == [], "\(findings)")
    // What was deleted is deleted in a store that it is merged with, too.
    let copy = try await store.copied(9)
    #expect(try await copy.read { try $0.samples(all).map(\.state) } == samples.map(\.state))
  }

  @Test(arguments: [1, 2, 3, 6, 7, 9])
  func `outcomes are found by their events' starts`(_ version: Int) async throws {
    let scratch = try ScratchDirectory()
    let store = try store(version, in: scratch)
    let events = try await store.read {
      try $0.events(
        patient: "jane", task: nil, from: time("2026-11-18T00:00:00-08:00"),
        to: time("2026-11-21T00:00:00-08:00"))
    }
    let answered = events.filter { $0.outcome != nil }
    #expect(answered.map(\.task.id) == ["pills", "walk", "pills"])
    #expect(answered.map(\.ordinal) == [1, 0, 1])
    #expect(
      answered.map { $0.outcome?.values.map(\.value) }
        == [[.boolean(true)], [.integer(31)], [.integer(2)]])
    let walk = try await store.read { try $0.histories(patient: "jane") }
      .first { $0.versions.first?.id == "walk" }
    #expect(walk?.versions.map(\.title) == ["Walk", "Stroll"])
  }

  @Test(
    arguments: [1, 3, 6, 7, 9])
  func `a migrated store takes the plan that it has as unchanged, and what is new`(_ version: Int)
    async throws
  {
    let scratch = try ScratchDirectory()
    let store = try store(version, in: scratch)
    let now = time("2026-11-22T12:00:00-08:00")
    let walk = try await store.read { reader in
      try reader.events(
        patient: "jane", task: "walk", from: now, to: now + 7200)
    }.first
    let event = try #require(walk)
    let set = try await store.write { try $0.setOutcome([], of: event, now: now) }
    #expect(set.progress.isCompleted)
    let firing = Firing(
      Firing.Key(.reminder, event.key), due: event.occurrence.start, date: now)
    let recorded = try await store.write { try $0.record(firing, making: nil, now: now) }
    #expect(recorded?.firing == firing)
    #expect(try await store.write { try $0.record(firing, making: nil, now: now) } == nil)
    #expect(try await store.check() == [])
    try store.close()
    let again = try SQLStore.example(at: scratch.file("care.db"))
    #expect(try await again.read { try $0.samples(SampleQuery()).count } == 20)
  }
}
