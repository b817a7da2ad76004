import Care
import Foundation

/// The tables of a store.
///
/// Those of rows that stores exchange follow from the rows' fields (``StoredRow``); the others are
/// described here. A row that a person or a plan makes is never changed. Its name is random, or one
/// that all stores give it alike: several stores can be merged by the union of their rows. Values that
/// are computed from rows (which version is shown, whose a sample is) are kept beside them for speed
/// and are not exchanged.
///
/// The schema version is in the file's header, so that it can be read without opening a database.
enum Schema {
  /// The schema that this program writes.
  static let version = 1

  /// The mark of a file as a store of this program: "meas", in ASCII.
  static let applicationID = 0x6D65_6173

  /// The mark of the stores that programs before the first release made: "care", in ASCII.
  static let developmentID = 0x6361_7265

  /// Every table, after those that it refers to.
  static let tables =
    [
      writer, store, SeriesKey.table, SourceKey.table, VersionRow.table, versionEdge,
      WithdrawalRow.table, AliasRow.table, OutcomeRow.table, OutcomeValue.table,
      AttachmentRow.table, FiringRow.table, SampleMember.table, block, recent,
      SampleChangeRow.table, ErasureRow.table, planImport, deviceBinding, replacedBinding,
      calibration, audit,
    ] + bridges

  /// The tables of what leaves and of other boxes, which a store of an earlier program lacks.
  private static let bridges =
    [StoredMessage.table, StoredWay.table, Uptime.table, StoredLink.table, receipt, presence]
    + [StoredCalendarLink.table]
    + exchange
    + outlets

  /// Makes the tables in an empty database.
  static func create(_ db: Connection) throws {
    for table in tables { try db.define(table) }
    try db.mark(applicationID, version: version)
  }

  /// Makes the tables that a store of an earlier program lacks.
  static func addBridges(_ db: Connection) throws {
    for table in bridges where try !db.hasTable(table.name) {
      try db.writing { try db.define(table) }
    }
  }

  /// Lets the tables of a store that an earlier program made hold every state of a sample that this
  /// one knows.
  static func widenConditions(_ db: Connection) throws {
    try db.replaceCondition(
      "CHECK (state BETWEEN 0 AND 4)",
      by: "CHECK (\(Sample.State.condition(on: "state") ?? "1"))", of: ["sample", "block"])
  }

  /// Replaces the index of outcomes that an earlier program made: SQLite did not take it for a person's
  /// day.
  static func renewIndexes(_ db: Connection) throws {
    guard try db.parts().contains(where: { $0.name == "outcome_by_start" }) else { return }
    try db.writing {
      try db.define("DROP INDEX outcome_by_start")
      try db.define(OutcomeRow.byPatient)
    }
  }

  /// Makes an empty database a store, whose writer is `writer`.
  ///
  /// `file` tells its file from a copy; it is `nil` for a store without a file.
  static func found(_ engine: Engine, writer: UUID, file: String?) throws {
    try engine.writeNow { db in
      try create(db)
      try begin(db, writer: writer, file: file)
    }
  }

  /// Stores the first rows.
  static func begin(_ db: Connection, writer: UUID, file: String?) throws {
    try db.execute("INSERT INTO writer (number, uuid) VALUES (1, ?)", [writer.uuidString])
    try db.execute("INSERT INTO store (id, writer, clock, file) VALUES (1, 1, 0, ?)", [file])
  }
}

// MARK: - Tables

extension Schema {
  /// Who wrote what: this store, or one that it was merged with.
  static let writer = Table(
    "writer", [.init("number", .number), .init("uuid", .text, "NOT NULL UNIQUE")])

  /// The store itself: one row only.
  static let store = Table(
    "store",
    [
      .init("id", .integer, "PRIMARY KEY CHECK (id = 1)"),
      // This store's own name; a copied file takes another one before its first write.
      .init("writer", .integer, "NOT NULL REFERENCES writer (number)"),
      // How many rows this writer has stamped.
      .init("clock", .integer, "NOT NULL"),
      // The last number that a row was given; never goes back.
      .init("stored", .integer, "NOT NULL DEFAULT 0"),
      // A mark that tells this file from a copy of it.
      .init("file", .text),
      // The IANA zone of the plan that was imported last, and when.
      .init("plan_time_zone", .text),
      .init("plan_time_zone_date", .integer),
      .init("plan_time_zone_stored", .integer),
      // Grows with every change of the plan, so that a reader need not look for itself.
      .init("plan_revision", .integer, "NOT NULL DEFAULT 0"),
    ])

  /// Which version or outcome follows which, by uuid; either may be unknown here.
  static let versionEdge = Table(
    "version_edge", [.init("previous", .text, "NOT NULL"), .init("next", .text, "NOT NULL")],
    ["PRIMARY KEY (previous, next)"],
    indexes: ["CREATE INDEX version_edge_back ON version_edge (next)"], isApartFromKey: false,
    isExchanged: true)

  /// Streamed measurements, by series and hour.
  ///
  /// The samples of the current hour are rows of `recent`; those of earlier hours are packed into
  /// `data`. The figures are those of all samples of the block.
  static let block = Table(
    "block",
    [
      .init("number", .number),
      .init("series", .integer, "NOT NULL REFERENCES series (number)"),
      .init("source", .integer, "NOT NULL REFERENCES source (number)"),
      .init("quantity", .text, "NOT NULL"),
      // The hour of the samples' starts, counted from 1970.
      .init("hour", .integer, "NOT NULL"),
      // An hour of very many samples has several blocks.
      .init("part", .integer, "NOT NULL"),
      .init("attributed", .text),
      .init("reason", .text),
      .init("patient", .text),
      .init("state", .integer, "NOT NULL CHECK (\(Sample.State.condition(on: "state") ?? "1"))"),
      // Over all samples: the number, sum, least, most and latest value.
      .init("count", .integer, "NOT NULL"),
      .init("sum", .real, "NOT NULL"),
      .init("least", .real, "NOT NULL"),
      .init("most", .real, "NOT NULL"),
      .init("latest", .real, "NOT NULL"),
      // The earliest start, the latest start, and the latest end, µs since 1970.
      .init("first_date", .integer, "NOT NULL"),
      .init("latest_date", .integer, "NOT NULL"),
      .init("last_end", .integer, "NOT NULL"),
      // The packed samples; NULL while they are rows of `recent`.
      .init("data", .blob),
    ],
    indexes: [
      "CREATE INDEX block_of_series ON block (series, hour)",
      "CREATE INDEX block_of ON block (patient, quantity, hour)",
      "CREATE INDEX block_given ON block (attributed) WHERE attributed IS NOT patient",
      "CREATE INDEX block_open ON block (series, hour) WHERE data IS NULL",
    ], isExchanged: true)

  /// The samples of blocks that are not packed yet.
  static let recent = Table(
    "recent",
    [
      .init("block", .integer, "NOT NULL REFERENCES block (number)"),
      .init("start_date", .integer, "NOT NULL"), .init("ordinal", .integer, "NOT NULL"),
      .init("end_date", .integer, "NOT NULL"), .init("arrival_date", .integer, "NOT NULL"),
      .init("value", .real, "NOT NULL"), .init("raw", .blob, "NOT NULL"),
    ], ["PRIMARY KEY (block, start_date, ordinal)"], isApartFromKey: false)

  /// The imports and edits of the plan, each with what it made, as JSON.
  static let planImport = Table(
    "plan_import",
    [
      .init("number", .number), .init("date", .integer, "NOT NULL"),
      .init("content", .text, "NOT NULL CHECK (\(Dialect.isJSON("content")))"),
      // 1 once it was taken back.
      .init("is_undone", .integer, "NOT NULL DEFAULT 0 CHECK (is_undone BETWEEN 0 AND 1)"),
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
    [.init("import", .integer, "NOT NULL REFERENCES plan_import (number)")] + binding)

  /// The columns of a binding.
  private static let binding: [Table.Column] = [
    // The Bluetooth address, or a recorded sensor's name.
    .init("address", .text, "NOT NULL"),
    // The user slot on the device; NULL where the whole device is meant.
    .init("user_index", .integer),
    // The definition to read it with; NULL to recognise it.
    .init("definition", .text),
    // Whose it is; NULL where its readings tell.
    .init("patient", .text),
    // Where it is worn, as JSON.
    .init("placement", .text, "CHECK (placement IS NULL OR \(Dialect.isJSON("placement")))"),
  ]

  /// The tables whose rows are bindings.
  private static let bindings = [deviceBinding, replacedBinding].map(\.name)

  /// Moves the keys and consent codes that a store of an earlier program has to their file, if that
  /// is this process's.
  static func moveSecrets(_ db: Connection, to secrets: DeviceSecrets) throws {
    guard secrets.isOwn, try db.hasTable(deviceBinding.name, column: "key") else { return }
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
    try db.overwriteRemoved()
    try db.writing {
      try secrets.keep(
        old.filter { $0.key != nil || $0.consentCode != nil }.map(StoreSecret.device))
      for table in bindings {
        try db.execute("UPDATE \(table) SET key = NULL, consent_code = NULL")
        for column in ["key", "consent_code"] {
          try db.define("ALTER TABLE \(table) DROP COLUMN \(column)")
        }
      }
    }
    try db.overwriteRemoved(false)
    db.writeLogBack()
  }

  /// The calibrations of this machine's accelerometers.
  static let calibration = Table(
    "calibration",
    [
      .init("address", .text, "NOT NULL PRIMARY KEY \(Dialect.anySpelling)"),
      .init("method", .text, "NOT NULL CHECK (method IN ('atRest', 'sixPositions'))"),
      // The reading of each axis without a force, in micro-g.
      .init("offset_x", .integer, "NOT NULL"), .init("offset_y", .integer, "NOT NULL"),
      .init("offset_z", .integer, "NOT NULL"),
      // The factor of each axis, in units of 2^-24.
      .init("scale_x", .integer, "NOT NULL"), .init("scale_y", .integer, "NOT NULL"),
      .init("scale_z", .integer, "NOT NULL"),
      .init("created_date", .integer, "NOT NULL"),
    ], isApartFromKey: false)

  /// The events of the store, without names and values.
  static let audit = Table(
    "audit",
    [
      .init("number", .number), .init("date", .integer, "NOT NULL"),
      .init("event", .text, "NOT NULL"),
    ])
}
