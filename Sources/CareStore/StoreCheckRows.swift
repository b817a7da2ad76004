import Care
import Foundation

// Checks of single rows: that they can be read, are complete, and that a row of a plan has the id
// that follows from its content.

extension SQLTransaction {
  /// Rows that this version cannot read, or that no store writes.
  func unreadableRows() throws -> [StoreFinding] {
    let names = try writerNames()
    var found: [StoreFinding] = []
    found += try unreadable("SELECT * FROM version ORDER BY uuid", id: "uuid") {
      try exchangedVersion($0, writers: names).check()
    }
    found += try unreadable("SELECT * FROM outcome ORDER BY uuid", id: "uuid") {
      try exchangedOutcome($0, writers: names).check()
    }
    found += try unreadable("SELECT * FROM sample_change ORDER BY uuid", id: "uuid") {
      var change = try SampleChangeRow(reading: $0)
      change.stamp = change.stamp.named(names)
      try change.check()
    }
    found += try unreadable("SELECT * FROM firing ORDER BY uuid", id: "uuid") {
      try FiringRow(reading: $0).check()
    }
    found += try unreadable(Sample.select, id: "number") { try SampleMember($0).check() }
    found += try unreadable("SELECT * FROM alias ORDER BY old, date", id: "old") {
      try AliasRow(reading: $0).check()
    }
    found += try unreadable("SELECT * FROM erasure ORDER BY mark", id: "mark") {
      try ErasureRow(reading: $0).check()
    }
    found += try unreadable("SELECT * FROM store", id: "id") { _ in try exportedZone()?.check() }
    found += try guarding("device_binding") {
      _ = try deviceBindings()
      return []
    }
    found += try unreadable(
      "SELECT *, 'plan_import ' || number AS name FROM plan_import ORDER BY number", id: "name"
    ) { _ = try ImportedContent($0) }
    found += try guarding("calibration") {
      _ = try calibrations()
      return []
    }
    found += try unreadable("SELECT * FROM message_item ORDER BY id", id: "id") {
      try StoredMessage(reading: $0).check()
    }
    found += try unreadable("SELECT * FROM message_way ORDER BY recipient, place", id: "recipient")
    {
      try StoredWay(reading: $0).check()
    }
    found += try unreadable("SELECT * FROM message_link ORDER BY digest", id: "message") {
      try StoredLink(reading: $0).check()
    }
    found += try unreadable(
      "SELECT *, 'uptime ' || started_date AS name FROM uptime ORDER BY started_date", id: "name"
    ) { _ = try Uptime(reading: $0) }
    return found
  }

  private func unreadable(
    _ sql: String, id: String, _ read: (Row) throws -> Void
  ) throws -> [StoreFinding] {
    var found: [StoreFinding] = []
    try rows(sql) { row in
      guard found.count < SQLStore.mostFindings else { return }
      do {
        try read(row)
      } catch {
        guard let detail = Self.contentProblem(error) else { throw error }
        let name = (try? row.text(id)) ?? (try? row.required(id) as Int64).map(String.init) ?? id
        found.append(StoreFinding(.unreadableRow, id: name, detail: detail))
      }
    }
    return found
  }

  /// The findings of a part of the check, or that it came upon something that cannot be read.
  func guarding(
    _ part: String, _ body: () throws -> [StoreFinding]
  ) throws -> [StoreFinding] {
    do {
      return try body()
    } catch StoreError.failed(.damaged(let detail), _) {
      return [StoreFinding(.damagedFile, id: part, detail: detail ?? "")]
    } catch let error as any EngineError where error.isDamage {
      return [StoreFinding(.damagedFile, id: part, detail: error.text)]
    } catch {
      guard let detail = Self.contentProblem(error) else { throw error }
      return [StoreFinding(.unreadableRow, id: part, detail: detail)]
    }
  }

  /// Describes the damage of a row's content; `nil` if the row could not be fetched.
  private static func contentProblem(_ error: any Error) -> String? {
    switch error {
    case is any EngineError: nil
    case StoreError.failed(.unreadable(let detail), _): detail
    case StoreError.failed(.damagedBlock(let number, let detail), _): "block \(number): \(detail)"
    case is StoreError: nil
    case StoreError.ExportDamage.field(let field): "‘\(field)’"
    case StoreError.ExportDamage.value(let value, let field): "‘\(value)’ in ‘\(field)’"
    case let error as DecodingError: error.reason
    default: String(describing: error)
    }
  }

  // MARK: - Missing rows

  func missingRows() throws -> [StoreFinding] {
    var found: [StoreFinding] = []
    guard let store = try row("SELECT writer, clock FROM store") else {
      return [StoreFinding(.missingRow, id: "store", detail: "the table is empty")]
    }
    let (number, clock): (Int64, Int64) = (
      try store.required("writer"), try store.required("clock")
    )
    let name = try writerNames()[number]?.uuidString ?? ""
    let stamps = try rows(
      """
      SELECT clock FROM version WHERE writer = ?1
      UNION SELECT clock FROM outcome WHERE writer = ?1
      UNION SELECT clock FROM sample_change WHERE writer = ?1 ORDER BY clock
      """, [number]
    ) { try $0.required("clock") as Int64 }
    if let last = stamps.last, last > clock {
      found.append(
        StoreFinding(.wrongClock, id: name, detail: "the clock is \(clock), a row has \(last)"))
    }
    // A merge may replace a row of this store by the same of another one; an erasure removes rows.
    if try writerNames().count == 1, try erasures().isEmpty {
      var next: Int64 = 1
      for stamp in stamps + [clock + 1] where found.count < SQLStore.mostFindings {
        if stamp > next {
          let gap = stamp - 1 == next ? "\(next)" : "\(next) to \(stamp - 1)"
          found.append(StoreFinding(.missingRow, id: name, detail: "clock \(gap)"))
        }
        next = stamp + 1
      }
    }
    found += try rows(
      """
      SELECT outcome.uuid, count(*) AS values_left, max(position) AS last FROM outcome_value
        JOIN outcome ON outcome.number = outcome_value.outcome
      GROUP BY outcome.number, outcome.uuid HAVING max(position) + 1 <> count(*) ORDER BY outcome.uuid
      """
    ) { row in
      let (count, last): (Int64, Int64) = (
        try row.required("values_left"), try row.required("last")
      )
      return StoreFinding(
        .missingRow, id: try row.text("uuid"), detail: "\(count) of \(last + 1) values")
    }
    return found
  }

  // MARK: - Changed rows

  /// Versions whose id, which an import or a settlement derived, is not that of their content.
  func changedRows() throws -> [StoreFinding] {
    let names = try writerNames()
    let aliases = try aliases()
    var found: [StoreFinding] = []
    try rows("SELECT * FROM version ORDER BY uuid") { row in
      let version = try exchangedVersion(row, writers: names)
      guard !version.hasOwnID(aliases) else { return }
      found.append(
        StoreFinding(
          .changedRow, id: version.uuid.uuidString,
          detail: "\(version.type) \(version.patient) \(version.id)"))
    }
    try rows("SELECT * FROM firing ORDER BY uuid") { row in
      let exported = try FiringRow(reading: row)
      guard try !exported.hasOwnID(aliases) else { return }
      found.append(
        StoreFinding(
          .changedRow, id: exported.uuid.uuidString,
          detail: "firing \(exported.patient) \(exported.task)"))
    }
    return found
  }

  // MARK: - Schema

  /// Tables and indexes that are missing or others, and triggers and views, which change what is read
  /// or written.
  ///
  /// - Returns: What is found, and whether a table is missing or another one.
  func schemaFindings() throws -> (findings: [StoreFinding], isOfTable: Bool) {
    let expected = try db.parts(of: Schema.tables)
    let present = try db.parts()
    let sql = Dictionary(
      present.map { ($0.id, $0.sql) }, uniquingKeysWith: { first, _ in first })
    let ids = Set(expected.map(\.id))
    let wrong = expected.filter { sql[$0.id] != $0.sql }
    let foreign = present.filter { part in
      !ids.contains(part.id) && (part.kind == .trigger || part.kind == .view)
    }
    let findings =
      wrong.map { part in
        StoreFinding(
          .wrongSchema, id: part.id, detail: sql[part.id] == nil ? "missing" : "another one")
      } + foreign.map { StoreFinding(.wrongSchema, id: $0.id, detail: "foreign") }
    return (findings, wrong.contains { $0.kind == .table })
  }
}

extension UUID {
  /// Whether it is a derived one: version 8 of RFC 9562.
  fileprivate var isDerived: Bool { uuid.6 & 0xF0 == 0x80 && uuid.8 & 0xC0 == 0x80 }
}

extension VersionRow {
  /// Whether the id is that of the content, if it is a derived one.
  ///
  /// - Parameter aliases: The ids that patients had.
  /// - Returns: `false` for a derived id that is another content's.
  func hasOwnID(_ aliases: Aliases) -> Bool {
    guard uuid.isDerived else { return true }
    // A patient's new id and an erasure change the order of tasks under its id, and may arrive after it.
    if type == "order" { return true }
    // The content keeps the id that its patient had when it was made.
    return aliases.ids(of: patient).union([patientOfContent]).contains { hasDerivedID(of: $0) }
  }

  private var patientOfContent: String {
    struct Owner: Decodable {
      var id: String?
      var patient: String?
    }
    let owner = try? JSON.value(Owner.self, from: payload)
    return (type == ThingKind.patient.rawValue ? owner?.id : owner?.patient) ?? ""
  }

  /// Whether the id follows from the content, for a patient of this id.
  fileprivate func hasDerivedID(of patient: String) -> Bool {
    let id = type == ThingKind.patient.rawValue ? patient : id
    // An effective date that a plan left out is not part of the id.
    return [nil, self.effectiveDate].contains { effectiveDate in
      UUID.derived(
        type: type, patient: patient, id: id, parents: parents, effectiveDate: effectiveDate,
        payload: payload, isDeleted: deletedDate != nil, isEnded: isEnded) == uuid
    }
  }
}

extension FiringRow {
  /// Whether the id is that of the content.
  func hasOwnID(_ aliases: Aliases) throws -> Bool {
    let key = try firing().key
    return try aliases.ids(of: patient).contains { try key.derivedID(patient: $0) == uuid }
  }
}
