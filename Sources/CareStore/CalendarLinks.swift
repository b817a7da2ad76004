import Care
package import Foundation

/// A secret address at which a calendar program reads the plan of a person.
///
/// Only the digest of its token is stored: whoever reads the file cannot read the calendar by it.
package struct StoredCalendarLink: Hashable, Sendable {
  /// The SHA-256 of its token, in hexadecimal digits.
  package var digest = ""
  package var patient = ""
  package var created = Date.distantPast

  /// Makes a link.
  package init(digest: String, patient: String, created: Date) {
    (self.digest, self.patient, self.created) = (digest, patient, created)
  }

  init() {}
}

// No row of these is exported: a link leads to this machine alone.

extension StoredCalendarLink: StoredRow {
  static let table = Table("calendar_link", of: Self.self, key: "digest")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("digest", &digest)
    try visitor.column("patient", &patient)
    var created = Instant(microseconds: created.microseconds)
    try visitor.column("created_date", &created)
    self.created = Date(microseconds: created.microseconds)
  }
}

extension SQLTransaction {
  package func calendarLinks() throws -> [StoredCalendarLink] {
    try reading {
      try rows(
        "SELECT * FROM calendar_link ORDER BY created_date, digest",
        read: StoredCalendarLink.init(reading:))
    }
  }

  package func calendarLink(digest: String) throws -> StoredCalendarLink? {
    try reading {
      try rows(
        "SELECT * FROM calendar_link WHERE digest = ?", [digest],
        read: StoredCalendarLink.init(reading:)
      ).first
    }
  }

  package func put(_ link: StoredCalendarLink) throws {
    try changing {
      try requireStorable(link.patient)
      try store(link, in: StoredCalendarLink.table)
    }
  }

  package func removeCalendarLink(digest: String) throws {
    try changing { try execute("DELETE FROM calendar_link WHERE digest = ?", [digest]) }
  }
}
