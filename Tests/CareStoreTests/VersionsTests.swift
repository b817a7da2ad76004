import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// Tombstones and merges, which only synchronisation and deletion will write, as readers see them.
struct VersionGraphTests {
  private func store() async throws -> SQLStore {
    let store = try SQLStore.example()
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: day(0)) }
    return store
  }

  /// Adds a copy of the first version of everything of a type, as a peer could have.
  private func add(
    _ type: String, uuid: String, deleted: Bool = false, after previous: String? = nil,
    title: String = "Walk", to store: SQLStore
  ) async throws {
    try await store.write { writer in
      let transaction = try #require(writer as? SQLTransaction)
      try transaction.execute(
        """
        INSERT INTO version (number, uuid, type, patient, id, effective_date, created_date,
          deleted_date, payload, is_ended, closes_later, is_imported, writer, clock, stored)
        SELECT (SELECT max(number) + 1 FROM version), '\(uuid)', type, patient, id, effective_date, created_date + 1,
          \(deleted ? "created_date + 1" : "NULL"), replace(payload, 'Walk', '\(title)'), 0,
          closes_later, 0, writer, clock + 1000, 1
        FROM version WHERE type = '\(type)' ORDER BY number LIMIT 1
        """)
      if let previous {
        try transaction.execute(
          "INSERT INTO version_edge (previous, next, stored) VALUES ('\(previous)', '\(uuid)', 1)")
      }
      try transaction.planChanged()
    }
  }

  private func firstVersion(_ store: SQLStore) async throws -> String {
    try await store.read { try $0.taskVersions(patient: nil)[0].uuid.uuidString }
  }

  private let other = "F0000000-0000-4000-8000-000000000001"

  @Test
  func `a tombstone hides every version of its task until its id is taken again`() async throws {
    let store = try await store()
    let first = try await firstVersion(store)
    try await add("task", uuid: other, deleted: true, after: first, to: store)
    #expect(try await store.read { try $0.taskVersions(patient: nil) } == [])
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: day(0), to: day(2))
    }
    #expect(events == [])
    let event = EventReference(taskUUID: try #require(UUID(uuidString: first)), occurrence: 0)
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.setOutcome([.typed(1)], of: event, now: day(3)) }
    }
    // The same plan again leaves it deleted; a changed one takes the id again.
    let again = try await store.write {
      try $0.importPlan(.example(try .daily()), now: day(1)).lines.first { $0.kind == .task }
    }
    #expect(again?.change == .unchanged)
    #expect(again?.kept == .deleted)
    _ = try await store.write {
      try $0.importPlan(.example(try .daily(title: "Stroll")), now: day(1))
    }
    #expect(
      try await store.read { try $0.taskVersions(patient: nil).map(\.title) } == ["Walk", "Stroll"])
  }

  @Test
  func `a version after a tombstone brings its task back`() async throws {
    let store = try await store()
    try await add("task", uuid: other, deleted: true, after: firstVersion(store), to: store)
    let third = "F0000000-0000-4000-8000-000000000002"
    try await add("task", uuid: third, after: other, title: "Stroll", to: store)
    #expect(
      try await store.read { try $0.taskVersions(patient: nil).map(\.title) } == ["Walk", "Stroll"])
  }

  @Test
  func `an import over two unmerged tips makes a version that follows both`() async throws {
    let store = try await store()
    try await add("task", uuid: other, title: "Stroll", to: store)
    #expect(try await store.read { try $0.conflicts().map(\.others.count) } == [1])
    let change = try await store.write {
      try $0.importPlan(.example(try .daily(title: "March")), now: day(1)).lines
        .first { $0.kind == .task }
    }
    #expect(change?.change == .updated)
    #expect(change?.version == 3)
    #expect(try await store.read { try $0.conflicts() } == [])
  }

  @Test
  func `a deleted patient is not listed until they are revived`() async throws {
    let store = try await store()
    let first = try await store.read { reader in
      try (reader as? SQLTransaction)?.graph(of: .patient("john")).tips.first?.uuid
    }
    let previous = try #require(first).uuidString
    try await add("patient", uuid: other, deleted: true, after: previous, to: store)
    #expect(try await store.read { try $0.patients() } == [])
    _ = try await store.write { try $0.importPlan(.example(), now: day(1)) }
    #expect(try await store.read { try $0.patients() } == [])
    try await store.write { try $0.revive(.patient("john"), now: day(2)) }
    #expect(try await store.read { try $0.patients().map(\.id) } == ["john"])
  }

  @Test(
    arguments: [
      ("UPDATE source SET unit = 'cubit'", "‘cubit’ in ‘unit’"),
      ("UPDATE sample SET device_time = 'noon'", "‘noon’ in ‘device_time’"),
    ])
  func `a row that says what this program does not know is an error that says where`(
    _ change: String, _ reason: String
  ) async throws {
    let store = try await store()
    _ = try await store.write { writer in
      var weight = Sample.weight()
      weight.sourceValue = SourceValue(value: 72.4, unit: .kilogram)
      _ = try writer.insert(weight)
      try (writer as? SQLTransaction)?.execute(change)
    }
    await #expect(
      throws: StoreError.failed(.unreadable(reason), store: store.place)
    ) { try await store.read { try $0.samples(SampleQuery()) } }
  }
}
