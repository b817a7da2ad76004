package import Care
package import Foundation

/// A conflict as JSON.
package struct ConflictOutput: Encodable {
  /// The kind of thing, or `outcome`.
  package var kind: String
  /// The thing's id; of an outcome the task's.
  package var id: String
  package var patient: String
  /// When the event of an outcome starts.
  package var start: String?
  /// The occurrence of an outcome's event.
  package var occurrence: Int?
  package var shown: String
  package var others: [String]
  /// All of them, the shown one first; `nil` for outcomes.
  package var versions: [Version]?

  /// One of the versions.
  package struct Version: Encodable {
    package var version: String
    package var title: String?
    package var created: String
    package var effective: String
    /// `plan` or `person`.
    package var author: String
    /// Whether it was made in this store.
    package var isHere: Bool
    package var ended: Bool?
    package var deleted: Bool?
    /// The keys in which it differs from the shown one.
    package var differences: [String]

    private enum CodingKeys: String, CodingKey {
      case version, title, created, effective, author, ended, deleted, differences
      case isHere = "here"
    }
  }

  package init(_ conflict: PlanConflict, in timeZone: TimeZone) {
    kind = conflict.thing.kind.rawValue
    id = conflict.thing.id
    patient = conflict.thing.patient
    shown = conflict.shown.uuidString
    others = conflict.others.map(\.uuidString)
    versions = conflict.versions.map { version in
      Version(
        version: version.id.uuidString, title: version.title,
        created: version.createdDate.rfc3339(in: timeZone),
        effective: version.effectiveDate.rfc3339(in: timeZone),
        author: version.isImported ? "plan" : "person", isHere: version.isOwn,
        ended: version.isEnded ? true : nil, deleted: version.isDeleted ? true : nil,
        differences: version.differences)
    }
  }

  package init(_ conflict: OutcomeConflict, occurrence: Int?, in timeZone: TimeZone) {
    kind = "outcome"
    self.occurrence = occurrence
    id = conflict.event.task
    patient = conflict.event.patient
    start = conflict.event.start.rfc3339(in: timeZone)
    shown = conflict.shown.uuidString
    others = conflict.others.map(\.uuidString)
  }
}
