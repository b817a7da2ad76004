import Care
import Foundation
import GRDB

extension SQLTransaction {
  /// The versions of one thing that no version follows.
  ///
  /// There are several where two stores changed it apart; the one to believe is the last of them,
  /// in every store the same.
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

  /// Notes that one version follows another.
  func insertEdge(from previous: UUID, to next: UUID) throws {
    try execute(
      "INSERT INTO version_edge (previous, next) VALUES (?, ?)",
      [previous.uuidString, next.uuidString])
  }

  /// The live versions of everything of a type, oldest first within a thing; nothing of what was
  /// deleted since.
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
