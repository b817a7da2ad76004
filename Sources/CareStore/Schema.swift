import Care
import Foundation
import GRDB

/// The tables of a store.
///
/// Those of rows that stores exchange follow from the rows' fields (``StoredRow``); the others are
/// described here. A row that a person or a plan makes is never changed. Its name is random, or one
/// that all stores give it alike: several stores can be merged by the union of their rows. Values that
/// are computed from rows (which version is shown, whose a sample is) are kept beside them for speed
/// and are not exchanged.
///
/// The schema version is the file's `user_version`, so that it can be read from the header without
/// opening a database.
enum Schema {
  /// The schema that this program writes.
  static let version = 1

  /// The mark of a SQLite file as a store of this program: "meas", in ASCII.
  static let applicationID = 0x6D65_6173

  /// The mark of the stores that programs before the first release made: "care", in ASCII.
  static let developmentID = 0x6361_7265

  /// Every table, after those that it refers to.
  static let tables = [
    writer, store, SeriesKey.table, SourceKey.table, VersionRow.table, versionEdge,
    WithdrawalRow.table, AliasRow.table, OutcomeRow.table, OutcomeValue.table, AttachmentRow.table,
    FiringRow.table, SampleMember.table, block, recent, SampleChangeRow.table, ErasureRow.table,
    planImport, deviceBinding, replacedBinding, calibration, audit, StoredMessage.table,
    StoredWay.table, Uptime.table, arrival, delivery, pruned, waitingPart, exchangeNote,
  ]

  /// Makes the tables in an empty database.
  static func create(_ db: Database) throws {
    for statement in tables.flatMap(\.statements) { try db.execute(sql: statement) }
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Makes the tables of messages and of the exchange in a store that an earlier program made.
  static func addMessages(_ db: Database) throws {
    for table in [StoredMessage.table, StoredWay.table, Uptime.table] + exchange {
      let isThere = try Bool.fetchOne(
        db, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
        arguments: [table.name])
      guard isThere != true else { continue }
      try db.writing { for statement in table.statements { try db.execute(sql: statement) } }
    }
  }

  /// Lets the tables of a store that an earlier program made hold every state of a sample that this
  /// one knows.
  ///
  /// Only a condition differs, and no row. SQLite changes one by its own description of the table.
  ///
  /// Source: SQLite, ALTER TABLE, §7, <https://www.sqlite.org/lang_altertable.html>.
  static func widenConditions(_ db: Database) throws {
    let narrow = "CHECK (state BETWEEN 0 AND 4)"
    let wide = "CHECK (\(Sample.State.condition(on: "state") ?? "1"))"
    let isNarrow = try Bool.fetchOne(
      db, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND instr(sql, ?) > 0",
      arguments: [narrow])
    guard isNarrow == true else { return }
    try db.writing {
      try db.execute(sql: "PRAGMA writable_schema = ON")
      try db.execute(
        sql: """
          UPDATE sqlite_master SET sql = replace(sql, ?, ?)
          WHERE type = 'table' AND name IN ('sample', 'block')
          """, arguments: [narrow, wide])
      try db.execute(sql: "PRAGMA writable_schema = OFF")
      // Every connection reads the description again.
      let version = try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0
      try db.execute(sql: "PRAGMA schema_version = \(version + 1)")
    }
  }

  /// Makes an empty database a store, whose writer is `writer`.
  ///
  /// `file` tells its file from a copy; it is `nil` for a store without a file.
  static func found(_ database: any DatabaseWriter, writer: UUID, file: String?) throws {
    try database.write { db in
      try create(db)
      try db.execute(
        sql: "INSERT INTO writer (number, uuid) VALUES (1, ?)", arguments: [writer.uuidString])
      try db.execute(
        sql: "INSERT INTO store (id, writer, clock, file) VALUES (1, 1, 0, ?)", arguments: [file])
    }
  }
}

// MARK: - Tables

extension Schema {
  /// Who wrote what: this store, or one that it was merged with.
  static let writer = Table(
    "writer", [.init("number", "INTEGER PRIMARY KEY"), .init("uuid", "TEXT NOT NULL UNIQUE")])

  /// The store itself: one row only.
  static let store = Table(
    "store",
    [
      .init("id", "INTEGER PRIMARY KEY CHECK (id = 1)"),
      // This store's own name; a copied file takes another one before its first write.
      .init("writer", "INTEGER NOT NULL REFERENCES writer (number)"),
      // How many rows this writer has stamped.
      .init("clock", "INTEGER NOT NULL"),
      // The last number that a row was given; never goes back.
      .init("stored", "INTEGER NOT NULL DEFAULT 0"),
      // A mark that tells this file from a copy of it.
      .init("file", "TEXT"),
      // The IANA zone of the plan that was imported last, and when.
      .init("plan_time_zone", "TEXT"),
      .init("plan_time_zone_date", "INTEGER"),
      .init("plan_time_zone_stored", "INTEGER"),
      // Grows with every change of the plan, so that a reader need not look for itself.
      .init("plan_revision", "INTEGER NOT NULL DEFAULT 0"),
    ])

  /// Which version or outcome follows which, by uuid; either may be unknown here.
  static let versionEdge = Table(
    "version_edge", [.init("previous", "TEXT NOT NULL"), .init("next", "TEXT NOT NULL")],
    ["PRIMARY KEY (previous, next)"],
    indexes: ["CREATE INDEX version_edge_back ON version_edge (next)"], hasRowID: false,
    isExchanged: true)

  /// Streamed measurements, by series and hour.
  ///
  /// The samples of the current hour are rows of `recent`; those of earlier hours are packed into
  /// `data`. The figures are those of all samples of the block.
  static let block = Table(
    "block",
    [
      .init("number", "INTEGER PRIMARY KEY"),
      .init("series", "INTEGER NOT NULL REFERENCES series (number)"),
      .init("source", "INTEGER NOT NULL REFERENCES source (number)"),
      .init("quantity", "TEXT NOT NULL"),
      // The hour of the samples' starts, counted from 1970.
      .init("hour", "INTEGER NOT NULL"),
      // An hour of very many samples has several blocks.
      .init("part", "INTEGER NOT NULL"),
      .init("attributed", "TEXT"),
      .init("reason", "TEXT"),
      .init("patient", "TEXT"),
      .init("state", "INTEGER NOT NULL CHECK (\(Sample.State.condition(on: "state") ?? "1"))"),
      // Over all samples: the number, sum, least, most and latest value.
      .init("count", "INTEGER NOT NULL"),
      .init("sum", "REAL NOT NULL"),
      .init("least", "REAL NOT NULL"),
      .init("most", "REAL NOT NULL"),
      .init("latest", "REAL NOT NULL"),
      // The earliest start, the latest start, and the latest end, µs since 1970.
      .init("first_date", "INTEGER NOT NULL"),
      .init("latest_date", "INTEGER NOT NULL"),
      .init("last_end", "INTEGER NOT NULL"),
      // The packed samples; NULL while they are rows of `recent`.
      .init("data", "BLOB"),
    ],
    indexes: [
      "CREATE INDEX block_of_series ON block (series, hour)",
      "CREATE INDEX block_of ON block (patient, quantity, hour)",
      "CREATE INDEX block_open ON block (series, hour) WHERE data IS NULL",
    ], isExchanged: true)

  /// The samples of blocks that are not packed yet.
  static let recent = Table(
    "recent",
    [
      .init("block", "INTEGER NOT NULL REFERENCES block (number)"),
      .init("start_date", "INTEGER NOT NULL"), .init("ordinal", "INTEGER NOT NULL"),
      .init("end_date", "INTEGER NOT NULL"), .init("arrival_date", "INTEGER NOT NULL"),
      .init("value", "REAL NOT NULL"), .init("raw", "BLOB NOT NULL"),
    ], ["PRIMARY KEY (block, start_date, ordinal)"], hasRowID: false)

  /// The imports and edits of the plan, each with what it made, as JSON.
  static let planImport = Table(
    "plan_import",
    [
      .init("number", "INTEGER PRIMARY KEY"), .init("date", "INTEGER NOT NULL"),
      .init("content", "TEXT NOT NULL CHECK (json_valid(content))"),
      // 1 once it was taken back.
      .init("is_undone", "INTEGER NOT NULL DEFAULT 0 CHECK (is_undone BETWEEN 0 AND 1)"),
    ])

  /// Which device belongs to which patient, on this machine.
  static let deviceBinding = Table(
    "device_binding", binding,
    indexes: [
      """
      CREATE UNIQUE INDEX device_binding_whole ON device_binding (address)
        WHERE user_index IS NULL
      """,
      """
      CREATE UNIQUE INDEX device_binding_slot ON device_binding (address, user_index)
        WHERE user_index IS NOT NULL
      """,
    ])

  /// The bindings that an import replaced.
  static let replacedBinding = Table(
    "replaced_binding",
    [.init("import", "INTEGER NOT NULL REFERENCES plan_import (number)")] + binding)

  /// The columns of a binding.
  private static let binding: [Table.Column] = [
    // The Bluetooth address, or a recorded sensor's name.
    .init("address", "TEXT NOT NULL"),
    // The user slot on the device; NULL where the whole device is meant.
    .init("user_index", "INTEGER"),
    // The definition to read it with; NULL to recognise it.
    .init("definition", "TEXT"),
    // Whose it is; NULL where its readings tell.
    .init("patient", "TEXT"),
    // Where it is worn, as JSON.
    .init("placement", "TEXT CHECK (placement IS NULL OR json_valid(placement))"),
  ]

  /// The tables whose rows are bindings.
  private static let bindings = [deviceBinding, replacedBinding].map(\.name)

  /// Moves the keys and consent codes that a store of an earlier program has to their file, if that
  /// is this process's.
  static func moveSecrets(_ db: Database, to secrets: DeviceSecrets) throws {
    func has(_ column: String, in table: String) throws -> Bool {
      try Bool.fetchOne(
        db, sql: "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?",
        arguments: [table, column]) == true
    }
    guard secrets.isOwn, try has("key", in: deviceBinding.name) else { return }
    let reader = SQLTransaction(db: db, place: "", file: nil, makeUUID: UUID.init)
    let old = try? reader.rows(
      "SELECT address, user_index, key, consent_code FROM device_binding"
    ) { row in
      DeviceSecret(
        address: try row.device("address"), userIndex: try row.optional("user_index"),
        key: (try row.optional("key") as Data?).map { Secret([UInt8]($0)) },
        consentCode: (try row.optional("consent_code") as UInt16?).map { Secret($0) })
    }
    // A secret that cannot be read stays where it is: the check of the store names it.
    guard let old else { return }
    // Deleted content is overwritten.
    try db.execute(sql: "PRAGMA secure_delete = ON")
    try db.writing {
      try secrets.keep(
        old.filter { $0.key != nil || $0.consentCode != nil }.map(StoreSecret.device))
      for table in bindings {
        try db.execute(sql: "UPDATE \(table) SET key = NULL, consent_code = NULL")
        for column in ["key", "consent_code"] {
          try db.execute(sql: "ALTER TABLE \(table) DROP COLUMN \(column)")
        }
      }
    }
    try db.execute(sql: "PRAGMA secure_delete = OFF")
    _ = try? db.checkpoint(.truncate)
  }

  /// The calibrations of this machine's accelerometers.
  static let calibration = Table(
    "calibration",
    [
      .init("address", "TEXT NOT NULL PRIMARY KEY COLLATE NOCASE"),
      .init("method", "TEXT NOT NULL CHECK (method IN ('atRest', 'sixPositions'))"),
      // The reading of each axis without a force, in micro-g.
      .init("offset_x", "INTEGER NOT NULL"), .init("offset_y", "INTEGER NOT NULL"),
      .init("offset_z", "INTEGER NOT NULL"),
      // The factor of each axis, in units of 2^-24.
      .init("scale_x", "INTEGER NOT NULL"), .init("scale_y", "INTEGER NOT NULL"),
      .init("scale_z", "INTEGER NOT NULL"),
      .init("created_date", "INTEGER NOT NULL"),
    ], hasRowID: false)

  /// The events of the store, without names and values.
  static let audit = Table(
    "audit",
    [
      .init("number", "INTEGER PRIMARY KEY"), .init("date", "INTEGER NOT NULL"),
      .init("event", "TEXT NOT NULL"),
    ])
}
