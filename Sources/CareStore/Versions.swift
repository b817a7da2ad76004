import Care
import Digests
import Foundation
import Synchronization

/// A version of a thing of the plan: whatever changes by adding a version.
///
/// Edges say which version follows which; a merge gives one several parents, and a parent may arrive
/// after its child.
struct VersionRow: ExportedRow, Hashable {
  /// Derived from the content if a plan made it, random otherwise.
  var uuid = UUID.zero
  /// The kind of thing, or `order` for the plan's order of tasks.
  var type = ""
  /// Whose it is; a patient is their own.
  var patient = ""
  /// The same for every version of one thing, unique within its type and patient.
  var id = ""
  /// From when on this version speaks for the thing.
  var effectiveDate = Date(microseconds: 0)
  var createdDate = Date(microseconds: 0)
  /// When the thing was deleted: this version is a tombstone.
  var deletedDate: Date?
  /// Whether the task ends with this version.
  var isEnded = false
  /// Whether it outranks earlier made versions that would take effect after it.
  var closesLater = false
  /// Whether a plan's import made it.
  var isImported = false
  /// JSON with sorted keys.
  var payload = ""
  var stamp = Stamp()
  /// The versions that it follows, sorted, and when it was taken back, of a version that is
  /// exchanged.
  var parents: [UUID] = []
  var withdrawals: [Withdrawal] = []
  /// Whether it follows no other version, as far as that is known; of a row that was read.
  var isRoot = false

  static let kind: String? = "version"
  static let table = Table(
    "version", of: Self.self,
    indexes: [
      "CREATE INDEX version_of ON version (type, patient, id)",
      "CREATE INDEX version_by_writer ON version (writer, clock)",
    ])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("uuid", &uuid, sql: "UNIQUE")
    try visitor.field("type", &type)
    try visitor.field("patient", &patient)
    try visitor.id("id", &id)
    try visitor.field("effective", in: "effective_date", &effectiveDate)
    try visitor.field("created", in: "created_date", &createdDate)
    try visitor.field("deleted", in: "deleted_date", &deletedDate)
    try visitor.field("ended", in: "is_ended", &isEnded, default: false)
    try visitor.field("closesLater", in: "closes_later", &closesLater, default: false)
    try visitor.field("imported", in: "is_imported", &isImported, default: false)
    try visitor.field("payload", &payload, sql: "CHECK (\(Dialect.isJSON("payload")))")
    try stamp.fields(&visitor)
    try visitor.key("parents", &parents, default: [])
    try visitor.key("withdrawals", &withdrawals, default: [])
  }

  /// Refuses a payload that is not one of its type: it would make the store unreadable.
  func checkTogether() throws(StoreError.ExportDamage) {
    if type == "order" {
      guard patient.isEmpty, id == "plan" else { throw .value(id, field: "id") }
      try check([TaskReference].self)
      return
    }
    guard let kind = ThingKind(rawValue: type) else { throw .value(type, field: "type") }
    switch kind {
    case .patient:
      guard patient == id else { throw .value(patient, field: "patient") }
      try check(try check(Patient.self).amountFlaw)
    case .task:
      try ID(text: patient).check("patient")
      try check(try check(PlannedTask.self, id: \.id).amountFlaw())
    case .carePlan:
      let document = try check(CarePlan.self, id: \.id).consent
      guard document.map(\.hasOwnDigest) ?? true else {
        throw .value(document?.digest ?? "", field: "payload")
      }
    case .contact: try check(Contact.self, id: \.id)
    case .note: try check(Note.self, id: \.id)
    case .message: try check(Message.self, id: \.id)
    case .consent: try check(ConsentAnswer.self, id: \.id)
    }
  }

  /// Refuses a payload that is not of its type, or says another id than the row.
  @discardableResult
  private func check<T: Decodable>(
    _ type: T.Type, id: ((T) -> String)? = nil
  ) throws(StoreError.ExportDamage) -> T {
    guard payload.valueCount <= Export.mostValues else {
      throw .tooManyValues(limit: Export.mostValues)
    }
    guard let value = try? JSON.value(type, from: payload) else {
      throw .value(String(payload.prefix(80)), field: "payload")
    }
    if let id, id(value) != self.id { throw .value(self.id, field: "id") }
    return value
  }

  /// Refuses a number that nothing can be.
  private func check(_ flaw: AmountFlaw?) throws(StoreError.ExportDamage) {
    guard let flaw else { return }
    throw .value("\(flaw.number)", field: "payload")
  }

  init() {}

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
  /// 5.8). An effective date that the plan leaves out is not part of it, nor are topics of ntfy, which an
  /// export does not have.
  static func derived(
    type: String, patient: String, id: String, parents: [UUID], effectiveDate: Date?,
    payload: String, isDeleted: Bool = false, isEnded: Bool = false
  ) -> UUID {
    let fields =
      [type, patient, id] + parents.map(\.uuidString).sorted()
      + [
        effectiveDate.map { String($0.microseconds) } ?? "", Reachability.withoutTopics(payload),
        isDeleted ? "deleted" : "", isEnded ? "ended" : "",
      ]
    return UUID(of: fields)
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
      (SELECT \(Dialect.list("next")) FROM version_edge WHERE previous = version.uuid) AS followers,
      NOT EXISTS (SELECT 1 FROM version_edge WHERE next = version.uuid) AS is_root
    FROM version
    """
  private static let versionOrder = "ORDER BY patient, id, created_date, uuid"

  private static func versionWithTip(_ row: Row) throws -> VersionGraph.Member {
    let followers: String? = try row.optional("followers")
    var version = try VersionRow(reading: row)
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
    try execute(
      "UPDATE version SET is_imported = 1, stored = ? WHERE uuid = ?",
      [try nextStored(), version.uuid.uuidString])
  }

  /// Stores the row of a version.
  func insertRow(_ version: VersionRow, stamp: Stamp) throws {
    var version = version
    version.stamp = stamp
    try store(version, in: VersionRow.table)
  }

  /// Records that one version or outcome follows another.
  func insertEdge(from previous: UUID, to next: UUID) throws {
    try execute(
      Schema.versionEdge.insertionIfNew, [previous.uuidString, next.uuidString, try nextStored()])
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
    try store(
      WithdrawalRow(
        version: uuid,
        withdrawal: Withdrawal(date: date.microseconds, isWithdrawn: isWithdrawn)),
      in: WithdrawalRow.table,
      onConflict: "ON CONFLICT (version, date) DO UPDATE SET is_withdrawn = excluded.is_withdrawn, "
        + "stored = excluded.stored")
  }

  /// Makes readers that cache the plan read it again.
  func planChanged() throws {
    try execute("UPDATE store SET plan_revision = plan_revision + 1")
    state.hasChangedPlan = true
    state.plan = nil
  }
}

extension ConsentDocument {
  /// Whether the digest is that of its text.
  fileprivate var hasOwnDigest: Bool {
    digest == SHA256.digest(of: Array(canonicalText.utf8)).hexString
  }
}

// MARK: - Plan cache

/// The tasks of a store, decoded, with their order.
struct StoredPlan: Sendable {
  /// The tasks that are not deleted, by patient and id.
  var histories: [TaskHistory]
  /// The order of events that start together.
  var order: EventOrder
  /// The patients that are not deleted, by id.
  var patients: [Patient]
  /// The places of the tasks in ``histories``.
  private var places: [TaskReference: Int]
  /// The places of their versions' tasks.
  private var byVersion: [UUID: Int] = [:]
  /// The tasks of each patient, as places in ``histories``.
  private var byPatient: [String: [Int]]

  init(histories: [TaskHistory], order: EventOrder, patients: [Patient]) {
    self.histories = histories
    self.order = order
    self.patients = patients
    let references = histories.map { history in
      history.versions.first.map { TaskReference(patient: $0.patient, task: $0.id) }
    }
    places = [:]
    byPatient = [:]
    for (place, reference) in references.enumerated() {
      guard let reference else { continue }
      places[reference] = place
      for version in histories[place].versions { byVersion[version.uuid] = place }
      byPatient[reference.patient, default: []].append(place)
    }
  }

  /// The task that has this version.
  func history(ofVersion uuid: UUID) -> TaskHistory? {
    byVersion[uuid].map { histories[$0] }
  }

  /// The task of that name.
  func history(of task: TaskReference) -> TaskHistory? {
    places[task].map { histories[$0] }
  }

  /// The tasks of a patient, or of everyone for `nil`.
  func histories(patient: String?) -> [TaskHistory] {
    guard let patient else { return histories }
    return byPatient[patient, default: []].map { histories[$0] }
  }
}

/// The plan as it was read last, for every transaction that finds the same revision.
///
/// Decoding 200 tasks costs milliseconds, reading one day of them much less.
final class PlanCache: Sendable {
  private let last = Mutex<(revision: Int64, plan: StoredPlan)?>(nil)

  /// The plan of that revision, if it was read.
  func plan(ofRevision revision: Int64) -> StoredPlan? {
    last.withLock { $0?.revision == revision ? $0?.plan : nil }
  }

  /// Keeps the plan of a revision.
  func keep(_ plan: StoredPlan, ofRevision revision: Int64) {
    last.withLock { $0 = (revision, plan) }
  }
}

extension SQLTransaction {
  /// The tasks, their order and the patients.
  func plan() throws -> StoredPlan {
    if let plan = state.plan { return plan }
    let revision = try planRevision()
    // A revision that this transaction made is not known to others before it is committed.
    if !state.hasChangedPlan, let plan = plans.plan(ofRevision: revision) {
      state.plan = plan
      return plan
    }
    let patients = try graphs(of: ThingKind.patient.rawValue)
    // A deleted patient is hidden with all tasks.
    let hidden = Set(patients.filter(\.isDeleted).compactMap(\.shown?.id))
    let plan = StoredPlan(
      histories: try graphs(of: ThingKind.task.rawValue)
        .filter { !$0.isDeleted && !hidden.contains($0.shown?.patient ?? "") }
        .compactMap(Self.history),
      order: EventOrder(try storedOrder()),
      patients: try patients.filter { !$0.isDeleted }
        .compactMap { try $0.shown?.thing(Patient.self) })
    state.plan = plan
    if !state.hasChangedPlan { plans.keep(plan, ofRevision: revision) }
    return plan
  }

  /// The history of a task, without its deletions.
  static func history(_ graph: VersionGraph) throws -> TaskHistory? {
    let versions = graph.versions.filter { $0.deletedDate == nil }
    guard let first = versions.first else { return nil }
    return TaskHistory(
      try versions.map { version in
        var task = try CareTask(version)
        // Two stores imported the task independently. The one that was made first says what was
        // before the other, so that no day that it knows changes.
        if version.isRoot, version.isImported, version.uuid != first.uuid,
          task.planned.effectiveDate == nil
        {
          task.effectiveDate = max(task.effectiveDate, task.createdDate)
        }
        return task
      })
  }

  func planRevision() throws -> Int64 {
    try reading { try row("SELECT plan_revision FROM store")?.optional("plan_revision") ?? 0 }
  }

  func planTimeZone() throws -> TimeZone? {
    try reading {
      try row("SELECT plan_time_zone FROM store")?
        .optionalParsed("plan_time_zone", TimeZone.init(identifier:))
    }
  }

  /// Sets the plan's zone, if it is another one.
  func setPlanTimeZone(_ zone: String?, now: Date) throws {
    let stored = try exportedZone()
    guard stored?.zone != zone else { return }
    // The last zone that was set holds, also if the clock was set back.
    let date = max(now.microseconds, stored.map { $0.date + 1 } ?? .min)
    try store(ZoneLine(date: date, zone: zone))
  }

  func setPlanTimeZone(_ zone: TimeZone, now: Date) throws {
    try changing { try setPlanTimeZone(zone.identifier, now: now) }
  }

  /// Stores the plan's zone with its date.
  func store(_ zone: ZoneLine) throws {
    try execute(
      "UPDATE store SET plan_time_zone = ?, plan_time_zone_date = ?, plan_time_zone_stored = ?",
      [zone.zone, zone.date, try nextStored()])
    try planChanged()
  }

  func planOrder() throws -> [TaskReference] {
    try reading { try storedOrder() }
  }

  private func storedOrder() throws -> [TaskReference] {
    try graph(type: "order", patient: "", id: "plan").shown?.decode([TaskReference].self) ?? []
  }

  func patients() throws -> [Patient] {
    try reading { try plan().patients }
  }

  func histories(patient: String?) throws -> [TaskHistory] {
    try reading { try plan().histories(patient: patient) }
  }

  func deletedHistories(patient: String?) throws -> [TaskHistory] {
    try reading {
      try graphs(of: ThingKind.task.rawValue, patient: patient).filter(\.isDeleted)
        .compactMap(Self.history)
    }
  }

  /// Refuses an id that no patient has.
  func requirePatient(_ id: String) throws {
    // Reading the whole plan for each task of an import would cost the square of their number.
    let graph = try graph(of: .patient(id))
    guard graph.versions.isEmpty || graph.isDeleted else { return }
    throw StoreError.unknown(.patient(id, known: try plan().patients.map(\.id)))
  }
}

extension VersionRow {
  /// The thing that it says; id and owner are those of the columns, by which the store finds it.
  func thing<Thing: PlanThing>(_ type: Thing.Type) throws -> Thing {
    var thing = try decode(type)
    thing.owner = patient
    thing.id = id
    return thing
  }
}

extension CareTask {
  /// The version of a task that a row holds.
  ///
  /// The payload is the task as the plan gave it, so that importing the same plan again changes
  /// nothing. Id and patient are those of the columns, by which the store finds the row.
  init(_ row: VersionRow) throws {
    var planned = try row.decode(PlannedTask.self)
    planned.id = row.id
    planned.patient = row.patient
    self.init(
      uuid: row.uuid, planned: planned, effectiveDate: row.effectiveDate,
      createdDate: row.createdDate, closesLater: row.closesLater, isEnded: row.isEnded)
  }
}
