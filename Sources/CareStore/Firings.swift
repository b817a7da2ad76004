import Care
import Foundation

/// A row of the table `firing`.
struct FiringRow: ExportedRow, Hashable {
  /// Derived from type, task, event and rule, so that every store names it alike.
  var uuid = UUID.zero
  var type = Firing.Kind.reminder
  /// The event: the task, its start (µs since 1970), its place among those that start together.
  var patient = ""
  var task = ""
  var start: Int64 = 0
  var ordinal = 0
  /// When it was recorded, µs since 1970; of two stores' rows the earlier one holds.
  var created: Int64 = 0
  /// When a person took it back, µs since 1970.
  var undone: Int64?
  /// When it was due, the rule or threshold, the results and the target, as JSON with sorted keys.
  var payload = ""

  static let kind: String? = "firing"
  static let table = Table(
    "firing", of: Self.self,
    indexes: [
      "CREATE INDEX firing_of ON firing (patient, task, start_date)",
      "CREATE INDEX firing_by_date ON firing (created_date)",
    ])

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.field("uuid", &uuid, sql: "UNIQUE")
    try visitor.field("type", &type)
    try visitor.id("patient", &patient)
    try visitor.id("task", &task)
    try visitor.instant("start", in: "start_date", &start)
    try visitor.field("ordinal", &ordinal, default: 0)
    try visitor.instant("created", in: "created_date", &created)
    try visitor.instant("undone", in: "undone_date", &undone)
    try visitor.field("payload", &payload, sql: "CHECK (\(Dialect.isJSON("payload")))")
  }

  func checkTogether() throws(StoreError.ExportDamage) { _ = try firing() }

  init() {}

  /// Makes the row of a firing.
  init(_ firing: Firing) throws {
    uuid = try firing.key.derivedID(patient: firing.event.patient)
    type = firing.kind
    patient = firing.event.patient
    task = firing.event.task
    start = firing.event.start.microseconds
    ordinal = firing.event.ordinal
    created = firing.date.microseconds
    undone = firing.undoneDate?.microseconds
    payload = try JSON.text(firing.content)
  }

  /// The firing that it says.
  func firing() throws(StoreError.ExportDamage) -> Firing {
    guard let content = try? JSON.value(FiringContent.self, from: payload),
      (content.rule != nil) == (type == .rule), (content.threshold != nil) == (type == .alert),
      [content.by, content.reason].compactMap(\.self).allSatisfy({
        type == .seen && $0.utf8.count <= Firing.longestName
      })
    else { throw .value(String(payload.prefix(80)), field: "payload") }
    return Firing(
      content, kind: type,
      event: EventKey(
        patient: patient, task: task, start: Date(microseconds: start), ordinal: ordinal),
      date: Date(microseconds: created), undoneDate: undone.map(Date.init(microseconds:)))
  }
}

extension Firing.Key {
  /// The id that every store gives the firing, for a patient of this id.
  func derivedID(patient: String) throws -> UUID {
    struct Condition: Encodable {
      var rule: Rule?
      var threshold: Threshold?
      var ordinal: Int
      var number: Int?
    }
    let condition = Condition(
      rule: rule, threshold: threshold, ordinal: event.ordinal, number: number > 0 ? number : nil)
    return .derived(
      type: "firing " + kind.rawValue, patient: patient, id: event.task, parents: [],
      effectiveDate: event.start, payload: try JSON.text(condition))
  }
}

// MARK: - Reading

extension SQLTransaction {
  func firings(_ query: FiringQuery) throws -> [StoredFiring] {
    try reading {
      var conditions: [String] = []
      var arguments: [(any Argument)?] = []
      func narrow(_ condition: String, _ value: (any Argument)?) {
        guard let value else { return }
        conditions.append(condition)
        arguments.append(value)
      }
      narrow("patient = ?", query.patient)
      narrow("task = ?", query.task)
      narrow("start_date >= ?", query.eventsFrom?.microseconds)
      narrow("created_date >= ?", query.from?.microseconds)
      narrow("created_date < ?", query.to?.microseconds)
      if let kinds = query.kinds {
        let names = kinds.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        conditions.append("type IN (\(names))")
      }
      let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      let limit = query.limit.map { "LIMIT \(max(0, $0))" } ?? ""
      return try rows(
        """
        SELECT * FROM firing \(filter)
        ORDER BY created_date DESC, start_date DESC, uuid DESC \(limit)
        """, Arguments(arguments), read: StoredFiring.init
      ).reversed()
    }
  }

  /// The firing of that id.
  private func firing(_ id: UUID) throws -> StoredFiring? {
    try rows(
      "SELECT * FROM firing WHERE uuid = ?", [id.uuidString], read: StoredFiring.init
    ).first
  }
}

extension StoredFiring {
  fileprivate init(_ row: Row) throws {
    let exported = try FiringRow(reading: row)
    self.init(
      id: exported.uuid, number: try row.required("number"), firing: try exported.firing())
  }
}

// MARK: - Changing

extension SQLTransaction {
  func record(
    _ firing: Firing, making task: PlannedTask?, now: Date
  ) throws -> StoredFiring? {
    try changing {
      try requirePatient(firing.event.patient)
      let id = try firing.key.derivedID(patient: firing.event.patient)
      guard try self.firing(id) == nil, try !isRecorded(firing.key) else { return nil }
      var firing = firing
      if let task, let change = firing.target {
        firing.target?.version = try insert(
          task, effectiveDate: change.effectiveDate, now: now)
      }
      try insertRow(FiringRow(firing))
      return try self.firing(id)
    }
  }

  /// The first firing that changed the same task's target after `stored`, and holds; `nil` if none.
  private func laterTarget(than stored: StoredFiring) throws -> Int64? {
    guard stored.firing.target != nil else { return nil }
    let event = stored.firing.event
    return try firings(FiringQuery(patient: event.patient, task: event.task, kinds: [.rule]))
      .filter { later in
        later.number > stored.number && later.firing.target != nil
          && later.firing.undoneDate == nil
      }.map(\.number).min()
  }

  /// Whether a firing was recorded under another id that its patient had.
  private func isRecorded(_ key: Firing.Key) throws -> Bool {
    guard try aliases().ids(of: key.event.patient).count > 1 else { return false }
    return try firings(
      FiringQuery(
        patient: key.event.patient, task: key.event.task, kinds: [key.kind],
        eventsFrom: key.event.start)
    ).contains { $0.firing.key == key }
  }

  /// Stores the version of a task that a rule makes: every store names it alike.
  private func insert(
    _ task: PlannedTask, effectiveDate: Date, now: Date
  ) throws -> UUID {
    let reference = TaskReference(patient: task.patient, task: task.id)
    let graph = try graph(of: .task(reference))
    guard !graph.versions.isEmpty, !graph.isDeleted else {
      throw StoreError.unknown(.task(reference))
    }
    let payload = try JSON.text(task)
    let version = VersionRow(
      uuid: .derived(
        type: ThingKind.task.rawValue, patient: task.patient, id: task.id,
        parents: graph.tips.map(\.uuid), effectiveDate: effectiveDate, payload: payload),
      of: .task(reference), effectiveDate: effectiveDate,
      createdDate: graph.nextCreatedDate(now), payload: payload)
    try checkOutcomesStay(after: version, in: graph, isEnding: false)
    try insert(version, after: graph.tips)
    return version.uuid
  }

  /// Stores a row, unless there is one of this id.
  func insertRow(_ firing: FiringRow) throws {
    try requireStorable(firing.patient, firing.task)
    try store(firing, in: FiringRow.table, onConflict: "ON CONFLICT DO NOTHING")
  }

  func undoFiring(_ id: UUID, now: Date) throws -> StoredFiring {
    try changing {
      guard let stored = try firing(id) else { throw StoreError.unknown(.firing(id)) }
      guard stored.firing.kind == .rule else {
        throw StoreError.refused(.nothingToUndo(stored.firing.kind))
      }
      if let date = stored.firing.undoneDate {
        throw StoreError.refused(.firingUndone(date, timeZone: try planTimeZone() ?? .gmt))
      }
      if let later = try laterTarget(than: stored) {
        throw StoreError.refused(.laterFiring(later))
      }
      if let change = stored.firing.target, let version = change.version {
        try withdraw([version], at: now)
        try checkOutcomesStay(
          of: TaskReference(
            patient: stored.firing.event.patient, task: stored.firing.event.task),
          from: change.effectiveDate)
      }
      try execute(
        "UPDATE firing SET undone_date = ?, stored = ? WHERE uuid = ?",
        [now.microseconds, try nextStored(), id.uuidString])
      return try firing(id) ?? stored
    }
  }
}

// MARK: - Merging

extension FiringRow {
  /// Merges two rows of one firing: the one that was recorded first, with the first time that it
  /// was taken back.
  func merged(with other: FiringRow) -> FiringRow {
    var first = (created, payload) <= (other.created, other.payload) ? self : other
    first.undone = [undone, other.undone].compactMap(\.self).min()
    return first
  }
}

extension MergeRun {
  mutating func take(_ arriving: FiringRow) throws {
    var firing = arriving
    firing.patient = aliases.current(firing.patient)
    guard !erasures.covers(firing.patient) else {
      report.dropped += 1
      return
    }
    if isWhole { try require(ownID: arriving.hasOwnID(aliases), arriving.uuid) }
    let stored = try transaction.rows(
      "SELECT * FROM firing WHERE uuid = ?", [firing.uuid.uuidString],
      read: FiringRow.init(reading:)
    ).first
    guard let stored else {
      try transaction.insertRow(firing)
      report.firings += 1
      return
    }
    let merged = stored.merged(with: firing)
    guard merged != stored else { return }
    try transaction.execute(
      "UPDATE firing SET created_date = ?, undone_date = ?, payload = ?, stored = ? WHERE uuid = ?",
      [
        merged.created, merged.undone, merged.payload, try transaction.nextStored(),
        merged.uuid.uuidString,
      ])
    report.firings += 1
  }
}
