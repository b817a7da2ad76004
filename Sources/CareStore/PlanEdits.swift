package import Care
import Digests
package import Foundation

/// The record so far of the edit of the plan that is being made.
struct PlanEditRecord {
  let number: Int64
  var versions: [UUID] = []
  var devices: Set<DeviceID> = []
}

// MARK: - Making edits

extension SQLTransaction {
  func editPlan(now: Date, _ body: (any StoreWriter) throws -> Void) throws -> Int64? {
    try changing {
      // An edit within an edit is part of it.
      if let edit = state.edit {
        try body(self)
        return edit.number
      }
      let number = try db.insert(
        "INSERT INTO plan_import (date, content) VALUES (?, '{\"versions\":[]}')",
        [now.microseconds])
      state.edit = PlanEditRecord(number: number)
      state.record = state.edit?.number
      defer { (state.edit, state.record) = (nil, nil) }
      try body(self)
      guard let edit = state.edit else { return nil }
      guard !edit.versions.isEmpty || !edit.devices.isEmpty else {
        try forgetImport(edit.number)
        return nil
      }
      var content = ImportedContent(
        versions: edit.versions, zone: try planTimeZone()?.identifier, isEdit: true,
        devices: edit.devices.isEmpty ? nil : edit.devices.map(\.text).sorted())
      content.hasSecrets = hasChangedSecrets(edit.number) ? true : nil
      try execute(
        "UPDATE plan_import SET content = ? WHERE number = ?",
        [try JSON.text(content), edit.number])
      return edit.number
    }
  }

  /// Deletes the record of an import or edit that changed nothing.
  func forgetImport(_ number: Int64) throws {
    try execute("DELETE FROM replaced_binding WHERE import = ?", [number])
    try execute("DELETE FROM plan_import WHERE number = ?", [number])
  }

  func put(_ task: PlannedTask, now: Date) throws -> CareTask {
    try changing {
      try requirePatient(task.patient)
      try require(task.amountFlaw(), of: task.id)
      let reference = TaskReference(patient: task.patient, task: task.id)
      let graph = try graph(of: .task(reference))
      if !graph.isDeleted, let shown = graph.shown, !shown.isEnded {
        let current = try CareTask(shown)
        if current.planned == task { return current }
      }
      let isNew = graph.versions.isEmpty
      let first = task.schedule.occurrence(at: 0)?.start ?? task.schedule.startDate
      var version = VersionRow(
        uuid: makeUUID(), of: .task(reference),
        effectiveDate: isNew
          ? task.effectiveDate ?? first : try beginning(of: task.schedule, after: graph, now: now),
        createdDate: graph.nextCreatedDate(now), payload: try JSON.text(task))
      version.closesLater = true
      if !graph.isDeleted { try checkOutcomesStay(after: version, in: graph, isEnding: false) }
      try insert(version, after: graph.tips)
      try addToOrder(reference, now: now)
      return try CareTask(version)
    }
  }

  /// When a task's next version begins that is made now.
  func beginning(of schedule: Schedule, after graph: VersionGraph, now: Date) throws -> Date {
    guard !graph.isDeleted, let history = try Self.history(graph) else { return now }
    return try history.beginning(of: schedule, madeAt: now) { event in
      try linked(event.with(storedOutcome(of: event, in: history))).outcome != nil
    }
  }

  /// Gives a task the last place in the plan's order, unless it has one.
  private func addToOrder(_ task: TaskReference, now: Date) throws {
    let graph = try graph(type: "order", patient: "", id: "plan")
    let order = try graph.shown?.decode([TaskReference].self) ?? []
    guard !order.contains(task) else { return }
    let version = VersionRow(
      uuid: makeUUID(), type: "order", patient: "", id: "plan", effectiveDate: now,
      createdDate: graph.nextCreatedDate(now), payload: try JSON.text(order + [task]))
    try insert(version, after: graph.tips)
  }

  func bind(_ binding: DeviceBinding, now: Date) throws {
    try changing {
      let bindings = try deviceBindings()
      let current = bindings.first { DeviceSlot($0) == DeviceSlot(binding) }
      var binding = binding
      // The device's key may be known by another slot.
      if binding.key == nil
        || bindings.contains(where: { $0.address == binding.address && $0.key == binding.key })
      {
        binding.key = current?.key
      }
      binding.consentCode = binding.consentCode ?? current?.consentCode
      guard binding != current else { return }
      try noteReplacement(of: binding.address)
      try execute(
        """
        DELETE FROM device_binding
        WHERE \(Dialect.isSpelt("address")) AND \(Dialect.isSame("user_index"))
        """,
        [binding.address.text, binding.userIndex])
      try insert(binding)
      try planChanged()
    }
  }

  /// Keeps the bindings of a device before an edit changes them.
  func noteReplacement(of device: DeviceID) throws {
    guard let edit = state.edit, !edit.devices.contains(device) else { return }
    state.edit?.devices.insert(device)
    try execute(
      """
      INSERT INTO replaced_binding (import, address, user_index, definition, patient, placement)
        SELECT ?, address, user_index, definition, patient, placement
        FROM device_binding WHERE \(Dialect.isSpelt("address"))
      """, [edit.number, device.text])
  }

  /// The tasks in the order in which an export writes them.
  func exportedOrder() throws -> [TaskReference] {
    let places = Dictionary(
      try planOrder().enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    return try plan().histories(patient: nil).compactMap(\.versions.last).filter { !$0.isEnded }
      .map { TaskReference(patient: $0.patient, task: $0.id) }
      .sorted { (places[$0] ?? .max, $0.task) < (places[$1] ?? .max, $1.task) }
  }
}

// MARK: - History

extension SQLTransaction {
  func planEdits(limit: Int) throws -> [PlanEdit] {
    try reading {
      var later = Later()
      return try rows("SELECT * FROM plan_import ORDER BY number DESC LIMIT ?", [limit]) { row in
        try planEdit(row, after: &later)
      }
    }
  }

  func undoEdit(_ number: Int64, now: Date) throws -> PlanImportReport {
    try changing {
      var later = Later()
      let edits = try rows(
        "SELECT * FROM plan_import WHERE number >= ? ORDER BY number DESC", [number]
      ) { row in try planEdit(row, after: &later) }
      guard let edit = edits.last, edit.number == number, !edit.isUndone else {
        throw StoreError.refused(.noImport)
      }
      let record = try row("SELECT * FROM plan_import WHERE number = ?", [number])
      guard edit.isUndoable, let record else { throw StoreError.refused(.laterEdit) }
      return try takeBack(record, now: now)
    }
  }

  /// The things and devices that the edits after one changed, without edits taken back.
  private struct Later {
    var hasAny = false
    var hasImport = false
    var things: Set<ThingReference> = []
    var devices: Set<DeviceID> = []
  }

  private func planEdit(_ row: Row, after later: inout Later) throws -> PlanEdit {
    let number: Int64 = try row.required("number")
    let content = try importedContent(row, number: number)
    let versions = try content.versions.compactMap { uuid in
      try self.row(
        """
        SELECT *, NOT EXISTS (SELECT 1 FROM version_edge WHERE next = version.uuid) AS is_root
        FROM version WHERE uuid = ?
        """, [uuid.uuidString]
      ).map { (version: try VersionRow(reading: $0), isRoot: try $0.required("is_root") as Bool) }
    }
    var seen: Set<ThingReference> = []
    let things = versions.compactMap { version, isRoot -> PlanEdit.Thing? in
      guard let kind = ThingKind(rawValue: version.type) else { return nil }
      let reference = ThingReference(kind, patient: version.patient, id: version.id)
      // A version that merges two sides follows that of the file.
      guard seen.insert(reference).inserted else { return nil }
      let change: PlanEdit.Thing.Change =
        version.deletedDate != nil
        ? .deleted : version.isEnded ? .ended : isRoot ? .added : .changed
      let isLater =
        kind == .task && change == .changed && version.effectiveDate > version.createdDate
      return PlanEdit.Thing(
        reference: reference, title: version.plainTitle, change: change,
        begins: isLater ? version.effectiveDate : nil)
    }
    var edit = PlanEdit(
      number: number, date: try row.date("date"), isImport: content.isEdit != true,
      isUndone: try row.required("is_undone"), things: things,
      devices: (content.devices ?? []).map { DeviceID($0) })
    guard !edit.isUndone else { return edit }
    edit.isUndoable =
      edit.isImport
      ? !later.hasAny
      : later.things.isDisjoint(with: seen) && later.devices.isDisjoint(with: edit.devices)
        && (edit.devices.isEmpty || !later.hasImport)
    later.hasAny = true
    later.hasImport = later.hasImport || edit.isImport
    later.things.formUnion(seen)
    later.devices.formUnion(edit.devices)
    return edit
  }
}

extension VersionRow {
  /// The title of a task, or the name of a person.
  fileprivate var plainTitle: String? {
    struct Titled: Decodable {
      var title: String?
      var name: PersonName?
    }
    guard let titled = try? decode(Titled.self) else { return nil }
    let parts = [titled.name?.given, titled.name?.family].compactMap(\.self)
    return titled.title ?? (parts.isEmpty ? nil : parts.joined(separator: " "))
  }
}

// MARK: - Devices in two hands

extension SQLTransaction {
  /// The devices that a person bound or unbound since the last import, and what that import said.
  func deviceEdits() throws -> (devices: Set<DeviceID>, digests: [String: String]) {
    var devices: Set<DeviceID> = []
    let contents = try rows(
      "SELECT * FROM plan_import WHERE is_undone = 0 ORDER BY number DESC"
    ) { row in try row.text("content") }
    for text in contents {
      // The record of the import that asks is still empty.
      guard let content = try? JSON.value(ImportedContent.self, from: text) else { continue }
      guard content.isPart != true else { continue }
      guard content.isEdit == true else { return (devices, content.digests ?? [:]) }
      devices.formUnion((content.devices ?? []).map { DeviceID($0) })
    }
    return (devices, [:])
  }

  /// Keeps what an import that changed nothing says of the devices.
  func keepDigests(_ digests: [String: String]) throws {
    let last = try row(
      """
      SELECT * FROM plan_import
      WHERE is_undone = 0 AND \(Dialect.isNotTrue("content", "isEdit"))
        AND \(Dialect.isNotTrue("content", "isPart"))
      ORDER BY number DESC LIMIT 1
      """)
    guard let last else { return }
    let number: Int64 = try last.required("number")
    var content = try importedContent(last, number: number)
    guard content.digests != digests else { return }
    content.digests = digests
    try execute(
      "UPDATE plan_import SET content = ? WHERE number = ?", [try JSON.text(content), number])
  }
}

extension [DeviceBinding] {
  /// Returns the digest of the bindings of each device, without secrets, by address.
  func digests() throws -> [String: String] {
    try Dictionary(grouping: self, by: \.address.text).mapValues { bindings in
      let text = try bindings.map(JSON.text).sorted().joined(separator: "\n")
      return SHA256.digest(of: text.utf8.map { $0 }).prefix(16).map { $0 }.hexString
    }
  }
}

// MARK: - Preview

extension SQLStore {
  /// Previews an import in a transaction that is rolled back.
  package func preview(
    _ plan: PlanDocument, options: PlanImportOptions, now: Date
  ) async throws -> PlanImportReport {
    do {
      return try await write { writer in
        throw Preview(report: try writer.importPlan(plan, options: options, now: now))
      }
    } catch let preview as Preview {
      return preview.report
    }
  }

  /// Ends a transaction without its changes.
  private struct Preview: Error {
    var report: PlanImportReport
  }
}

// MARK: - Plan merge

/// A thing as a plan file, a person and the last import describe it, merged key by key.
///
/// The keys are those of a plan. A key that only one side changed since the base has that side's
/// value. A key that both changed differently has the file's, unless the person's is preferred.
struct PlanMerge<Thing: PlanContent> {
  /// The thing as it is to be.
  let merged: Thing
  /// The keys that only the person changed, sorted.
  let kept: [String]
  /// The keys that both changed to different values, sorted.
  let contested: [String]

  /// Merges; without a base, whatever differs was changed by both.
  init(base: Thing?, file: Thing, shown: Thing, prefersShown: Bool) throws {
    let (old, new, own) = (try base?.fields(), try file.fields(), try shown.fields())
    var merged = new
    var kept: [String] = []
    var contested: [String] = []
    for key in Set(new.keys).union(own.keys).sorted() where own[key] != new[key] {
      if let old, own[key] == old[key] { continue }
      let isContested = old.map { new[key] != $0[key] } ?? true
      if isContested { contested.append(key) } else { kept.append(key) }
      if !isContested || prefersShown { merged[key] = own[key] }
    }
    self.merged = try Thing(fields: merged)
    self.kept = kept
    self.contested = contested
  }
}

/// A thing of a plan that is merged by its keys.
protocol PlanContent: Codable, Hashable {}

extension Patient: PlanContent {}
extension Contact: PlanContent {}
extension CarePlan: PlanContent {}
extension Note: PlanContent {}
extension PlannedTask: PlanContent {}

extension PlanContent {
  /// The values by key.
  fileprivate func fields() throws -> [String: PlanValue] {
    var fields = try JSON.value([String: PlanValue].self, from: JSON.text(self))
    // One linkage and several are the same key.
    if let single = fields.removeValue(forKey: "linkage") { fields["linkages"] = .list([single]) }
    return fields
  }

  fileprivate init(fields: [String: PlanValue]) throws {
    self = try JSON.value(Self.self, from: JSON.text(fields))
  }

  /// The keys in which it differs from another one, sorted.
  func differences(from other: Self) throws -> [String] {
    let (own, others) = (try fields(), try other.fields())
    return Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.sorted()
  }
}

/// A value of JSON.
private enum PlanValue: Hashable, Codable {
  case null
  case flag(Bool)
  case whole(Int64)
  case number(Double)
  case text(String)
  case list([PlanValue])
  case fields([String: PlanValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .flag(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .whole(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([PlanValue].self) {
      self = .list(value)
    } else {
      self = .fields(try container.decode([String: PlanValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let value): try container.encode(value)
    case .whole(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .fields(let value): try container.encode(value)
    }
  }
}
