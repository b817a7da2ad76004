import GRDB

/// The tables of a store, and how an older store becomes a current one.
///
/// The schema version is the file's `user_version`, so that it can be read from the header without
/// opening a database. Every step of the migrator ends by raising it. A step that was released is
/// never changed again: what comes next is another step.
enum Schema {
  /// The schema that this program writes.
  static let version = 3

  /// What marks a SQLite file as a store of this program: "care", in ASCII.
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
    return migrator
  }
}
