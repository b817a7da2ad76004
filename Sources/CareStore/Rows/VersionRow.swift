import Care
import Foundation
import GRDB

/// What the table `version` holds versions of.
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

  /// What the version says.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try JSON.value(type, from: payload)
  }
}
