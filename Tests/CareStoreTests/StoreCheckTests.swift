import Care
import CareStore
import Foundation
import GRDB
import Testing

@Suite struct StoreCheckTests: ~Copyable {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// A sound store with something of every kind.
  private func store() async throws -> SQLStore {
    let store = try SQLStore.open(path: scratch.file("a"), makeUUID: SeededUUIDs(seed: 1).next)
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    _ = try await store.write {
      for minute in 0..<90 { _ = try $0.insert(.steps(30, at: midnight + Double(minute) * 60)) }
      _ = try $0.insert(.linked(72.4, at: midnight))
      let event = try #require(
        try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
      _ = try $0.setOutcome([.typed(1)], of: event.reference, now: day(0, hour: 13))
      _ = try $0.setOutcome([.typed(2)], of: event.reference, now: day(0, hour: 14))
    }
    #expect(try await store.check() == [])
    return store
  }

  /// What is found after something was damaged behind the store's back.
  private func findings(after sql: String) async throws -> [StoreFinding.Kind] {
    let store = try await store()
    try store.close()
    let queue = try DatabaseQueue(path: scratch.file("a"))
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)")
    }
    try queue.close()
    let opened = try SQLStore.open(path: scratch.file("a"), makeUUID: SeededUUIDs(seed: 2).next)
    return try await opened.check().map(\.kind)
  }

  @Test(
    arguments: [
      ("DELETE FROM source", .damagedFile),
      ("UPDATE block SET data = zeroblob(40) WHERE data IS NOT NULL", .damagedBlock),
      ("UPDATE block SET sum = sum + 1 WHERE data IS NOT NULL", .wrongFigures),
      ("UPDATE block SET most = 99 WHERE data IS NULL", .wrongFigures),
      ("UPDATE outcome SET start_date = start_date + 1 WHERE is_tip = 1", .orphanedOutcome),
      ("UPDATE outcome SET task = 'swim' WHERE is_tip = 1", .orphanedOutcome),
      (
        "INSERT INTO version_edge SELECT '00000000-0000-4000-8000-000000000001', uuid FROM version",
        .brokenEdge
      ),
      (
        "INSERT INTO version_edge SELECT uuid, '00000000-0000-4000-8000-000000000001' FROM version",
        .brokenEdge
      ),
      ("UPDATE sample SET state = 1", .wrongState),
      ("UPDATE sample SET patient = NULL", .wrongState),
      ("UPDATE version SET clock = 1", .repeatedStamp),
      (
        "UPDATE sample SET patient = 'ann', attributed = 'ann'",
        .unknownOwner
      ),
      ("UPDATE store SET file = '1:2'", .copiedFile),
    ] as [(String, StoreFinding.Kind)])
  func damageIsFound(sql: String, kind: StoreFinding.Kind) async throws {
    let found = try await findings(after: sql)
    #expect(Set(found) == [kind])
  }

  @Test func aConflictIsFound() async throws {
    let a = try await store()
    let b = try await a.copied(9)
    for (store, title) in [(a, "Run"), (b, "Swim")] {
      _ = try await store.write {
        try $0.addVersion(of: try .daily(title: title), effectiveDate: day(1), now: day(1))
      }
    }
    _ = try await a.merge(lines: try await b.exported())
    #expect(try await a.check().map(\.kind) == [.conflict])
  }

  @Test func aCopiedFileTakesAnotherNameWithItsFirstChange() async throws {
    let original = try await store()
    try await original.backup(to: scratch.file("copy"))
    let copy = try SQLStore.open(path: scratch.file("copy"), makeUUID: SeededUUIDs(seed: 3).next)
    #expect(try await copy.check().map(\.kind) == [.copiedFile])
    for (store, id) in [(original, "n"), (copy, "m")] {
      _ = try await store.write {
        try $0.put(Note(id: id, patient: "john", content: id), now: day(2))
      }
    }
    #expect(try await copy.check() == [])
    let report = try await original.merge(lines: try await copy.exported())
    #expect(!report.hasFoundCopy)
    #expect(try await original.check() == [])
    #expect(try await original.read { try $0.things(Note.self).map(\.id) } == ["m", "n"])
  }
}
