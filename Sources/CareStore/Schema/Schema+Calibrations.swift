extension Schema {
  /// What each accelerometer reads wrong.
  ///
  /// Like the bindings of devices, this belongs to the machine that the sensors are beside, and is
  /// not exchanged with other stores.
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
