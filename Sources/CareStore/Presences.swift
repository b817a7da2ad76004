import Care
import Foundation

extension Schema {
  /// Who was said to be at home.
  ///
  /// No row is exported: it is kept for the attribution of this machine's weighings alone.
  static let presence = Table(
    "presence",
    [
      .init("number", .number),
      .init("patient", .text, "NOT NULL"),
      .init("is_home", .integer, "NOT NULL CHECK (is_home BETWEEN 0 AND 1)"),
      .init("from_date", .integer, "NOT NULL"),
      // NULL until a later statement.
      .init("to_date", .integer),
    ], indexes: ["CREATE INDEX presence_of ON presence (patient, from_date)"])
}

extension SQLTransaction {
  func presences(since date: Date?) throws -> [Presence] {
    try reading {
      try rows(
        "SELECT * FROM presence WHERE ?1 IS NULL OR to_date IS NULL OR to_date > ?1 ORDER BY number",
        [date?.microseconds], read: Presence.init)
    }
  }

  func keep(_ presence: Presence) throws {
    try changing {
      try requirePatient(presence.patient)
      let (from, to) = (presence.from.microseconds, presence.to?.microseconds)
      // An earlier one is deleted if the new one covers every moment of it.
      try execute(
        """
        DELETE FROM presence WHERE patient = ?1 AND from_date >= ?2
          AND (?3 IS NULL OR to_date <= ?3)
        """, [presence.patient, from, to])
      try execute(
        "INSERT INTO presence (patient, is_home, from_date, to_date) VALUES (?, ?, ?, ?)",
        [presence.patient, presence.isHome, from, to])
    }
  }

  func forgetPresences(except patients: Set<String>) throws {
    try changing {
      let known = try rows("SELECT DISTINCT patient FROM presence") { try $0.text("patient") }
      for patient in known where !patients.contains(patient) {
        try execute("DELETE FROM presence WHERE patient = ?", [patient])
      }
    }
  }
}

extension Presence {
  fileprivate init(_ row: Row) throws {
    self.init(
      patient: try row.text("patient"), isHome: try row.required("is_home"),
      from: Date(microseconds: try row.required("from_date")),
      to: (try row.optional("to_date") as Int64?).map { Date(microseconds: $0) })
  }
}
