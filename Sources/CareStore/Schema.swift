import Care
import Foundation
import GRDB

/// The tables of a store.
///
/// A row that a person or a plan makes is never changed. Its name is random, or one that all stores
/// give it alike: several stores can be merged by the union of their rows. Values that are computed
/// from rows (which version is shown, whose a sample is) are kept beside them for speed and are not
/// exchanged.
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

  /// Makes the tables in an empty database.
  static func create(_ db: Database) throws {
    try db.execute(sql: tables)
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
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
  static let tables =
    writers + versions + outcomes + samples + series + changes + imports + devices + firings
    + attachments

  /// Who wrote what.
  static let writers = """
    CREATE TABLE writer (
      -- What rows refer to.
      number INTEGER PRIMARY KEY,
      -- A store that wrote rows: this one or one that it was merged with.
      uuid TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE store (
      -- One row only.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- This store's own name; a copied file takes another one before its first write.
      writer INTEGER NOT NULL REFERENCES writer (number),
      -- How many rows this writer has stamped.
      clock INTEGER NOT NULL,
      -- What tells this file from a copy of it.
      file TEXT,
      -- The IANA zone of the plan that was imported last.
      plan_time_zone TEXT,
      -- When that was set, µs since 1970; NULL before the first import.
      plan_time_zone_date INTEGER,
      -- Grows with every change of the plan, so that a reader need not look for itself.
      plan_revision INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    """

  /// Everything that is changed by adding a version.
  ///
  /// Edges say which row follows which; a merge gives a row several parents, and a parent may
  /// arrive after its child, hence no foreign key.
  static let versions = """
    CREATE TABLE version (
      number INTEGER PRIMARY KEY,
      -- This version's own id: derived from its content if a plan made it, random otherwise.
      uuid TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL CHECK (type IN
        ('patient', 'task', 'carePlan', 'contact', 'note', 'message', 'order')),
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
      -- 1 if the task ends with this version.
      is_ended INTEGER NOT NULL DEFAULT 0 CHECK (is_ended BETWEEN 0 AND 1),
      -- 1 if it outranks earlier made versions that would take effect after it.
      closes_later INTEGER NOT NULL DEFAULT 0 CHECK (closes_later BETWEEN 0 AND 1),
      -- 1 if a plan's import made it.
      is_imported INTEGER NOT NULL DEFAULT 0 CHECK (is_imported BETWEEN 0 AND 1),
      -- What it says, as JSON with sorted keys.
      payload TEXT NOT NULL CHECK (json_valid(payload)),
      -- The row of its writer that this is.
      writer INTEGER NOT NULL REFERENCES writer (number),
      clock INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX version_of ON version (type, patient, id);
    CREATE INDEX version_by_writer ON version (writer, clock);

    CREATE TABLE version_edge (
      -- The uuid of a version or outcome, and of one that follows it. Either may be unknown here.
      previous TEXT NOT NULL,
      next TEXT NOT NULL,
      PRIMARY KEY (previous, next)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX version_edge_back ON version_edge (next);

    -- Versions that were taken back, and those that an import made again: the latest row holds.
    CREATE TABLE withdrawal (
      version TEXT NOT NULL,
      date INTEGER NOT NULL,
      is_withdrawn INTEGER NOT NULL CHECK (is_withdrawn BETWEEN 0 AND 1),
      PRIMARY KEY (version, date)
    ) STRICT, WITHOUT ROWID;

    -- Patients that were given another id: rows that arrive under the old one and are older than
    -- the change are stored under the new one.
    CREATE TABLE alias (
      old TEXT NOT NULL,
      date INTEGER NOT NULL,
      new TEXT NOT NULL,
      PRIMARY KEY (old, date)
    ) STRICT, WITHOUT ROWID;

    """

  /// The outcomes of events, in versions.
  ///
  /// Several versions of one event's outcome can have no successor after a merge: the newest by
  /// (created_date, uuid) is shown.
  static let outcomes = """
    CREATE TABLE outcome (
      number INTEGER PRIMARY KEY,
      -- This version's own id.
      uuid TEXT NOT NULL UNIQUE,
      -- The event: the task, its start (µs since 1970), its place among those that start together.
      patient TEXT NOT NULL,
      task TEXT NOT NULL,
      start_date INTEGER NOT NULL,
      ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
      -- The event's end, copied when the outcome was made, µs since 1970.
      end_date INTEGER NOT NULL,
      -- Where the event was found: the version of the task, and the index in its schedule.
      task_uuid TEXT NOT NULL,
      occurrence INTEGER NOT NULL CHECK (occurrence >= 0),
      -- What the person says: done, or not done for a reason, and when, µs since 1970.
      answer TEXT NOT NULL CHECK (answer IN ('done', 'notDone')),
      reason TEXT,
      answer_date INTEGER,
      -- When this version was made, µs since 1970.
      created_date INTEGER NOT NULL,
      -- When the outcome was deleted, µs since 1970: this version is a tombstone.
      deleted_date INTEGER,
      -- 1 as long as no version follows; computed from the edges.
      is_tip INTEGER NOT NULL CHECK (is_tip BETWEEN 0 AND 1),
      writer INTEGER NOT NULL REFERENCES writer (number),
      clock INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX outcome_of ON outcome (patient, task, start_date, ordinal);
    CREATE INDEX outcome_by_start ON outcome (start_date) WHERE is_tip = 1;
    CREATE INDEX outcome_by_writer ON outcome (writer, clock);

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
      -- Of a picture or video, whose value is the SHA-256 digest of its bytes: the media type and
      -- the number of bytes.
      media_type TEXT,
      byte_count INTEGER,
      PRIMARY KEY (outcome, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX outcome_value_attachment ON outcome_value (value) WHERE media_type IS NOT NULL;

    """

  /// Single measurements.
  ///
  /// The measured values never change.
  static let samples = """
    CREATE TABLE series (
      number INTEGER PRIMARY KEY,
      -- The device's address, or a recorded sensor's name.
      device TEXT NOT NULL,
      -- The name in the registry.
      quantity TEXT NOT NULL,
      -- The user slot of the device; -1 without one.
      user_index INTEGER NOT NULL,
      UNIQUE (device, quantity, user_index)
    ) STRICT;

    CREATE TABLE source (
      number INTEGER PRIMARY KEY,
      -- The definition that read it; which of a measurement's values it is; how it was obtained;
      -- the UCUM code of the unit in which the device sent it. Empty where there is none.
      definition TEXT NOT NULL,
      kind TEXT NOT NULL,
      provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')),
      unit TEXT NOT NULL,
      UNIQUE (definition, kind, provenance, unit)
    ) STRICT;

    CREATE TABLE sample (
      -- Grows with every row: the order of storing.
      number INTEGER PRIMARY KEY,
      -- What makes it the same sample when it arrives again: its series, time (the digits of the
      -- device's clock, or µs since 1970), place in its frame, bytes; a text for any other identity.
      series INTEGER NOT NULL REFERENCES series (number),
      time INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      raw BLOB NOT NULL,
      identity TEXT NOT NULL,
      -- What the time is: 0 the device's clock, 1 the arrival, 2 the arrival of a broadcast.
      basis INTEGER NOT NULL CHECK (basis BETWEEN 0 AND 2),
      source INTEGER NOT NULL REFERENCES source (number),
      -- The value in the quantity's canonical unit, and as it was sent, if in another.
      value REAL NOT NULL,
      source_value REAL,
      -- The measured span, µs since 1970; equal for an instant.
      start_date INTEGER NOT NULL,
      end_date INTEGER NOT NULL CHECK (end_date >= start_date),
      -- When it was received, µs since 1970.
      arrival_date INTEGER NOT NULL,
      -- What the device's clock said, without a zone; kept also when it is not believed.
      device_time TEXT,
      is_clock_trusted INTEGER NOT NULL CHECK (is_clock_trusted BETWEEN 0 AND 1),
      -- The identity of the measured sample that a person corrected with this one.
      corrects TEXT,
      -- The patient that it was attributed to on arrival, or the reason why it was unassigned.
      attributed TEXT,
      reason TEXT,
      -- Whose it is, after every change; NULL in the unassigned tray.
      patient TEXT,
      -- 0 live, 1 deleted, 2 corrected, 3 a duplicate, 4 of none of the patients.
      state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
      -- The series' quantity, for the index.
      quantity TEXT NOT NULL,
      -- The device's remarks on the measurement: names, separated by spaces; NULL if it said none.
      context TEXT,
      -- The total that the device sent, in the quantity's canonical unit: value is what it added to
      -- the one before. NULL for what is measured by itself.
      total REAL,
      -- How it counts: daily, continuous, or continuous and the total after which it starts again.
      counter TEXT
    ) STRICT;
    CREATE UNIQUE INDEX sample_identity ON sample (series, time, ordinal, raw, identity);
    CREATE INDEX sample_of ON sample (patient, quantity, start_date);
    CREATE INDEX sample_by_length ON sample (patient, quantity, end_date - start_date)
      WHERE end_date > start_date;
    CREATE INDEX sample_text ON sample (identity) WHERE identity <> '';
    CREATE INDEX sample_corrected ON sample (corrects) WHERE corrects IS NOT NULL;
    CREATE INDEX sample_total ON sample (series, start_date) WHERE total IS NOT NULL;

    """

  /// Streamed measurements, by series and hour.
  ///
  /// The samples of the current hour are rows of `recent`; those of earlier hours are packed into
  /// `data`. The figures are those of all samples of the block.
  static let series = """
    CREATE TABLE block (
      number INTEGER PRIMARY KEY,
      series INTEGER NOT NULL REFERENCES series (number),
      source INTEGER NOT NULL REFERENCES source (number),
      quantity TEXT NOT NULL,
      -- The hour of the samples' starts, counted from 1970.
      hour INTEGER NOT NULL,
      -- An hour of very many samples has several blocks.
      part INTEGER NOT NULL,
      attributed TEXT,
      reason TEXT,
      patient TEXT,
      state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
      -- Over all samples: the number, sum, least, most and latest value.
      count INTEGER NOT NULL,
      sum REAL NOT NULL,
      least REAL NOT NULL,
      most REAL NOT NULL,
      latest REAL NOT NULL,
      -- The earliest start, the latest start, and the latest end, µs since 1970.
      first_date INTEGER NOT NULL,
      latest_date INTEGER NOT NULL,
      last_end INTEGER NOT NULL,
      -- The packed samples; NULL while they are rows of `recent`.
      data BLOB
    ) STRICT;
    CREATE INDEX block_of_series ON block (series, hour);
    CREATE INDEX block_of ON block (patient, quantity, hour);
    CREATE INDEX block_open ON block (series, hour) WHERE data IS NULL;

    CREATE TABLE recent (
      block INTEGER NOT NULL REFERENCES block (number),
      start_date INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      end_date INTEGER NOT NULL,
      arrival_date INTEGER NOT NULL,
      value REAL NOT NULL,
      raw BLOB NOT NULL,
      PRIMARY KEY (block, start_date, ordinal)
    ) STRICT, WITHOUT ROWID;

    """

  /// Whose samples are and whether they count: dated rows, of which the latest holds.
  static let changes = """
    CREATE TABLE sample_change (
      number INTEGER PRIMARY KEY,
      uuid TEXT NOT NULL UNIQUE,
      -- One sample, or all of a device that start from from_date to before to_date.
      identity TEXT,
      device TEXT NOT NULL,
      from_date INTEGER,
      to_date INTEGER,
      change TEXT NOT NULL
        CHECK (change IN ('assign', 'unassign', 'disown', 'delete', 'restore')),
      patient TEXT,
      decided_by TEXT NOT NULL CHECK (decided_by IN ('person', 'evidence')),
      reason TEXT,
      created_date INTEGER NOT NULL,
      writer INTEGER NOT NULL REFERENCES writer (number),
      clock INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sample_change_of ON sample_change (identity) WHERE identity IS NOT NULL;
    CREATE INDEX sample_change_of_device ON sample_change (device);
    CREATE INDEX sample_change_span ON sample_change (device) WHERE identity IS NULL;
    CREATE INDEX sample_change_by_writer ON sample_change (writer, clock);

    -- Who was erased, without a name: a digest that no import may bring back.
    CREATE TABLE erasure (
      mark TEXT NOT NULL,
      date INTEGER NOT NULL,
      PRIMARY KEY (mark, date)
    ) STRICT, WITHOUT ROWID;

    """

  /// The tables of this file alone, which are not exchanged.
  static let imports = """
    CREATE TABLE plan_import (
      number INTEGER PRIMARY KEY,
      date INTEGER NOT NULL,
      -- The uuids of the versions that it made, and the zone that it replaced, as JSON.
      content TEXT NOT NULL CHECK (json_valid(content)),
      -- 1 once it was taken back.
      is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone BETWEEN 0 AND 1)
    ) STRICT;

    -- The bindings that an import replaced, with their secrets.
    CREATE TABLE replaced_binding (
      import INTEGER NOT NULL REFERENCES plan_import (number),
      address TEXT NOT NULL,
      user_index INTEGER,
      definition TEXT,
      patient TEXT,
      placement TEXT,
      key BLOB,
      consent_code INTEGER
    ) STRICT;

    CREATE TABLE audit (
      number INTEGER PRIMARY KEY,
      date INTEGER NOT NULL,
      -- What happened to the store, without names and values.
      event TEXT NOT NULL
    ) STRICT;

    """

  /// The devices of this machine, and the calibrations of its accelerometers; not exchanged.
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
      placement TEXT CHECK (placement IS NULL OR json_valid(placement)),
      -- The bind key of encrypted advertisements, and the code of the user slot; no export contains
      -- them.
      key BLOB CHECK (key IS NULL OR length(key) = 16),
      consent_code INTEGER CHECK (consent_code IS NULL OR consent_code BETWEEN 0 AND 9999)
    ) STRICT;
    CREATE UNIQUE INDEX device_binding_whole ON device_binding (address)
      WHERE user_index IS NULL;
    CREATE UNIQUE INDEX device_binding_slot ON device_binding (address, user_index)
      WHERE user_index IS NOT NULL;

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

  /// What reminders, fallbacks, alerts and rules did.
  static let firings = """
    CREATE TABLE firing (
      number INTEGER PRIMARY KEY,
      -- Derived from type, task, event and rule, so that every store names it alike.
      uuid TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL CHECK (type IN ('reminder', 'fallback', 'alert', 'rule')),
      -- The event: the task, its start (µs since 1970), its place among those that start together.
      patient TEXT NOT NULL,
      task TEXT NOT NULL,
      start_date INTEGER NOT NULL,
      ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
      -- When it was recorded, µs since 1970.
      created_date INTEGER NOT NULL,
      -- When a person took it back, µs since 1970.
      undone_date INTEGER,
      -- When it was due, the rule or threshold, the results and the target, as JSON.
      payload TEXT NOT NULL CHECK (json_valid(payload))
    ) STRICT;
    CREATE INDEX firing_of ON firing (patient, task, start_date);
    CREATE INDEX firing_by_date ON firing (created_date);

    """

  /// Pictures and videos.
  static let attachments = """
    CREATE TABLE attachment (
      -- The SHA-256 digest of all parts together.
      digest BLOB NOT NULL CHECK (length(digest) = 32),
      part INTEGER NOT NULL CHECK (part >= 0),
      -- 262144 bytes; the rest in the last part.
      content BLOB NOT NULL,
      PRIMARY KEY (digest, part)
    ) STRICT;

    """
}
