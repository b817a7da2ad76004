import Care
import Digests
import Foundation
import GRDB

/// A row of the table `version`.
struct VersionRow: Hashable {
  let uuid: UUID
  /// The kind of thing, or `order` for the plan's order of tasks.
  let type: String
  let patient: String
  let id: String
  var effectiveDate: Date
  var createdDate: Date
  var deletedDate: Date?
  var isEnded = false
  var closesLater = false
  var isImported = false
  /// Whether it follows no other version, as far as that is known; of a row that was read.
  var isRoot = false
  /// JSON.
  let payload: String

  /// Makes a version.
  init(
    uuid: UUID, type: String, patient: String, id: String, effectiveDate: Date, createdDate: Date,
    deletedDate: Date? = nil, payload: String
  ) {
    self.uuid = uuid
    self.type = type
    self.patient = patient
    self.id = id
    self.effectiveDate = effectiveDate
    self.createdDate = createdDate
    self.deletedDate = deletedDate
    self.payload = payload
  }

  /// Makes the next version of `thing`.
  init(
    uuid: UUID, of thing: ThingReference, effectiveDate: Date, createdDate: Date,
    deletedDate: Date? = nil, payload: String
  ) {
    self.init(
      uuid: uuid, type: thing.kind.rawValue, patient: thing.patient, id: thing.id,
      effectiveDate: effectiveDate, createdDate: createdDate, deletedDate: deletedDate,
      payload: payload)
  }

  /// Reads a row.
  init(_ row: Row) throws {
    self.init(
      uuid: try row.uuid("uuid"), type: try row.text("type"),
      patient: try row.text("patient"), id: try row.text("id"),
      effectiveDate: try row.date("effective_date"), createdDate: try row.date("created_date"),
      deletedDate: (try row.optional("deleted_date") as Int64?).map(Date.init(microseconds:)),
      payload: try row.text("payload"))
    isEnded = try row.required("is_ended")
    closesLater = try row.required("closes_later")
    isImported = try row.required("is_imported")
  }

  /// The content of the version.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try JSON.value(type, from: payload)
  }

  /// Whether `a` was made before `b`; versions of one time order by id.
  static func madeBefore(_ a: VersionRow, _ b: VersionRow) -> Bool {
    (a.createdDate, a.uuid.uuidString) < (b.createdDate, b.uuid.uuidString)
  }
}

extension UUID {
  /// The id of a version that a plan makes: every store derives the same from the same plan.
  ///
  /// It is the SHA-256 digest of what the version says, as a version 8 UUID (RFC 9562, section
  /// 5.8). An effective date that the plan leaves out is not part of it.
  static func derived(
    type: String, patient: String, id: String, parents: [UUID], effectiveDate: Date?,
    payload: String, isDeleted: Bool = false, isEnded: Bool = false
  ) -> UUID {
    let fields =
      [type, patient, id] + parents.map(\.uuidString).sorted()
      + [
        effectiveDate.map { String($0.microseconds) } ?? "", payload, isDeleted ? "deleted" : "",
        isEnded ? "ended" : "",
      ]
    // Lengths keep neighbouring fields apart.
    let text = fields.map { "\($0.utf8.count):\($0)" }.joined()
    var bytes = Array(SHA256.digest(of: Array(text.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}

// MARK: - Reading

/// All versions of one thing, in whichever order they arrived.
struct VersionGraph {
  /// The versions that count, oldest first.
  let versions: [VersionRow]
  /// Those of them that no version follows, oldest first.
  let tips: [VersionRow]

  /// The version that is shown: the newest of the tips.
  var shown: VersionRow? { tips.last }

  /// Whether the thing is deleted.
  var isDeleted: Bool { shown?.deletedDate != nil }

  /// The newest version that says something: the last one before a deletion.
  var newestLive: VersionRow? {
    isDeleted ? versions.last { $0.deletedDate == nil } : shown
  }
}

extension SQLTransaction {
  /// The versions of one thing.
  func graph(of thing: ThingReference) throws -> VersionGraph {
    try graph(type: thing.kind.rawValue, patient: thing.patient, id: thing.id)
  }

  /// The versions of one thing of a type.
  func graph(type: String, patient: String, id: String) throws -> VersionGraph {
    let rows = try rows(
      "\(Self.selectVersion) WHERE type = ? AND patient = ? AND id = ? \(Self.versionOrder)",
      [type, patient, id], read: Self.versionWithTip)
    return VersionGraph(rows)
  }

  /// The versions of every thing of a type, by patient and id.
  func graphs(of type: String, patient: String? = nil) throws -> [VersionGraph] {
    let condition = patient == nil ? "type = ?" : "type = ? AND patient = ?"
    let rows = try rows(
      "\(Self.selectVersion) WHERE \(condition) \(Self.versionOrder)",
      Arguments([type] + (patient.map { [$0] } ?? [])), read: Self.versionWithTip)
    var graphs: [VersionGraph] = []
    var start = rows.startIndex
    while start < rows.endIndex {
      let first = rows[start].version
      let end =
        rows[start...].firstIndex {
          $0.version.patient != first.patient || $0.version.id != first.id
        }
        ?? rows.endIndex
      let graph = VersionGraph(Array(rows[start..<end]))
      if !graph.versions.isEmpty { graphs.append(graph) }
      start = end
    }
    return graphs
  }

  private static let selectVersion = """
    SELECT *, (SELECT is_withdrawn FROM withdrawal WHERE version = version.uuid
        ORDER BY date DESC LIMIT 1) AS is_withdrawn,
      (SELECT group_concat(next) FROM version_edge WHERE previous = version.uuid) AS followers,
      NOT EXISTS (SELECT 1 FROM version_edge WHERE next = version.uuid) AS is_root
    FROM version
    """
  private static let versionOrder = "ORDER BY patient, id, created_date, uuid"

  private static func versionWithTip(_ row: Row) throws -> VersionGraph.Member {
    let followers: String? = try row.optional("followers")
    var version = try VersionRow(row)
    version.isRoot = try row.required("is_root")
    return VersionGraph.Member(
      version: version, isWithdrawn: try row.optional("is_withdrawn") ?? false,
      followers: followers?.split(separator: ",").map(String.init) ?? [])
  }
}

extension VersionGraph {
  /// A version with what the edges and withdrawals say of it.
  struct Member {
    let version: VersionRow
    let isWithdrawn: Bool
    /// The uuids of the versions that follow it.
    let followers: [String]
  }

  /// Takes the versions of one thing, oldest first.
  ///
  /// A version that was withdrawn counts for nothing: what it followed is followed by what
  /// follows it.
  init(_ members: [Member]) {
    let counting = members.filter { !$0.isWithdrawn }
    versions = counting.map(\.version)
    let byUUID = Dictionary(
      members.map { ($0.version.uuid.uuidString, $0) }, uniquingKeysWith: { first, _ in first })
    func isFollowed(_ member: Member) -> Bool {
      var waiting = member.followers
      var seen: Set<String> = []
      while let uuid = waiting.popLast() {
        guard seen.insert(uuid).inserted, let follower = byUUID[uuid] else { continue }
        guard follower.isWithdrawn else { return true }
        waiting += follower.followers
      }
      return false
    }
    tips = counting.filter { !isFollowed($0) }.map(\.version)
  }
}

// MARK: - Writing

extension SQLTransaction {
  /// Stores a version that follows all of `previous`, unless it is stored already.
  ///
  /// - Returns: Whether it is new, or was withdrawn until now.
  @discardableResult
  func insert(_ version: VersionRow, after previous: [VersionRow]) throws -> Bool {
    try requireStorable(version.id, version.patient)
    let known = try row("SELECT 1 FROM version WHERE uuid = ?", [version.uuid.uuidString]) != nil
    if known {
      try reinstate(version.uuid, at: version.createdDate)
    } else {
      try insertRow(version, stamp: try nextStamp())
    }
    for parent in previous where parent.uuid != version.uuid {
      try insertEdge(from: parent.uuid, to: version.uuid)
    }
    state.edit?.versions.append(version.uuid)
    try planChanged()
    return true
  }

  /// Notes that a plan says what a version says: it is the base of the next import.
  func markImported(_ version: VersionRow) throws {
    guard !version.isImported else { return }
    try execute("UPDATE version SET is_imported = 1 WHERE uuid = ?", [version.uuid.uuidString])
  }

  /// Stores the row of a version.
  func insertRow(_ version: VersionRow, stamp: Stamp) throws {
    try execute(
      """
      INSERT INTO version (uuid, type, patient, id, effective_date, created_date, deleted_date,
        is_ended, closes_later, is_imported, payload, writer, clock)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        version.uuid.uuidString, version.type, version.patient, version.id,
        version.effectiveDate.microseconds, version.createdDate.microseconds,
        version.deletedDate?.microseconds, version.isEnded, version.closesLater,
        version.isImported, version.payload, stamp.writer, stamp.clock,
      ])
  }

  /// Records that one version or outcome follows another.
  func insertEdge(from previous: UUID, to next: UUID) throws {
    try execute(
      "INSERT OR IGNORE INTO version_edge (previous, next) VALUES (?, ?)",
      [previous.uuidString, next.uuidString])
  }

  /// Takes versions back: they count no longer.
  func withdraw(_ versions: [UUID], at date: Date) throws {
    for uuid in versions {
      // The last one holds, also if the clock was set back.
      let last = try lastWithdrawal(of: uuid)
      try setWithdrawn(uuid, true, at: last.map { max(date, $0.addingMicrosecond) } ?? date)
    }
    try planChanged()
  }

  private func reinstate(_ uuid: UUID, at date: Date) throws {
    guard let last = try lastWithdrawal(of: uuid) else { return }
    try setWithdrawn(uuid, false, at: max(date, last.addingMicrosecond))
  }

  /// When a version was last withdrawn or reinstated; `nil` if never.
  private func lastWithdrawal(of uuid: UUID) throws -> Date? {
    let row = try row(
      "SELECT max(date) AS date FROM withdrawal WHERE version = ?", [uuid.uuidString])
    let last: Int64? = try row?.optional("date")
    return last.map(Date.init(microseconds:))
  }

  private func setWithdrawn(_ uuid: UUID, _ isWithdrawn: Bool, at date: Date) throws {
    try execute(
      "INSERT OR REPLACE INTO withdrawal (version, date, is_withdrawn) VALUES (?, ?, ?)",
      [uuid.uuidString, date.microseconds, isWithdrawn])
  }

  /// Makes readers that cache the plan read it again.
  func planChanged() throws {
    try execute("UPDATE store SET plan_revision = plan_revision + 1")
    state.hasChangedPlan = true
    state.plan = nil
  }
}
