import Care
import Foundation
import GRDB

/// The kinds of things that the table `version` holds versions of.
enum VersionType: String {
  case patient, task
}

/// A row of the table `version`.
struct VersionRow {
  let uuid: UUID
  let type: VersionType
  let patient: String
  let id: String
  let effectiveDate: Date
  let createdDate: Date
  let deletedDate: Date?
  /// JSON.
  let payload: String

  /// Makes a live version.
  init(
    uuid: UUID, type: VersionType, patient: String, id: String, effectiveDate: Date,
    createdDate: Date, payload: some Encodable
  ) throws {
    self.uuid = uuid
    self.type = type
    self.patient = patient
    self.id = id
    self.effectiveDate = effectiveDate
    self.createdDate = createdDate
    deletedDate = nil
    self.payload = try JSON.text(payload)
  }

  /// Reads a row.
  init(_ row: Row) throws {
    uuid = try row.parsed("uuid", UUID.init(uuidString:))
    type = try row.parsed("type", VersionType.init(rawValue:))
    patient = try row.text("patient")
    id = try row.text("id")
    effectiveDate = try row.date("effective_date")
    createdDate = try row.date("created_date")
    let deleted: Int64? = try row.optional("deleted_date")
    deletedDate = deleted.map(Date.init(microseconds:))
    payload = try row.text("payload")
  }

  /// The content of the version.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try JSON.value(type, from: payload)
  }
}

extension SQLTransaction {
  /// The versions of one thing that no version follows.
  ///
  /// There are several if two stores changed it independently; the last of them is the current one,
  /// the same in every store.
  func tips(of type: VersionType, patient: String, id: String) throws -> [VersionRow] {
    try rows(
      """
      SELECT * FROM version WHERE type = ? AND patient = ? AND id = ?
        AND NOT EXISTS (SELECT 1 FROM version_edge WHERE previous = version.uuid)
      ORDER BY created_date, uuid
      """, [type.rawValue, patient, id], read: VersionRow.init)
  }

  /// Stores a version that follows all of `previous`.
  func insert(_ version: VersionRow, after previous: [VersionRow]) throws {
    try requireStorable(version.id, version.patient)
    try execute(
      """
      INSERT INTO version (uuid, type, patient, id, effective_date, created_date, deleted_date,
        payload, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT revision FROM store))
      """,
      [
        version.uuid.uuidString, version.type.rawValue, version.patient, version.id,
        version.effectiveDate.microseconds, version.createdDate.microseconds,
        version.deletedDate?.microseconds, version.payload,
      ])
    for parent in previous {
      try insertEdge(from: parent.uuid, to: version.uuid)
    }
  }

  /// Records that one version follows another.
  func insertEdge(from previous: UUID, to next: UUID) throws {
    try execute(
      "INSERT INTO version_edge (previous, next) VALUES (?, ?)",
      [previous.uuidString, next.uuidString])
  }

  /// The live versions of everything of a type, oldest first within a thing; without those of
  /// deleted things.
  func liveVersions(of type: VersionType, patient: String?) throws -> [VersionRow] {
    try rows(
      """
      SELECT * FROM version WHERE type = ?1 AND (?2 IS NULL OR patient = ?2)
        AND deleted_date IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM version AS tomb
          WHERE tomb.type = version.type AND tomb.patient = version.patient
            AND tomb.id = version.id AND tomb.deleted_date IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM version_edge WHERE previous = tomb.uuid))
      ORDER BY patient, id, number
      """, [type.rawValue, patient], read: VersionRow.init)
  }
}
