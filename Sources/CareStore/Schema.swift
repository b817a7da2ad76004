import Care
import Foundation
import GRDB

/// The tables of a store, and the migration of older stores.
///
/// The schema version is the file's `user_version`, so that it can be read from the header without
/// opening a database. Every step of the migrator ends by raising it. A released step is never
/// changed, not even its comments, which SQLite stores: a change is another step.
enum Schema {
  /// The schema that this program writes.
  static let version = 11

  /// The mark of a SQLite file as a store of this program: "care", in ASCII.
  static let applicationID = 0x6361_7265

  /// Brings a store of any older version, or an empty database, to ``version``.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: versions, outcomes, samples, devices") { db in
      try db.execute(sql: knowledge)
      try db.execute(sql: versions)
      try db.execute(sql: outcomes)
      try db.execute(sql: samples)
      try db.execute(sql: devices)
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: "PRAGMA user_version = 1")
    }
    migrator.registerMigration("2: calibrations") { db in
      try db.execute(sql: calibrations)
      try db.execute(sql: "PRAGMA user_version = 2")
    }
    migrator.registerMigration("3: what opens a device's data") { db in
      try db.execute(sql: deviceSecrets)
      try db.execute(sql: "PRAGMA user_version = 3")
    }
    migrator.registerMigration("4: several writers, dense series, changes of samples") { db in
      try Schema4.migrate(db)
      try recordDeletions(db)
      try db.execute(sql: "PRAGMA user_version = 4")
    }
    migrator.registerMigration("5: the date of the plan's zone") { db in
      try db.execute(sql: planTimeZoneDate)
      try db.execute(sql: "PRAGMA user_version = 5")
    }
    migrator.registerMigration("6: firings") { db in
      try db.execute(sql: firings)
      try db.execute(sql: "PRAGMA user_version = 6")
    }
    migrator.registerMigration("7: pictures and videos") { db in
      try db.execute(sql: attachments)
      try db.execute(sql: "PRAGMA user_version = 7")
    }
    migrator.registerMigration("8: running totals") { db in
      try db.execute(sql: runningTotals)
      try db.execute(sql: "PRAGMA user_version = 8")
    }
    migrator.registerMigration("9: how measurements came about") { db in
      try db.execute(sql: sampleContext)
      try db.execute(sql: "PRAGMA user_version = 9")
    }
    migrator.registerMigration("10: totals with their samples") { db in
      try db.execute(sql: totalsOfSamples)
      try db.execute(sql: "PRAGMA user_version = 10")
    }
    migrator.registerMigration("11: who decided a change of samples") { db in
      try db.execute(sql: decidedBy)
      try db.execute(sql: "PRAGMA user_version = 11")
    }
    return migrator
  }

  /// Makes an empty database a store, whose writer is `writer`.
  ///
  /// `file` tells its file from a copy; it is `nil` for a store without a file.
  static func found(_ database: any DatabaseWriter, writer: UUID, file: String?) throws {
    try migrator.migrate(database)
    try database.write { db in
      try db.execute(
        sql: "INSERT INTO writer (number, uuid) VALUES (1, ?)", arguments: [writer.uuidString])
      try db.execute(
        sql: "INSERT INTO store (id, writer, clock, file) VALUES (1, 1, 0, ?)", arguments: [file])
    }
  }
}

// MARK: - From schema 3

extension Schema {
  /// Records that the samples which a store of schema 3 had deleted are deleted: since schema 4 the
  /// state of a sample follows from its changes, which other stores receive.
  private static func recordDeletions(_ db: Database) throws {
    let transaction = SQLTransaction(db: db, place: "", file: nil, makeUUID: UUID.init)
    var deleted = try transaction.rows("\(Sample.select) WHERE state = 1", read: Sample.init)
    for block in try transaction.rows("\(BlockRow.select) WHERE state = 1", read: BlockRow.init) {
      deleted += try transaction.unpacked(block).map { block.sample($0) }
    }
    for sample in deleted {
      try transaction.execute("UPDATE store SET clock = clock + 1")
      try transaction.execute(
        """
        INSERT INTO sample_change (uuid, identity, device, change, created_date, writer, clock)
          SELECT ?, ?, ?, 'delete', ?, writer, clock FROM store
        """,
        [
          UUID().uuidString, sample.identity.rawValue, sample.device.address.text,
          sample.arrival.microseconds,
        ])
    }
  }
}

// MARK: - Schema 1

extension Schema {
  /// The store's knowledge of itself and of its peers.
  ///
  /// Two stores exchange rows by comparing knowledge vectors (a clock for each store that wrote).
  /// Vectors repeat over many rows, so each distinct one is stored once, as a numbered revision.
  static let knowledge = """
    CREATE TABLE revision (
      -- What rows refer to.
      number INTEGER PRIMARY KEY,
      -- The knowledge vector: {"processes":[{"clock":1,"id":"<uuid>"}]}, sorted by id.
      vector TEXT NOT NULL UNIQUE CHECK (json_valid(vector))
    ) STRICT;

    CREATE TABLE store (
      -- One row only.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- This store's own id in knowledge vectors.
      process TEXT NOT NULL,
      -- The vector that is current: rows are stamped with it as they are written.
      revision INTEGER NOT NULL REFERENCES revision (number),
      -- The IANA zone of the plan that was imported last.
      plan_time_zone TEXT,
      -- Grows with every import that changes anything, so that a reader need not look for itself.
      plan_revision INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    """

  /// Everything that is changed by adding a version: patients and tasks, with room for more types.
  ///
  /// Rows are never removed and never changed: a change is a next row, a deletion
  /// is a next row with a deletion date. Edges say which row follows which; a merge of two stores
  /// gives a row several parents, and a parent may arrive after its child, hence no foreign key.
  static let versions = """
    CREATE TABLE version (
      -- Grows with every row: which of two equals was stored last.
      number INTEGER PRIMARY KEY,
      -- This version's own id.
      uuid TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL
        CHECK (type IN ('patient', 'task', 'carePlan', 'contact', 'note')),
      -- Whose it is; a patient is their own.
      patient TEXT NOT NULL,
      -- The same for every version of one thing, unique within its type and patient.
      id TEXT NOT NULL,
      -- From when on this version speaks for the thing, µs since 1970.
      effective_date INTEGER NOT NULL,
      -- When this version was made, µs since 1970.
      created_date INTEGER NOT NULL,
      -- When the thing was deleted, µs since 1970: this version is a tombstone.
      deleted_date INTEGER,
      -- What it says, as JSON with sorted keys.
      payload TEXT NOT NULL CHECK (json_valid(payload)),
      revision INTEGER NOT NULL REFERENCES revision (number)
    ) STRICT;
    CREATE INDEX version_of ON version (type, patient, id);

    CREATE TABLE version_edge (
      -- The uuid of a version or outcome, and of one that follows it. Either may be unknown here.
      previous TEXT NOT NULL,
      next TEXT NOT NULL,
      PRIMARY KEY (previous, next)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX version_edge_back ON version_edge (next);
    """

  /// The outcomes of events, in versions; at most one version of an event's outcome is live.
  static let outcomes = """
    CREATE TABLE outcome (
      number INTEGER PRIMARY KEY,
      -- This version's own id.
      uuid TEXT NOT NULL UNIQUE,
      -- The version of the task that owns the event; it may arrive later from a peer.
      task_uuid TEXT NOT NULL,
      -- The event's index in that version's schedule.
      occurrence INTEGER NOT NULL CHECK (occurrence >= 0),
      -- The event's span, copied when the outcome was made, µs since 1970.
      start_date INTEGER NOT NULL,
      end_date INTEGER NOT NULL,
      -- When this version was made, µs since 1970.
      created_date INTEGER NOT NULL,
      -- When the outcome was deleted, µs since 1970: this version is a tombstone.
      deleted_date INTEGER,
      -- 1 once another version follows; the edge says which.
      is_superseded INTEGER NOT NULL DEFAULT 0 CHECK (is_superseded IN (0, 1)),
      revision INTEGER NOT NULL REFERENCES revision (number)
    ) STRICT;
    CREATE UNIQUE INDEX outcome_live ON outcome (task_uuid, occurrence)
      WHERE deleted_date IS NULL AND is_superseded = 0;
    CREATE INDEX outcome_of ON outcome (task_uuid, occurrence);
    CREATE INDEX outcome_by_time ON outcome (end_date)
      WHERE deleted_date IS NULL AND is_superseded = 0;

    CREATE TABLE outcome_value (
      outcome INTEGER NOT NULL REFERENCES outcome (number) ON DELETE CASCADE,
      -- The values keep the order in which they were given, from 0.
      position INTEGER NOT NULL CHECK (position >= 0),
      type TEXT NOT NULL
        CHECK (type IN ('integer', 'double', 'boolean', 'text', 'binary', 'date')),
      -- As SQLite's own type; a boolean is 0 or 1, a date µs since 1970.
      value ANY NOT NULL,
      -- The UCUM code, for a number.
      unit TEXT,
      -- Which of a measurement's values it is: range, finish, pain.
      kind TEXT,
      -- When it was measured or entered, µs since 1970.
      time INTEGER NOT NULL,
      provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')),
      -- The identity of the sample it was read from, where one is recorded.
      sample TEXT,
      PRIMARY KEY (outcome, position)
    ) STRICT, WITHOUT ROWID;
    """

  /// Every measurement that was ever stored.
  static let samples = """
    CREATE TABLE sample (
      -- Grows with every row: the order of storing.
      number INTEGER PRIMARY KEY,
      -- What makes it the same sample when it is sent again; known also after deletion.
      identity TEXT NOT NULL UNIQUE,
      -- Whose it is; NULL in the unassigned tray.
      patient TEXT,
      -- Why it is nobody's, for people.
      unassigned_reason TEXT,
      -- The name in the registry, and the value in its canonical unit.
      quantity TEXT NOT NULL,
      value REAL NOT NULL,
      -- The value as sent and its UCUM code, where the device speaks another unit.
      source_value REAL,
      source_unit TEXT,
      -- The measured span, µs since 1970; equal for an instant.
      start_date INTEGER NOT NULL,
      end_date INTEGER NOT NULL CHECK (end_date >= start_date),
      -- When it was heard, µs since 1970.
      arrival_date INTEGER NOT NULL,
      -- What the device's clock said, without a zone; kept also when it is not believed.
      device_time TEXT,
      is_clock_trusted INTEGER NOT NULL CHECK (is_clock_trusted IN (0, 1)),
      -- The device's address, the definition that read it, its user slot.
      device TEXT NOT NULL,
      definition TEXT,
      user_index INTEGER,
      provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')),
      -- Which of a measurement's values it is.
      kind TEXT,
      -- The frame it was read from.
      raw BLOB NOT NULL,
      -- When it was deleted, µs since 1970.
      deleted_date INTEGER,
      -- Stamped again when the sample is assigned or deleted: a sample changes in place, since its
      -- identity is the same in every store.
      revision INTEGER NOT NULL REFERENCES revision (number)
    ) STRICT;
    CREATE INDEX sample_of_quantity ON sample (patient, quantity, start_date);
    CREATE INDEX sample_of_patient ON sample (patient, start_date);
    CREATE INDEX sample_by_length ON sample (end_date - start_date) WHERE end_date > start_date;
    """

  /// Which device belongs to which patient.
  ///
  /// It applies to this machine and its devices, and is not exchanged with other stores.
  static let devices = """
    CREATE TABLE device_binding (
      -- The Bluetooth address, or a recorded sensor's name.
      address TEXT NOT NULL,
      -- The user slot on the device; NULL where the whole device is meant.
      user_index INTEGER,
      -- The definition to read it with; NULL to recognise it.
      definition TEXT,
      -- Whose it is; NULL where its readings tell.
      patient TEXT,
      -- Where it is worn, as JSON.
      placement TEXT CHECK (placement IS NULL OR json_valid(placement))
    ) STRICT;
    CREATE UNIQUE INDEX device_binding_whole ON device_binding (address)
      WHERE user_index IS NULL;
    CREATE UNIQUE INDEX device_binding_slot ON device_binding (address, user_index)
      WHERE user_index IS NOT NULL;
    """
}

// MARK: - Schema 2

extension Schema {
  /// The calibrations of accelerometers.
  ///
  /// Like the bindings of devices, they are not exchanged with other stores.
  static let calibrations = """
    CREATE TABLE calibration (
      -- The Bluetooth address, or a recorded sensor's name.
      address TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
      method TEXT NOT NULL CHECK (method IN ('atRest', 'sixPositions')),
      -- What each axis reads without a force, in micro-g.
      offset_x INTEGER NOT NULL,
      offset_y INTEGER NOT NULL,
      offset_z INTEGER NOT NULL,
      -- What each axis is multiplied by, in units of 2^-24.
      scale_x INTEGER NOT NULL,
      scale_y INTEGER NOT NULL,
      scale_z INTEGER NOT NULL,
      -- When it was stored, µs since 1970.
      created_date INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}

// MARK: - Schema 3

extension Schema {
  /// The secrets of a device; no export contains them.
  static let deviceSecrets = """
    -- The bind key of encrypted advertisements.
    ALTER TABLE device_binding ADD COLUMN key BLOB CHECK (key IS NULL OR length(key) = 16);
    -- The code of the user slot.
    ALTER TABLE device_binding ADD COLUMN consent_code INTEGER
      CHECK (consent_code IS NULL OR consent_code BETWEEN 0 AND 9999);
    """
}

// MARK: - Schema 5

extension Schema {
  /// When the plan's zone was imported, so that merged stores agree on the latest one.
  static let planTimeZoneDate = """
    -- When plan_time_zone was set, µs since 1970; NULL before the first import.
    ALTER TABLE store ADD COLUMN plan_time_zone_date INTEGER;
    UPDATE store SET plan_time_zone_date =
        (SELECT ifnull((SELECT max(date) FROM plan_import),
          (SELECT ifnull(max(created_date), 0) FROM version)))
      WHERE plan_time_zone IS NOT NULL;
    """
}

// MARK: - Schema 9

extension Schema {
  /// The column of the devices' remarks on measurements.
  static let sampleContext = """
    -- Names, separated by spaces; NULL if the device said nothing.
    ALTER TABLE sample ADD COLUMN context TEXT;
    """

  /// Until schema 10 a decision of the evidence was known by the words of its reason.
  static let decidedBy = """
    ALTER TABLE sample_change ADD COLUMN decided_by TEXT NOT NULL DEFAULT 'person'
      CHECK (decided_by IN ('person', 'evidence'));
    UPDATE sample_change SET decided_by = 'evidence'
      WHERE reason LIKE 'attributed again after %'
        OR reason = 'of a person of whom nothing is stored';
    """
}
