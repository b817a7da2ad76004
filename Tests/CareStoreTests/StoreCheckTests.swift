import Care
import Foundation
import Testing

@testable import CareStore

@Suite struct StoreCheckTests: ~Copyable {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// A sound store with something of every kind.
  private func store(at place: String? = nil) async throws -> SQLStore {
    let store = try SQLStore.open(
      path: try place ?? TestEngine.makePlace(scratch.file("a")),
      makeUUID: SeededUUIDs(seed: 1).next)
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    _ = try await store.write {
      for minute in 0..<90 { _ = try $0.insert(.steps(30, at: midnight + Double(minute) * 60)) }
      _ = try $0.insert(.linked(72.4, at: midnight))
      let event = try #require(
        try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
      _ = try $0.setOutcome([.typed(1)], of: event.reference, now: day(0, hour: 13))
      _ = try $0.setOutcome([.typed(2), .typed(3)], of: event.reference, now: day(0, hour: 14))
      _ = try $0.put(Note(id: "n", patient: "john", content: "a"), now: day(0, hour: 15))
    }
    let (name, date) = (String(repeating: "0a", count: 16), day(0, hour: 16))
    try await store.writeMessages { writer in
      try writer.put(
        StoredMessage(
          id: name, patient: "john", recipient: "nora", state: "waiting", isActive: true,
          finished: nil, content: "{}"))
      try writer.put(StoredWay(recipient: "nora", place: 0, content: "{}"))
      try writer.put(Uptime(started: date, alive: date))
      try writer.put(
        StoredLink(
          digest: name + name, message: name, recipient: "nora", patient: "john",
          channel: "email", answer: "seen", expires: date))
    }
    #expect(try await store.check() == [])
    return store
  }

  /// The findings after something was damaged behind the store's back.
  private func findings(after sql: String) async throws -> [StoreFinding] {
    try await damaged(by: sql).check()
  }

  private func damaged(by sql: String) async throws -> SQLStore {
    let store = try await store()
    try store.close()
    return try damage(store.place, by: sql)
  }

  /// The store at a place after something was damaged behind its back.
  private func damage(_ place: String, by sql: String) throws -> SQLStore {
    try TestEngine.damage(place, by: sql)
    return try SQLStore.open(path: place, makeUUID: SeededUUIDs(seed: 2).next)
  }

  /// A damage, by SQL, and what is found: the kind and a part of the id, the detail or both.
  struct Damage: Sendable {
    let sql: String
    let kind: StoreFinding.Kind
    let what: String

    init(
      _ sql: String, postgreSQL: String? = nil, _ kind: StoreFinding.Kind, _ what: String
    ) {
      self.sql = TestEngine.isPostgreSQL ? postgreSQL ?? sql : sql
      (self.kind, self.what) = (kind, what)
    }
  }

  static let damages = [
    Damage("DELETE FROM source", .damagedFile, "missing row of source"),
    Damage(
      "UPDATE block SET data = zeroblob(40) WHERE data IS NOT NULL",
      postgreSQL: "UPDATE block SET data = decode(repeat('00', 40), 'hex') WHERE data IS NOT NULL",
      .damagedBlock, "1 "),
    Damage("UPDATE block SET sum = sum + 1 WHERE data IS NOT NULL", .wrongFigures, "1 sum"),
    Damage("UPDATE block SET most = 99 WHERE data IS NULL", .wrongFigures, "2 most"),
    Damage(
      "UPDATE outcome SET start_date = start_date + 1 WHERE is_tip = 1", .orphanedOutcome,
      "nothing of the task starts then: john walk"),
    Damage(
      "UPDATE outcome SET task = 'swim' WHERE is_tip = 1", .orphanedOutcome, "the task is unknown"),
    Damage(
      "INSERT INTO version_edge SELECT '00000000-0000-4000-8000-000000000001', uuid, 1 FROM version"
        + " WHERE type = 'note'", .brokenEdge, "previous 00000000-0000-4000-8000-000000000001"),
    Damage(
      "INSERT INTO version_edge SELECT uuid, '00000000-0000-4000-8000-000000000001', 1 FROM version",
      .brokenEdge, "next 00000000-0000-4000-8000-000000000001"),
    Damage("UPDATE outcome SET is_tip = 0", .wrongState, "no version follows it"),
    Damage("UPDATE sample SET state = 1", .wrongState, "deleted of john, not live of john"),
    Damage("UPDATE sample SET patient = NULL", .wrongState, "live of nobody, not live of john"),
    Damage(
      "UPDATE outcome SET clock = (SELECT max(clock) FROM version)", .repeatedStamp, "3 rows"),
    Damage("UPDATE sample SET patient = 'ann', attributed = 'ann'", .unknownOwner, "ann"),
    Damage("UPDATE store SET file = '1:2'", .copiedFile, "1:2"),
    // Removed rows.
    Damage("DELETE FROM version WHERE type = 'task'", .missingRow, "clock"),
    Damage("DELETE FROM outcome WHERE is_tip = 1", .damagedFile, "missing row of outcome"),
    Damage("DELETE FROM outcome_value; DELETE FROM outcome", .missingRow, "clock"),
    Damage("DELETE FROM version WHERE type = 'note'", .missingRow, "clock"),
    Damage("DELETE FROM outcome_value WHERE position = 0", .missingRow, "1 of 2 values"),
    Damage("DELETE FROM store", .missingRow, "the table is empty"),
    // Messages on their way.
    Damage("UPDATE message_item SET active = 0", .unreadableRow, "finished_date"),
    Damage("UPDATE message_item SET id = 'x'", .unreadableRow, "‘x’ in ‘id’"),
    Damage("UPDATE message_way SET place = -1", .unreadableRow, "place"),
    Damage("UPDATE message_link SET digest = 'x'", .unreadableRow, "digest"),
    Damage("UPDATE message_link SET taken_back_date = 1", .unreadableRow, "answered_date"),
    // Changed rows.
    Damage(
      "UPDATE version SET payload = replace(payload, 'Walk', 'Talk') WHERE type = 'task'",
      .changedRow, "task john walk"),
    Damage(
      "UPDATE version SET uuid = replace(uuid, substr(uuid, 1, 4), 'ABCD') WHERE type = 'patient'",
      .changedRow, "ABCD"),
    Damage("UPDATE version SET is_ended = 1 WHERE type = 'task'", .changedRow, "task john walk"),
    // Rows that no store writes.
    Damage("UPDATE version SET payload = '{}' WHERE type = 'note'", .unreadableRow, "payload"),
    Damage("UPDATE version SET payload = '[1]' WHERE type = 'task'", .unreadableRow, "payload"),
    Damage("UPDATE version SET uuid = 'x' WHERE type = 'note'", .unreadableRow, "‘x’ in ‘uuid’"),
    Damage(
      "UPDATE version SET effective_date = 4611686018427387904", .unreadableRow, "in ‘effective’"),
    Damage("UPDATE outcome_value SET unit = 'parsec'", .unreadableRow, "‘parsec’ in ‘unit’"),
    Damage("UPDATE outcome SET uuid = 'x' WHERE is_tip = 1", .unreadableRow, "‘x’ in ‘uuid’"),
    Damage("UPDATE sample SET quantity = 'mood'", .unreadableRow, "‘mood’ in ‘quantity’"),
    Damage(
      "UPDATE sample SET value = 9e999", postgreSQL: "UPDATE sample SET value = 'Infinity'",
      .unreadableRow, "‘inf’ in ‘value’"),
    Damage(
      "UPDATE source SET unit = 'parsec'; UPDATE sample SET source_value = 1", .unreadableRow,
      "‘parsec’ in ‘unit’"),
    Damage(
      "UPDATE store SET plan_time_zone = 'Mars/Crater'", .unreadableRow,
      "1 ‘Mars/Crater’ in ‘zone’"),
    Damage(
      "INSERT INTO device_binding (address, placement) VALUES ('C0:FF:EE:00:00:01', '[]')",
      .unreadableRow, "device_binding"),
    Damage(
      "UPDATE plan_import SET content = '{}'", .unreadableRow,
      "plan_import 1 ‘versions’ is missing"),
    Damage(
      "UPDATE plan_import SET content = '{\"versions\":[\"x\"]}'", .unreadableRow, "plan_import 1"),
    Damage(
      "UPDATE plan_import SET content = '{\"versions\":[],\"zone\":\"Mars/Crater\"}'",
      .unreadableRow, "plan_import 1 ‘Mars/Crater’ in ‘zone’"),
    // The store itself.
    Damage("UPDATE store SET clock = 0", .wrongClock, "the clock is 0"),
    Damage(
      "CREATE TRIGGER t AFTER INSERT ON outcome BEGIN DELETE FROM outcome; END",
      postgreSQL: """
        CREATE TRIGGER t BEFORE UPDATE ON outcome
        FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()
        """, .wrongSchema,
      "trigger t foreign"),
    Damage("DROP INDEX sample_identity", .wrongSchema, "index sample_identity"),
    Damage("DROP TABLE calibration", .wrongSchema, "table calibration"),
  ]

  /// Each damage is done to the same sound content, in the same place, because a store knows its place.
  ///
  /// To make a store for each of them would take most of the time.
  @Test func `damage is found`() async throws {
    let place = try TestEngine.makePlace(scratch.file("a"))
    try await store(at: place).close()
    let sound = try TestEngine.Content(of: place)
    for damage in Self.damages {
      // A server does not lose a row that others refer to, and its tables stay as they are.
      let isServers = TestEngine.isPostgreSQL
      if isServers, damage.kind == .damagedFile { continue }
      let isOfSchema = isServers && damage.kind == .wrongSchema
      let damaged: SQLStore
      if isOfSchema {
        damaged = try await self.damaged(by: damage.sql)
      } else {
        try sound.restore()
        damaged = try self.damage(place, by: damage.sql)
      }
      let found = try await damaged.check()
      #expect(
        found.contains {
          $0.kind == damage.kind && "\($0.id) \($0.detail)".contains(damage.what)
        }, "\(damage.sql): \(found)")
      try? damaged.close()
    }
  }

  /// A greater value of a column of any type.
  private static let next =
    TestEngine.isPostgreSQL
    ? "substr(value, 1, 1) || (substr(value, 2)::numeric + 1)::text" : "value + 1"

  /// Damage that the check does not find, as the article on it says.
  @Test(arguments: [
    "UPDATE outcome_value SET value = \(next)",
    "UPDATE sample SET value = value + 1", "DELETE FROM sample",
    "UPDATE version SET payload = replace(payload, '\"a\"', '\"b\"') WHERE type = 'note'",
    "UPDATE version SET effective_date = effective_date - 60000000 WHERE type = 'task'",
    "INSERT INTO device_binding (address) VALUES ('C0:FF:EE:00:00:01')",
    "UPDATE plan_import SET content = '{\"versions\":[]}'",
  ])
  func `a valid change is not found`(sql: String) async throws {
    #expect(try await findings(after: sql) == [])
  }

  @Test func `undoing an import whose record is damaged names it`() async throws {
    let store = try await damaged(by: "UPDATE plan_import SET content = '{}'")
    await #expect(
      throws: StoreError.failed(
        .unreadable("plan_import 1: ‘versions’ is missing"), store: store.place)
    ) {
      _ = try await store.write { try $0.undoImport(now: day(3)) }
    }
    #expect(try await store.read { try $0.histories(patient: nil).count } == 1)
  }

  @Test func `a kind has so many findings at most`() async throws {
    let found = try await findings(
      after: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO version_edge SELECT uuid, 'x' || i, 1 FROM n, version WHERE type = 'note'
        """)
    #expect(found.count { $0.kind == .brokenEdge } == SQLStore.mostFindings)
  }

  @Test func `a conflict is found`() async throws {
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

  @Test(.ofSQLite) func `a copied file takes another name with its first change`() async throws {
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
