extension Schema {
  /// Every measurement that was ever stored, and the devices that a plan gives to people.
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

  /// Which device is whose.
  ///
  /// This belongs to the machine that the devices are beside, and is not exchanged with other
  /// stores.
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

  /// What opens a device's data; it leaves the store in no export.
  static let deviceSecrets = """
    -- The bind key of encrypted advertisements.
    ALTER TABLE device_binding ADD COLUMN key BLOB CHECK (key IS NULL OR length(key) = 16);
    -- The code of the user slot.
    ALTER TABLE device_binding ADD COLUMN consent_code INTEGER
      CHECK (consent_code IS NULL OR consent_code BETWEEN 0 AND 9999);
    """
}
