import Care
import Foundation
import GRDB

// MARK: - Export

extension SQLStore {
  /// Writes every row that stores exchange, one line each.
  ///
  /// The first line is `{"measured-store":1}`; see `Export` for the others. The last line counts
  /// the lines before it and contains the SHA-256 digest of their bytes. Two stores with the same
  /// rows write the same lines. There are no secrets, device bindings, calibrations, audit entries,
  /// nor records of imports. The memory that it takes is bounded by the samples of one hour.
  ///
  /// - Parameter write: Takes a line, without its end.
  /// - Throws: The errors of `write`; `StoreError.failed(_:store:)` if the store cannot be read.
  public func export(_ write: @escaping @Sendable (String) throws -> Void) async throws {
    try await read { reader in
      guard let transaction = reader as? SQLTransaction else { return }
      try transaction.export(write)
    }
  }

  /// Writes the export to a file, which it replaces in one step once it is complete and on disk.
  ///
  /// The file is readable by its owner only.
  ///
  /// - Throws: `StoreError.refused(_:)` if that is the store's own file;
  ///   `StoreError.notWritten(_:file:)` with the path that cannot be written, and
  ///   `StoreError.failed(_:store:)` if the store cannot be read. The present file then stays.
  public func export(to path: String) async throws {
    try refuseOwnFile(path)
    try await FileDraft.replace(path, id: makeUUID()) { draft in
      let file = try draft.open()
      try await export { line in try file.write(line + "\n") }
      try file.finish()
    }
  }
}

extension SQLTransaction {
  /// Writes the header, every row, by kind and id, and the end.
  func export(_ write: (String) throws -> Void) throws {
    var seal = ExportSeal()
    try exportRows { line in
      seal.add(line)
      try write(line)
    }
    try write(seal.end().line)
  }

  private func exportRows(_ write: (String) throws -> Void) throws {
    let names = try writerNames()
    try write(Export.header)
    try rows("SELECT * FROM alias ORDER BY old, date") { try write(ExportedAlias($0).line) }
    try exportAttachments(write)
    try exportBlocks(write)
    try rows("SELECT * FROM sample_change ORDER BY uuid") {
      try write(ExportedChange($0, writers: names).line)
    }
    try rows("SELECT * FROM erasure ORDER BY mark, date") { try write(ExportedErasure($0).line) }
    try rows("SELECT * FROM firing ORDER BY uuid") { try write(ExportedFiring($0).line) }
    try rows("SELECT * FROM outcome ORDER BY uuid") {
      try write(exportedOutcome($0, writers: names).line)
    }
    try exportSamples(write)
    try rows("SELECT * FROM version ORDER BY uuid") {
      try write(exportedVersion($0, writers: names).line)
    }
    try rows(
      """
      SELECT * FROM withdrawal WHERE version NOT IN (SELECT uuid FROM version)
      ORDER BY version, date
      """
    ) { try write(ExportedWithdrawal($0).line) }
    try rows(
      """
      SELECT writer.uuid, max(clock) AS clock FROM writer JOIN
        (SELECT writer, clock FROM version UNION ALL SELECT writer, clock FROM outcome
          UNION ALL SELECT writer, clock FROM sample_change) AS stamp
        ON stamp.writer = writer.number
      GROUP BY writer.uuid ORDER BY writer.uuid
      """
    ) { row in
      let writer = ExportedWriter(
        uuid: try row.uuid("uuid"), clock: try row.required("clock"))
      try write(writer.line)
    }
    if let zone = try exportedZone() { try write(zone.line) }
  }

  /// The plan's zone as it is exported; `nil` before the first import.
  func exportedZone() throws -> ExportedZone? {
    let row = try row("SELECT plan_time_zone, plan_time_zone_date FROM store")
    guard let row, let date: Int64 = try row.optional("plan_time_zone_date") else { return nil }
    return ExportedZone(date: date, zone: try row.optional("plan_time_zone"))
  }

  /// The writers' own names, by their numbers here.
  func writerNames() throws -> [Int64: String] {
    Dictionary(
      try rows("SELECT * FROM writer") {
        (try $0.required("number") as Int64, try $0.text("uuid"))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// A row of `version` as it is exported.
  func exportedVersion(_ row: Row, writers: [Int64: String]) throws -> ExportedVersion {
    let uuid = try row.uuid("uuid")
    let number: Int64 = try row.required("writer")
    let withdrawals = try rows(
      "SELECT date, is_withdrawn FROM withdrawal WHERE version = ? ORDER BY date",
      [uuid.uuidString]
    ) { [try $0.required("date") as Int64, try $0.required("is_withdrawn") as Int64] }
    return ExportedVersion(
      uuid: uuid, type: try row.text("type"), patient: try row.text("patient"),
      id: try row.text("id"), effective: try row.required("effective_date"),
      created: try row.required("created_date"), deleted: try row.optional("deleted_date"),
      ended: try row.required("is_ended"), closesLater: try row.required("closes_later"),
      imported: try row.required("is_imported"), payload: try row.text("payload"),
      parents: try parents(of: uuid), withdrawals: withdrawals, writer: writers[number] ?? "",
      clock: try row.required("clock"))
  }

  /// A row of `outcome` as it is exported.
  func exportedOutcome(_ row: Row, writers: [Int64: String]) throws -> ExportedOutcome {
    let uuid = try row.uuid("uuid")
    let number: Int64 = try row.required("writer")
    return ExportedOutcome(
      uuid: uuid, patient: try row.text("patient"), task: try row.text("task"),
      start: try row.required("start_date"), ordinal: try row.required("ordinal"),
      end: try row.required("end_date"),
      taskVersion: try row.uuid("task_uuid"),
      occurrence: try row.required("occurrence"), answer: try row.text("answer"),
      reason: try row.optional("reason"), answered: try row.optional("answer_date"),
      created: try row.required("created_date"), deleted: try row.optional("deleted_date"),
      parents: try parents(of: uuid),
      values: try rows(
        "SELECT * FROM outcome_value WHERE outcome = ? ORDER BY position",
        [try row.required("number") as Int64]
      ) { ExportedOutcome.Entry(try OutcomeValue($0)) }, writer: writers[number] ?? "",
      clock: try row.required("clock"))
  }

  private func parents(of uuid: UUID) throws -> [String] {
    try rows(
      "SELECT previous FROM version_edge WHERE next = ? ORDER BY previous", [uuid.uuidString]
    ) { try $0.text("previous") }
  }

  /// Writes the single samples: by series, then by what makes them the same sample.
  private func exportSamples(_ write: (String) throws -> Void) throws {
    let series = try rows("SELECT number FROM series ORDER BY device, quantity, user_index") {
      try $0.required("number") as Int64
    }
    for series in series {
      try rows(
        "\(Sample.select) WHERE series = ? ORDER BY time, ordinal, raw, sample.identity", [series]
      ) { try write(ExportedSample(SampleMember($0)).line) }
    }
  }

  /// Writes the streamed samples: those of one key together, however the store holds them.
  private func exportBlocks(_ write: (String) throws -> Void) throws {
    var key: HourKey?
    var numbers: [Int64] = []
    func finish() throws {
      guard let key else { return }
      var samples = try numbers.flatMap { try unpacked($0) }
      if numbers.count > 1 { samples.sort { ($0.start, $0.ordinal) < ($1.start, $1.ordinal) } }
      for first in stride(from: 0, to: samples.count, by: Export.longestBlock) {
        try write(
          ExportedBlock.line(
            key, samples[first..<min(first + Export.longestBlock, samples.count)]))
      }
    }
    try rows(
      """
      SELECT block.number, series.device, series.quantity, series.user_index, block.hour,
        source.definition, source.provenance, block.attributed, block.reason
      FROM block JOIN series ON series.number = block.series
        JOIN source ON source.number = block.source
      ORDER BY 2, 3, 4, 5, 6, 7, 8, 9
      """
    ) { row in
      let next = HourKey(
        device: try row.text("device"), quantity: try row.text("quantity"),
        user: try row.required("user_index"), hour: try row.required("hour"),
        definition: try row.text("definition"), provenance: try row.text("provenance"),
        attributed: try row.optional("attributed"), reason: try row.optional("reason"))
      if next != key {
        try finish()
        (key, numbers) = (next, [])
      }
      numbers.append(try row.required("number"))
    }
    try finish()
  }
}

// MARK: - Rows

extension ExportedAlias {
  /// Reads a row of `alias`.
  init(_ row: Row) throws {
    self.init(
      old: try row.text("old"), date: try row.required("date"), new: try row.text("new"))
  }
}

extension ExportedErasure {
  /// Reads a row of `erasure`.
  init(_ row: Row) throws {
    self.init(mark: try row.text("mark"), date: try row.required("date"))
  }
}

extension ExportedWithdrawal {
  fileprivate init(_ row: Row) throws {
    self.init(
      version: try row.uuid("version"), date: try row.required("date"),
      withdrawn: try row.required("is_withdrawn"))
  }
}

extension ExportedChange {
  /// Reads a row of `sample_change`.
  init(_ row: Row, writers: [Int64: String]) throws {
    let number: Int64 = try row.required("writer")
    self.init(
      uuid: try row.uuid("uuid"), identity: try row.optional("identity"),
      device: try row.text("device"), from: try row.optional("from_date"),
      to: try row.optional("to_date"), change: try row.text("change"),
      patient: try row.optional("patient"), decidedBy: try row.text("decided_by"),
      reason: try row.optional("reason"), created: try row.required("created_date"),
      writer: writers[number] ?? "", clock: try row.required("clock"))
  }
}

extension ExportedOutcome.Entry {
  /// The value as it is exported.
  init(_ value: OutcomeValue) {
    self.init(
      unit: value.unit?.code, part: value.kind, time: value.time.microseconds,
      provenance: value.provenance)
    switch value.value {
    case .integer(let value): integer = value
    case .double(let value): double = value
    case .boolean(let value): boolean = value
    case .text(let value): text = value
    case .binary(let value): binary = value.hexString
    case .attachment(let value):
      (attachment, media, bytes) = (value.sha256, value.type.rawValue, value.byteCount)
    case .date(let value): date = value.microseconds
    }
  }
}

extension ExportedSample {
  /// Makes a line of a row of `sample`, without values that are computed from other rows.
  init(_ member: SampleMember) {
    let sample = member.sample
    self.init(
      identity: sample.identity.rawValue, device: sample.device.address.text,
      quantity: sample.quantity.rawValue, user: sample.userIndex, ordinal: sample.ordinal,
      definition: sample.device.definition, part: sample.kind, provenance: sample.provenance,
      value: sample.value, unit: sample.sourceValue?.unit.code,
      sourceValue: sample.sourceValue?.value, start: sample.start.microseconds,
      end: sample.end.microseconds, arrival: sample.arrival.microseconds,
      deviceTime: sample.deviceTime?.description, untrustedClock: !sample.isClockTrusted,
      broadcast: sample.reading.isBroadcast, raw: sample.reading.raw.hexString,
      context: sample.context.names, total: sample.reading.total,
      counter: sample.reading.counter?.text, corrects: sample.corrects?.rawValue,
      attributed: member.attributed, reason: member.reason)
  }
}
