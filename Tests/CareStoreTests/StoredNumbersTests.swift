import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// The numbers by which a reader of a store finds what changed since it last looked.
struct StoredNumbersTests {
  /// A row with its number.
  private struct Numbered: Hashable {
    var number: Int64
    var content: String
  }

  /// The rows that stores exchange, by table and name.
  private static func rows(_ transaction: SQLTransaction) throws -> [String: Numbered] {
    var found: [String: Numbered] = [:]
    func read<R: ExportedRow>(
      _ type: R.Type, _ table: Table, _ sql: String? = nil, name: (R) -> String,
      also content: (R) -> String = { _ in "" }
    ) throws {
      try transaction.rows(sql ?? "SELECT * FROM \(table.name)") { row in
        let number: Int64 = try row.required("stored")
        let row = try R(reading: row)
        found[table.name + " " + name(row)] = Numbered(
          number: number, content: row.line + content(row))
      }
    }
    try read(VersionRow.self, VersionRow.table) { $0.uuid.uuidString }
    try read(OutcomeRow.self, OutcomeRow.table) { $0.outcome.uuid.uuidString }
    try read(FiringRow.self, FiringRow.table) { $0.uuid.uuidString }
    try read(SampleChangeRow.self, SampleChangeRow.table) { $0.uuid.uuidString }
    try read(AliasRow.self, AliasRow.table) { "\($0.old) \($0.date)" }
    try read(ErasureRow.self, ErasureRow.table) { "\($0.mark) \($0.date)" }
    try read(WithdrawalRow.self, WithdrawalRow.table) { "\($0.version) \($0.withdrawal.date)" }
    try read(SampleMember.self, SampleMember.table, Sample.select) {
      $0.sample.identity.text
    } also: {
      "\($0.sample.patient ?? "") \($0.sample.state)"
    }
    try transaction.rows("SELECT * FROM version_edge") { row in
      found["version_edge \(try row.text("previous")) \(try row.text("next"))"] = Numbered(
        number: try row.required("stored"), content: "")
    }
    return found
  }

  @Test(arguments: Rounds.seeds(4, from: 61))
  func `everything that is new or changed is numbered after all that was before`(
    seed: UInt64
  ) async throws {
    var history = try RandomHistory(seed: seed, index: 0, renames: true)
    var other = try RandomHistory(seed: seed, index: 1, renames: true)
    var (before, last): ([String: Numbered], Int64) = ([:], 0)
    for step in 0..<60 {
      if step % 10 == 9 {
        for _ in 0..<10 { try await other.step() }
        _ = try await history.store.merge(lines: try await other.store.exported())
      } else if step % 25 == 24 {
        try? await history.store.erase(patient: "ann", now: midnight + Double(step) * 1e5)
      } else {
        try await history.step()
      }
      let (rows, stored) = try await history.store.reading { transaction in
        (
          try Self.rows(transaction),
          try transaction.row("SELECT stored FROM store")?.required("stored") as Int64? ?? 0
        )
      }
      #expect(stored >= last)
      for (name, row) in rows {
        #expect(row.number <= stored, "\(name)")
        if let known = before[name], known.content == row.content {
          #expect(row.number >= known.number, "\(name)")
        } else {
          #expect(row.number > last, "step \(step): \(name) \(row.content)")
        }
      }
      (before, last) = (rows, stored)
    }
  }

  @Test func `a number is not given again after an erasure`() async throws {
    let store = try SQLStore.peer(1)
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    func stored() async throws -> Int64? {
      try await store.reading { try $0.row("SELECT stored FROM store")?.required("stored") }
    }
    let before = try await stored()
    try await store.erase(patient: "john", now: midnight + 10)
    _ = try await store.write { try $0.insert(.broadcast(at: midnight, patient: nil)) }
    let after = try await stored()
    #expect(try #require(after) > #require(before))
  }
}

/// Rows that another store sends one by one.
struct ArrivingRowTests {
  @Test(arguments: Rounds.seeds(3, from: 71))
  func `rows one by one are the same as all at once`(seed: UInt64) async throws {
    let history = try await RandomHistory.example(seed: seed)
    let lines = try await history.store.exported()
    let whole = try await history.store.copied(3)
    let single = try SQLStore.peer(4)
    var random = SeededGenerator(seed: seed)
    let rows = lines.dropFirst().dropLast().shuffled(using: &random)
    let results = try await single.merge(rows: rows)
    #expect(results.allSatisfy { $0 == .taken || $0 == .known })
    #expect(try await single.exported() == whole.exported())
    let again = try await single.merge(rows: rows)
    #expect(again.allSatisfy { $0 == .known })
  }

  @Test func `a row that cannot be read concerns no other`() async throws {
    let store = try SQLStore.peer(1)
    let rows = [
      #"{"date":1,"kind":"alias","new":"b","old":"a"}"#, #"{"kind":"wish"}"#,
      #"{"date":1,"kind":"alias","new":"b","old":"a","why":1}"#,
      #"{"date":1,"kind":"zone","zone":"Mars/Crater"}"#,
      #"{"date":1,"kind":"alias","new":"b","old":"a"}"#,
      #"{"date":2,"kind":"alias","new":"d","old":"c"}"#,
    ]
    let results = try await store.merge(rows: rows)
    #expect(
      results == [
        .taken, .refused(.unknownKind("wish")), .refused(.unknownField("why")),
        .refused(.value("Mars/Crater", field: "zone")), .known, .taken,
      ])
  }
}
