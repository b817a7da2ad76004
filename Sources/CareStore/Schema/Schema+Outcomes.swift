extension Schema {
  /// What came of events, in versions like the rest; at most one of an event's outcome lives.
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
}
