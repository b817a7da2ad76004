extension Schema {
  /// What the store knows of itself and of its peers.
  ///
  /// Two stores exchange rows by comparing knowledge vectors (a clock for each store that wrote).
  /// Vectors repeat over many rows, so each distinct one is kept once, as a numbered revision.
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
}
