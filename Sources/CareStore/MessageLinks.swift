import Care
package import Foundation

/// A link of a message, by which its reader answers with one tap, as a store keeps it.
///
/// Only the digest of its token is stored: whoever reads the file cannot answer.
package struct StoredLink: Hashable, Sendable {
  /// The SHA-256 of its token, in hexadecimal digits.
  package var digest = ""
  /// The name of the message.
  package var message = ""
  /// The name of who answers by it.
  package var recipient = ""
  /// The patient whose event or measurement it answers; `nil` for what belongs to nobody.
  package var patient: String?
  /// The kind of the channel by which it left.
  package var channel = ""
  /// The one answer that it gives.
  package var answer = ""
  /// From when on it gives none.
  package var expires = Date.distantPast
  /// When it was used.
  package var answered: Date?
  /// When what it did was taken back.
  package var takenBack: Date?

  /// Makes a link that nobody has used.
  package init(
    digest: String, message: String, recipient: String, patient: String?, channel: String,
    answer: String, expires: Date
  ) {
    (self.digest, self.message, self.recipient) = (digest, message, recipient)
    (self.patient, self.channel, self.answer) = (patient, channel, answer)
    self.expires = expires
  }

  init() {}
}

// No row of these is exported: a link leads to this machine alone.

extension StoredLink: StoredRow {
  static let table = Table("message_link", of: Self.self, key: "digest")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("digest", &digest)
    try visitor.column("message", &message)
    try visitor.column("recipient", &recipient)
    try visitor.column("patient", &patient)
    try visitor.column("channel", &channel)
    try visitor.column("answer", &answer)
    var expires = Instant(microseconds: expires.microseconds)
    try visitor.column("expires_date", &expires)
    self.expires = Date(microseconds: expires.microseconds)
    var answered = answered.map { Instant(microseconds: $0.microseconds) }
    try visitor.column("answered_date", &answered)
    self.answered = answered.map { Date(microseconds: $0.microseconds) }
    var takenBack = takenBack.map { Instant(microseconds: $0.microseconds) }
    try visitor.column("taken_back_date", &takenBack)
    self.takenBack = takenBack.map { Date(microseconds: $0.microseconds) }
  }
}

extension StoredLink {
  /// Checks what no store of this program writes.
  ///
  /// - Throws: `StoreError.ExportDamage`.
  func check() throws(StoreError.ExportDamage) {
    guard StoredMessage.isName(digest, digits: 64) else { throw .field("digest") }
    guard StoredMessage.isName(message) else { throw .value(message, field: "message") }
    guard !recipient.isEmpty else { throw .field("recipient") }
    guard takenBack == nil || answered != nil else { throw .field("answered_date") }
  }
}

extension SQLTransaction {
  package func link(digest: String) throws -> StoredLink? {
    try reading {
      try rows(
        "SELECT * FROM message_link WHERE digest = ?", [digest], read: StoredLink.init(reading:)
      ).first
    }
  }

  package func usedLinks() throws -> [StoredLink] {
    try reading {
      try rows(
        "SELECT * FROM message_link WHERE answered_date IS NOT NULL ORDER BY answered_date",
        read: StoredLink.init(reading:))
    }
  }

  package func put(_ link: StoredLink) throws {
    try changing {
      try requireStorable(link.message, link.recipient)
      try execute("DELETE FROM message_link WHERE digest = ?", [link.digest])
      try store(link, in: StoredLink.table)
    }
  }

  package func forgetLinks(expiredBefore date: Date) throws {
    try changing {
      try execute("DELETE FROM message_link WHERE expires_date < ?", [date.microseconds])
    }
  }
}
