extension Schema {
  /// Everything that is changed by adding a version: patients, tasks, and room for the rest.
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
}
