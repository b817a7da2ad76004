import Care
package import Foundation

/// A message on its way, as a store keeps it: what the store itself asks for, and the rest as text.
package struct StoredMessage: Hashable, Sendable {
  /// Its name.
  package var id = ""
  /// Whose it is about; `nil` for what is about nobody, or several.
  package var patient: String?
  /// The name of whom it is to.
  package var recipient = ""
  /// How far it is.
  package var state = ""
  /// Whether something is still to be done with it.
  package var isActive = false
  /// When it came to its end.
  package var finished: Date?
  /// Everything, as JSON.
  package var content = ""

  /// Makes a message.
  package init(
    id: String, patient: String?, recipient: String, state: String, isActive: Bool,
    finished: Date?, content: String
  ) {
    (self.id, self.patient, self.recipient) = (id, patient, recipient)
    (self.state, self.isActive, self.finished) = (state, isActive, finished)
    self.content = content
  }

  init() {}
}

/// How one way to one person has done, as a store keeps it.
package struct StoredWay: Hashable, Sendable {
  /// The name of whom it reaches.
  package var recipient = ""
  /// Its place among the ways of the person, from 0.
  package var place = 0
  /// Everything else, as JSON.
  package var content = ""

  /// Makes a way.
  package init(recipient: String, place: Int, content: String) {
    (self.recipient, self.place, self.content) = (recipient, place, content)
  }

  init() {}
}

/// A time for which this machine's daemon has run.
package struct Uptime: Hashable, Sendable {
  /// When it started.
  package var started = Date.distantPast
  /// Its last sign of life.
  package var alive = Date.distantPast

  /// Makes a time.
  package init(started: Date, alive: Date) { (self.started, self.alive) = (started, alive) }

  init() {}
}

// No row of these is exported: what this machine has sent is of no use to another one.

extension StoredMessage: StoredRow {
  static let table = Table(
    "message_item", of: Self.self, key: "id",
    indexes: [
      "CREATE INDEX message_item_active ON message_item (recipient) WHERE active = 1",
      "CREATE INDEX message_item_finished ON message_item (finished_date)",
    ])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("id", &id)
    try visitor.column("patient", &patient)
    try visitor.column("recipient", &recipient)
    try visitor.column("state", &state)
    try visitor.column("active", &isActive)
    var finished = finished.map { Instant(microseconds: $0.microseconds) }
    try visitor.column("finished_date", &finished)
    self.finished = finished.map { Date(microseconds: $0.microseconds) }
    try visitor.column("content", &content, sql: "CHECK (\(Dialect.isJSON("content")))")
  }
}

extension StoredWay: StoredRow {
  static let table = Table("message_way", of: Self.self, key: "recipient, place")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("recipient", &recipient)
    try visitor.column("place", &place)
    try visitor.column("content", &content, sql: "CHECK (\(Dialect.isJSON("content")))")
  }
}

extension Uptime: StoredRow {
  static let table = Table("uptime", of: Self.self, key: "started_date")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    var (started, alive) = (
      Instant(microseconds: started.microseconds), Instant(microseconds: alive.microseconds)
    )
    try visitor.column("started_date", &started)
    try visitor.column("alive_date", &alive)
    (self.started, self.alive) = (
      Date(microseconds: started.microseconds), Date(microseconds: alive.microseconds)
    )
  }
}

// MARK: - Checking

extension StoredMessage {
  /// Checks what no store of this program writes.
  ///
  /// - Throws: `StoreError.ExportDamage`.
  func check() throws(StoreError.ExportDamage) {
    guard Self.isName(id) else { throw .value(id, field: "id") }
    guard !recipient.isEmpty else { throw .field("recipient") }
    // A message that came to its end has a date, so that it is forgotten one day.
    guard isActive || finished != nil else { throw .field("finished_date") }
  }

  /// Whether it is the name of a message: 32 lower-case hexadecimal digits.
  static func isName(_ text: String, digits: Int = 32) -> Bool {
    text.utf8.count == digits
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension StoredWay {
  /// - Throws: `StoreError.ExportDamage`.
  func check() throws(StoreError.ExportDamage) {
    guard !recipient.isEmpty else { throw .field("recipient") }
    guard place >= 0 else { throw .value(String(place), field: "place") }
  }
}

// MARK: - Reading and changing

/// The messages of a store, in one transaction.
package protocol MessageReader: OutletReader {
  /// The messages with which something is to be done, and those that came to their end since a
  /// date; the latest if there are very many.
  func messages(finishedSince date: Date) throws -> [StoredMessage]
  /// How many messages of each state a recipient has, by recipient and state.
  func messageCounts() throws -> [String: [String: Int]]
  func ways() throws -> [StoredWay]
  /// When the daemon has run, in order.
  func uptimes() throws -> [Uptime]
  /// The link whose token has a digest; `nil` if there is none.
  func link(digest: String) throws -> StoredLink?
  /// The links that were used, in that order.
  func usedLinks() throws -> [StoredLink]
  /// The secret addresses of calendars, the oldest first.
  func calendarLinks() throws -> [StoredCalendarLink]
  /// The address of a calendar whose token has a digest; `nil` if there is none.
  func calendarLink(digest: String) throws -> StoredCalendarLink?
}

/// The messages of a store, in one transaction that changes them.
package protocol MessageWriter: MessageReader, OutletWriter {
  /// Stores a message, in place of the one of that name.
  func put(_ message: StoredMessage) throws
  func put(_ way: StoredWay) throws
  /// Notes a sign of life, and forgets the oldest times.
  func put(_ uptime: Uptime) throws
  /// Removes what came to its end before a date; what was refused stays three times as long.
  func forgetMessages(finishedBefore date: Date, now: Date) throws
  /// Stores a link, in place of the one of that digest.
  func put(_ link: StoredLink) throws
  /// Stores a new address of a calendar.
  func put(_ link: StoredCalendarLink) throws
  /// Removes the address of a calendar.
  func removeCalendarLink(digest: String) throws
  /// Removes the links that gave no answer any more at a date.
  func forgetLinks(expiredBefore date: Date) throws
}

extension SQLStore {
  /// Reads messages in one transaction.
  package func readMessages<T: Sendable>(
    _ body: @Sendable (any MessageReader) throws -> T
  ) async throws -> T {
    try await reading { try body($0) }
  }

  /// Changes messages in one transaction.
  package func writeMessages<T: Sendable>(
    _ body: @Sendable (any MessageWriter) throws -> T
  ) async throws -> T {
    try await writing { try body($0) }
  }
}

extension SQLTransaction: MessageWriter {
  /// The most messages that are read at once, and the most that stay.
  private static let mostRead = 5_000
  private static let mostKept = 20_000
  /// The most times of running that stay.
  private static let mostUptimes = 200

  package func messages(finishedSince date: Date) throws -> [StoredMessage] {
    try reading {
      try rows(
        """
        SELECT * FROM message_item WHERE active = 1 OR finished_date >= ?
        ORDER BY active DESC, finished_date DESC LIMIT \(Self.mostRead)
        """, [date.microseconds], read: StoredMessage.init(reading:))
    }
  }

  package func messageCounts() throws -> [String: [String: Int]] {
    try reading {
      var counts: [String: [String: Int]] = [:]
      try rows("SELECT recipient, state, count(*) AS count FROM message_item GROUP BY 1, 2") {
        counts[try $0.text("recipient"), default: [:]][try $0.text("state")] =
          try $0.required("count")
      }
      return counts
    }
  }

  package func ways() throws -> [StoredWay] {
    try reading {
      try rows(
        "SELECT * FROM message_way ORDER BY recipient, place", read: StoredWay.init(reading:))
    }
  }

  package func uptimes() throws -> [Uptime] {
    try reading {
      try rows("SELECT * FROM uptime ORDER BY started_date", read: Uptime.init(reading:))
    }
  }

  package func put(_ message: StoredMessage) throws {
    try changing {
      try requireStorable(message.id, message.recipient)
      try execute("DELETE FROM message_item WHERE id = ?", [message.id])
      try store(message, in: StoredMessage.table)
    }
  }

  package func put(_ way: StoredWay) throws {
    try changing {
      try execute(
        "DELETE FROM message_way WHERE recipient = ? AND place = ?", [way.recipient, way.place])
      try store(way, in: StoredWay.table)
    }
  }

  package func put(_ uptime: Uptime) throws {
    try changing {
      try execute("DELETE FROM uptime WHERE started_date = ?", [uptime.started.microseconds])
      try store(uptime, in: Uptime.table)
      try execute(
        """
        DELETE FROM uptime WHERE started_date NOT IN
          (SELECT started_date FROM uptime ORDER BY alive_date DESC LIMIT \(Self.mostUptimes))
        """, [])
    }
  }

  package func forgetMessages(finishedBefore date: Date, now: Date) throws {
    try changing {
      let refused = now - 3 * now.timeIntervalSince(date)
      try execute(
        """
        DELETE FROM message_item WHERE active = 0
          AND (finished_date < ?2 AND state <> 'refused' OR finished_date < ?1 AND state = 'refused')
        """, [refused.microseconds, date.microseconds])
      try execute(
        """
        DELETE FROM message_item WHERE active = 0 AND id NOT IN
          (SELECT id FROM message_item ORDER BY active DESC, finished_date DESC
            LIMIT \(Self.mostKept))
        """, [])
    }
  }

  /// Removes the messages about a patient, and those to the patient, with their links.
  func removeMessages(of patient: String) throws {
    for table in ["message_item", "message_link"] {
      try execute("DELETE FROM \(table) WHERE patient = ?1 OR \(Self.isOfPatient)", [patient])
    }
    try execute("DELETE FROM message_way WHERE \(Self.isOfPatient)", [patient])
  }

  /// Gives the messages about and to a patient the patient's new id.
  func renameMessages(of patient: String, to newID: String) throws {
    let name = "?2 || substr(recipient, length(?1) + 1)"
    for table in ["message_item", "message_link"] {
      try execute("UPDATE \(table) SET patient = ?2 WHERE patient = ?1", [patient, newID])
    }
    try execute(
      """
      UPDATE message_item SET content = \(Dialect.setting("content", "recipient", name)),
        recipient = \(name)
      WHERE \(Self.isOfPatient)
      """, [patient, newID])
    for table in ["message_way", "message_link"] {
      try execute(
        "UPDATE \(table) SET recipient = \(name) WHERE \(Self.isOfPatient)", [patient, newID])
    }
  }

  /// Of a recipient who is the patient, or one of the patient's contacts.
  private static let isOfPatient = "substr(recipient, 1, length(?1) + 1) = ?1 || '/'"
}
