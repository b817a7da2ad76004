import Care
import Foundation

// MARK: - Export

extension SQLStore {
  /// Writes every row that stores exchange, one line each.
  ///
  /// The first line is `{"measured-store":1}`; see `Export` for the others. The last line counts
  /// the lines before it and contains the SHA-256 digest of their bytes. Two stores with the same
  /// rows write the same lines. There are no secrets, topics of ntfy, device bindings, calibrations, audit entries,
  /// nor records of imports. The memory that it takes is bounded by the samples of one hour.
  ///
  /// - Parameter write: Takes a line, without its end.
  /// - Throws: The errors of `write`; `StoreError.failed(_:store:)` if the store cannot be read to its end.
  public func export(_ write: @escaping @Sendable (String) throws -> Void) async throws {
    try await readingOnce { try $0.export(write) }
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
      try await reading { transaction in
        // A lost connection has the transaction run again.
        try file.empty()
        try transaction.export { line in try file.write(line + "\n") }
      }
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
    try rows("SELECT * FROM alias ORDER BY old, date") { try write(AliasRow(reading: $0).line) }
    try exportAttachments(write)
    try exportBlocks(write)
    try rows("SELECT * FROM sample_change ORDER BY uuid") {
      var change = try SampleChangeRow(reading: $0)
      change.stamp = change.stamp.named(names)
      try write(change.line)
    }
    try rows("SELECT * FROM erasure ORDER BY mark, date") {
      try write(ErasureRow(reading: $0).line)
    }
    try rows("SELECT * FROM firing ORDER BY uuid") { try write(FiringRow(reading: $0).line) }
    try rows("SELECT * FROM outcome ORDER BY uuid") {
      try write(exchangedOutcome($0, writers: names).line)
    }
    try exportSamples(write)
    try rows("SELECT * FROM version ORDER BY uuid") {
      try write(exchangedVersion($0, writers: names).withoutTopics.line)
    }
    try rows(
      """
      SELECT * FROM withdrawal WHERE version NOT IN (SELECT uuid FROM version)
      ORDER BY version, date
      """
    ) { try write(WithdrawalRow(reading: $0).line) }
    try rows(
      """
      SELECT writer.uuid, max(clock) AS clock FROM writer JOIN
        (SELECT writer, clock FROM version UNION ALL SELECT writer, clock FROM outcome
          UNION ALL SELECT writer, clock FROM sample_change) AS stamp
        ON stamp.writer = writer.number
      GROUP BY writer.uuid ORDER BY writer.uuid
      """
    ) { row in
      try write(WriterLine(reading: row).line)
    }
    if let zone = try exportedZone() { try write(zone.line) }
  }

  /// The plan's zone as it is exported; `nil` before the first import.
  func exportedZone() throws -> ZoneLine? {
    try rows(
      "SELECT plan_time_zone_date, plan_time_zone FROM store WHERE plan_time_zone_date IS NOT NULL",
      read: ZoneLine.init(reading:)
    ).first
  }

  /// The writers' own names, by their numbers here; a centre has one for each box.
  func writerNames() throws -> [Int64: UUID] {
    if let names = state.writerNames { return names }
    let names: [Int64: UUID] = Dictionary(
      try rows("SELECT * FROM writer") { (try $0.required("number"), try $0.uuid("uuid")) },
      uniquingKeysWith: { first, _ in first })
    state.writerNames = names
    return names
  }

  /// Notes another writer, and returns its number here.
  func addWriter(_ name: UUID) throws -> Int64 {
    let number = try db.insert("INSERT INTO writer (uuid) VALUES (?)", [name.uuidString])
    state.writerNames?[number] = name
    return number
  }

  /// A version as it is exchanged.
  func exchangedVersion(_ row: Row, writers: [Int64: UUID]) throws -> VersionRow {
    var version = try VersionRow(reading: row)
    version.stamp = version.stamp.named(writers)
    version.parents = try parents(of: version.uuid)
    version.withdrawals = try rows(
      "SELECT date, is_withdrawn FROM withdrawal WHERE version = ? ORDER BY date",
      [version.uuid.uuidString], read: Withdrawal.init(reading:))
    return version
  }

  /// The version of that id, as it is exchanged; `nil` if there is none.
  func exchangedVersion(_ uuid: UUID, writers: [Int64: UUID]) throws -> VersionRow? {
    try row("SELECT * FROM version WHERE uuid = ?", [uuid.uuidString]).map {
      try exchangedVersion($0, writers: writers)
    }
  }

  /// An outcome as it is exchanged.
  func exchangedOutcome(_ row: Row, writers: [Int64: UUID]) throws -> OutcomeRow {
    var outcome = try OutcomeRow(reading: row)
    outcome.stamp = outcome.stamp.named(writers)
    outcome.parents = try parents(of: outcome.outcome.uuid)
    outcome.outcome.values = try rows(
      "SELECT * FROM outcome_value WHERE outcome = ? ORDER BY position",
      [try row.required("number") as Int64], read: OutcomeValue.init)
    return outcome
  }

  private func parents(of uuid: UUID) throws -> [UUID] {
    try rows(
      "SELECT previous FROM version_edge WHERE next = ? ORDER BY previous", [uuid.uuidString]
    ) { try $0.uuid("previous") }
  }

  /// Writes the single samples: by series, then by what makes them the same sample.
  private func exportSamples(_ write: (String) throws -> Void) throws {
    let series = try rows("SELECT number FROM series ORDER BY device, quantity, user_index") {
      try $0.required("number") as Int64
    }
    for series in series {
      try rows(
        "\(Sample.select) WHERE series = ? ORDER BY time, ordinal, raw, sample.identity", [series]
      ) { try write(SampleMember($0).line) }
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
          BlockLine(key, samples[first..<min(first + Export.longestBlock, samples.count)]).line)
      }
    }
    try rows(
      """
      SELECT block.number, series.device, series.quantity, series.user_index, block.hour,
        source.definition, source.kind, source.provenance, source.unit, block.attributed,
        block.reason
      FROM block JOIN series ON series.number = block.series
        JOIN source ON source.number = block.source
      ORDER BY 2, 3, 4, 5, 6 NULLS FIRST, 7, 8, 9, 10 NULLS FIRST, 11 NULLS FIRST
      """
    ) { row in
      let next = HourKey(
        series: try SeriesKey(reading: row), source: try SourceKey(reading: row),
        hour: try row.required("hour"), attributed: try row.optional("attributed"),
        reason: try row.optional("reason"))
      if next != key {
        try finish()
        (key, numbers) = (next, [])
      }
      numbers.append(try row.required("number"))
    }
    try finish()
  }
}
