import Care
import Foundation

// MARK: - Reading

extension SQLTransaction {
  func things<Thing: PlanThing>(
    _ type: Thing.Type, patient: String?, isDeleted: Bool
  ) throws -> [Thing] {
    try reading {
      try graphs(of: Thing.kind.rawValue, patient: patient)
        .filter { $0.isDeleted == isDeleted }
        .compactMap { try $0.newestLive?.thing(Thing.self) }
    }
  }

  func conflicts() throws -> [PlanConflict] {
    try reading {
      try ThingKind.allCases.flatMap { kind in
        try graphs(of: kind.rawValue).compactMap { graph in
          guard let shown = graph.shown, graph.tips.count > 1 else { return nil }
          // Stores that say the same have nothing to settle.
          guard graph.tips.contains(where: { !$0.saysTheSame(as: shown) }) else { return nil }
          return PlanConflict(
            thing: ThingReference(kind, patient: shown.patient, id: shown.id),
            shown: try conflictVersion(shown, shown: shown),
            others: try graph.tips.dropLast().reversed().map {
              try conflictVersion($0, shown: shown)
            })
        }
      }
    }
  }

  private func conflictVersion(
    _ version: VersionRow, shown: VersionRow
  ) throws -> PlanConflict.Version {
    let (own, other) = (try version.fields, try shown.fields)
    let differing = try Set(own.keys).union(other.keys).filter { key in
      try Self.text(of: own[key]) != Self.text(of: other[key])
    }
    let isOwn = try row(
      "SELECT 1 FROM version WHERE uuid = ? AND writer = (SELECT writer FROM store)",
      [version.uuid.uuidString])
    return PlanConflict.Version(
      id: version.uuid, createdDate: version.createdDate, effectiveDate: version.effectiveDate,
      title: version.title(fields: own), isImported: version.isImported,
      isEnded: version.isEnded, isDeleted: version.deletedDate != nil, isOwn: isOwn != nil,
      differences: differing.sorted())
  }

  /// A part of a version's content as text that is the same for the same content.
  private static func text(of value: Any?) throws -> Data? {
    try value.map { try JSONSerialization.data(withJSONObject: [$0], options: .sortedKeys) }
  }
}

extension VersionRow {
  /// The content by its keys.
  fileprivate var fields: [String: Any] {
    get throws {
      try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// The title, or the name of a person.
  fileprivate func title(fields: [String: Any]) -> String? {
    if let title = fields["title"] as? String { return title }
    let name = fields["name"] as? [String: String]
    let parts = [name?["given"], name?["family"]].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}

extension VersionRow {
  /// Whether two versions differ in nothing but their names and dates of making.
  fileprivate func saysTheSame(as other: VersionRow) -> Bool {
    payload == other.payload && isEnded == other.isEnded
      && (deletedDate == nil) == (other.deletedDate == nil)
      && (isImported && other.isImported || effectiveDate == other.effectiveDate
        || type != ThingKind.task.rawValue)
  }
}

// MARK: - Changing

extension SQLTransaction {
  func put<Thing: PlanThing>(_ thing: Thing, now: Date) throws -> Bool {
    try changing {
      if Thing.kind != .patient, !thing.owner.isEmpty { try requirePatient(thing.owner) }
      return try store(thing, now: now, isImported: false) != nil
    }
  }

  /// Stores a next version of `thing`, unless it is the same as the current one.
  ///
  /// - Returns: The id of the new version.
  func store<Thing: PlanThing>(
    _ thing: Thing, now: Date, isImported: Bool, isDerived: Bool = false
  ) throws -> UUID? {
    let reference = ThingReference(Thing.kind, patient: thing.owner, id: thing.id)
    let graph = try graph(of: reference)
    if Thing.kind == .patient {
      try requireNotErased(thing.id)
      guard try aliases().current(thing.id) == thing.id else {
        throw StoreError.refused(.takenPatient(thing.id))
      }
    }
    if let patient = thing as? Patient { try require(patient.amountFlaw, of: patient.id) }
    let payload = try JSON.text(thing)
    if let shown = graph.shown, !graph.isDeleted, try shown.says(thing, payload: payload) {
      return nil
    }
    let parents = graph.tips
    let uuid =
      isImported || isDerived
      ? UUID.derived(
        type: reference.kind.rawValue, patient: reference.patient, id: reference.id,
        parents: parents.map(\.uuid), effectiveDate: nil, payload: payload) : makeUUID()
    var version = VersionRow(
      uuid: uuid, of: reference, effectiveDate: now,
      createdDate: graph.nextCreatedDate(now), payload: payload)
    version.isImported = isImported
    try insert(version, after: parents)
    return uuid
  }

  func addVersion(of task: PlannedTask, effectiveDate: Date, now: Date) throws -> CareTask {
    try changing {
      let reference = TaskReference(patient: task.patient, task: task.id)
      let graph = try liveGraph(of: reference)
      return try insert(task, effectiveDate: effectiveDate, after: graph, now: now)
    }
  }

  func endTask(_ task: TaskReference, at date: Date, now: Date) throws -> CareTask {
    try changing {
      let graph = try liveGraph(of: task)
      guard let history = try plan().history(of: task), let current = history.current(at: date)
      else { throw StoreError.unknown(.task(task)) }
      return try insert(
        current.planned, effectiveDate: date, after: graph, now: now, closesLater: true,
        isEnded: true)
    }
  }

  /// The versions of a task that is not deleted.
  private func liveGraph(of task: TaskReference) throws -> VersionGraph {
    let graph = try graph(of: .task(task))
    guard !graph.versions.isEmpty, !graph.isDeleted else {
      throw StoreError.unknown(.task(task))
    }
    return graph
  }

  /// Refuses a number that nothing can be.
  func require(_ flaw: AmountFlaw?, of owner: String) throws(StoreError) {
    if let flaw { throw .refused(.amount(flaw, of: owner)) }
  }

  /// Stores a version of a task that a person makes.
  private func insert(
    _ task: PlannedTask, effectiveDate: Date, after graph: VersionGraph, now: Date,
    closesLater: Bool = false, isEnded: Bool = false
  ) throws -> CareTask {
    try require(task.amountFlaw(), of: task.id)
    var version = VersionRow(
      uuid: makeUUID(), of: ThingReference(.task, patient: task.patient, id: task.id),
      effectiveDate: effectiveDate, createdDate: graph.nextCreatedDate(now),
      payload: try JSON.text(task))
    version.closesLater = closesLater
    version.isEnded = isEnded
    try checkOutcomesStay(after: version, in: graph, isEnding: isEnded)
    try insert(version, after: graph.tips)
    return try CareTask(version)
  }

  func delete(_ thing: ThingReference, now: Date) throws {
    try changing {
      let graph = try graph(of: thing)
      guard let shown = graph.shown, !graph.isDeleted else {
        throw StoreError.unknown(.thing(thing))
      }
      let version = VersionRow(
        uuid: makeUUID(), of: thing, effectiveDate: shown.effectiveDate,
        createdDate: graph.nextCreatedDate(now), deletedDate: now, payload: shown.payload)
      try insert(version, after: graph.tips)
    }
  }

  func revive(_ thing: ThingReference, at date: Date, now: Date) throws {
    try changing {
      let graph = try graph(of: thing)
      guard let last = graph.newestLive else { throw StoreError.unknown(.thing(thing)) }
      guard graph.isDeleted || last.isEnded else { throw StoreError.refused(.notDeleted(thing)) }
      if thing.kind != .patient, !thing.patient.isEmpty { try requirePatient(thing.patient) }
      var version = VersionRow(
        uuid: makeUUID(), of: thing, effectiveDate: last.effectiveDate,
        createdDate: graph.nextCreatedDate(now), payload: last.payload)
      if graph.isDeleted {
        // The history is as it was before the deletion, an end included.
        version.isEnded = last.isEnded
        version.closesLater = last.closesLater
      } else {
        version.effectiveDate = date
        version.closesLater = true
      }
      try insert(version, after: graph.tips)
    }
  }

  func settle(_ thing: ThingReference, version chosen: UUID?, now: Date) throws {
    try changing {
      let graph = try graph(of: thing)
      guard let shown = graph.shown, graph.tips.count > 1 else {
        throw StoreError.refused(.noConflict(thing))
      }
      guard let tip = graph.tips.first(where: { $0.uuid == chosen ?? shown.uuid }) else {
        throw StoreError.unknown(.taskVersion(chosen ?? shown.uuid))
      }
      // Every store that settles the same conflict alike makes the same version.
      var version = VersionRow(
        uuid: .derived(
          type: tip.type, patient: tip.patient, id: tip.id,
          parents: graph.tips.map(\.uuid), effectiveDate: tip.effectiveDate,
          payload: tip.payload, isDeleted: tip.deletedDate != nil, isEnded: tip.isEnded),
        of: thing, effectiveDate: tip.effectiveDate,
        createdDate: shown.createdDate.addingMicrosecond, deletedDate: tip.deletedDate,
        payload: tip.payload)
      version.isEnded = tip.isEnded
      // The versions that it was preferred to never take effect after it.
      version.closesLater = tip.closesLater || tip.uuid != shown.uuid
      if thing.kind == .task, tip.uuid != shown.uuid, tip.deletedDate == nil {
        try checkOutcomesStay(after: version, in: graph, isEnding: version.isEnded)
      }
      try insert(version, after: graph.tips)
    }
  }

  func renamePatient(_ id: String, to newID: String, now: Date) throws {
    try changing {
      try requirePatient(id)
      let aliases = try aliases()
      let isOwn = aliases.ids(of: id).contains(newID)
      let isTaken = try row("SELECT 1 FROM version WHERE patient = ?", [newID]) != nil
      guard id != newID, !isTaken, isOwn || aliases.ids(of: newID).count == 1 else {
        throw StoreError.refused(.takenPatient(newID))
      }
      guard !newID.isEmpty else { throw StoreError.refused(.emptyID) }
      try requireStorable(newID)
      try requireNotErased(newID)
      // The latest change holds, also if the clock was set back.
      let date = max(now.microseconds, (aliases.lastChange(of: id) ?? .min / 2) + 1)
      try store(AliasRow(old: id, date: date, new: newID), in: AliasRow.table)
      try moveRows(of: id, to: newID)
    }
  }

  /// Gives every row of a patient another patient.
  func moveRows(of id: String, to newID: String) throws {
    state.aliases = nil
    let hasBlocks =
      try row("SELECT 1 FROM block WHERE attributed = ?1 OR patient = ?1", [newID]) != nil
    let things = """
      type IN ('patient', 'task', 'carePlan', 'contact', 'note', 'message') AND patient = ?1
      """
    for (table, condition) in [
      (VersionRow.table, things), (OutcomeRow.table, "patient = ?1"),
      (FiringRow.table, "patient = ?1"), (SampleChangeRow.table, "patient = ?1"),
      (SampleMember.table, "attributed = ?1 OR patient = ?1"),
      (Schema.block, "attributed = ?1 OR patient = ?1"),
    ] { try renumber(table, condition, [id]) }
    try execute(
      """
      UPDATE version SET patient = ?2, id = CASE WHEN type = 'patient' THEN ?2 ELSE id END
      WHERE \(things)
      """, [id, newID])
    for statement in [
      "UPDATE outcome SET patient = ?2 WHERE patient = ?1",
      "UPDATE firing SET patient = ?2 WHERE patient = ?1",
      "UPDATE sample SET attributed = ?2 WHERE attributed = ?1",
      "UPDATE sample SET patient = ?2 WHERE patient = ?1",
      "UPDATE sample_change SET patient = ?2 WHERE patient = ?1",
      "UPDATE block SET attributed = ?2 WHERE attributed = ?1",
      "UPDATE block SET patient = ?2 WHERE patient = ?1",
      "UPDATE device_binding SET patient = ?2 WHERE patient = ?1",
      "UPDATE replaced_binding SET patient = ?2 WHERE patient = ?1",
      "UPDATE presence SET patient = ?2 WHERE patient = ?1",
      "UPDATE calendar_link SET patient = ?2 WHERE patient = ?1",
    ] { try execute(statement, [id, newID]) }
    try renameMessages(of: id, to: newID)
    try renameReceipts(of: id, to: newID)
    state.changes = [:]
    // Samples of one hour under two ids belong into the same blocks.
    if hasBlocks { try changeHours(attributedTo: newID, ownedBy: newID) { _ in } }
    for order in try graph(type: "order", patient: "", id: "plan").versions {
      let tasks = try order.decode([TaskReference].self)
      guard tasks.contains(where: { $0.patient == id }) else { continue }
      let moved = tasks.map { task in
        TaskReference(patient: task.patient == id ? newID : task.patient, task: task.task)
      }
      try execute(
        "UPDATE version SET payload = ?, stored = ? WHERE uuid = ?",
        [try JSON.text(moved), try nextStored(), order.uuid.uuidString])
    }
    try planChanged()
  }

  func unbind(_ device: DeviceID, now: Date) throws {
    try changing {
      try noteReplacement(of: device)
      let count = try db.changes {
        try execute(
          "DELETE FROM device_binding WHERE \(Dialect.isSpelt("address"))", [device.text])
      }
      state.hasRemovedSecrets = true
      guard count > 0 else {
        throw StoreError.unknown(.binding(device))
      }
      try planChanged()
    }
  }
}

extension VersionRow {
  /// Whether it says `thing`.
  fileprivate func says<Thing: PlanThing>(_ thing: Thing, payload: String) throws -> Bool {
    if self.payload == payload { return true }
    return try self.thing(Thing.self) == JSON.value(Thing.self, from: payload)
  }
}

extension VersionGraph {
  /// When a version that is made now was made: always after the versions that it follows, also if
  /// the clock was set back.
  func nextCreatedDate(_ now: Date) -> Date {
    guard let last = versions.last?.createdDate, last >= now else { return now }
    return last.addingMicrosecond
  }
}

extension Date {
  /// A microsecond later.
  var addingMicrosecond: Date { Date(microseconds: microseconds &+ 1) }
}
