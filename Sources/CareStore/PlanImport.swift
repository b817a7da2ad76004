import Care
import Digests
import Foundation

extension SQLTransaction {
  func importPlan(
    _ plan: PlanDocument, options: PlanImportOptions, now: Date
  ) throws -> PlanImportReport {
    try changing {
      try checkIDs(of: plan)
      guard !plan.isPart || !options.prunes else { throw StoreError.refused(.partPrunes) }
      let plan = try withKnownTopics(withCurrentNames(plan))
      var run = PlanImportRun(transaction: self, plan: plan, options: options, now: now)
      try run.importAll()
      return PlanImportReport(lines: run.lines)
    }
  }

  /// The plan with the topics that the store has, for what stands for them in a plan that was exported.
  private func withKnownTopics(_ plan: PlanDocument) throws -> PlanDocument {
    let named = plan.patients.flatMap(\.channels) + plan.contacts.flatMap(\.channels)
    guard named.contains(where: \.isStandIn) else { return plan }
    let kept = try patients().flatMap(\.channels) + things(Contact.self).flatMap(\.channels)
    // Where an export was imported, the store may have what stands for a topic, too, and no topic.
    let topics = Dictionary(
      kept.map { ($0.withoutTopic, $0) },
      uniquingKeysWith: { first, second in first.isStandIn ? second : first })
    func known(_ channel: Channel) throws -> Channel {
      guard channel.isStandIn else { return channel }
      guard let found = topics[channel] else {
        throw StoreError.refused(.unknownTopic(channel.text))
      }
      return found
    }
    var plan = plan
    for index in plan.patients.indices {
      plan.patients[index].channels = try plan.patients[index].channels.map(known)
    }
    for index in plan.contacts.indices {
      plan.contacts[index].channels = try plan.contacts[index].channels.map(known)
    }
    for index in plan.channelSecrets.indices {
      plan.channelSecrets[index].channel = try known(plan.channelSecrets[index].channel)
    }
    return plan
  }

  /// The plan with the ids that its patients were given since it was written.
  private func withCurrentNames(_ plan: PlanDocument) throws -> PlanDocument {
    var names: [String: String] = [:]
    for id in plan.isPart ? plan.tasks.map(\.patient) : plan.patients.map(\.id) {
      let name = try aliases().current(id)
      if name != id { names[id] = name }
    }
    guard !names.isEmpty else { return plan }
    func current(_ id: String) -> String { names[id] ?? id }
    // Of whom the plan tells, a name is a contact's first.
    let contacts = Set(plan.contacts.map(\.id))
    func current(_ rules: [NotifyRule]) -> [NotifyRule] {
      rules.map { rule in
        var rule = rule
        rule.to = rule.to.map { contacts.contains($0) ? $0 : current($0) }
        return rule
      }
    }
    var plan = plan
    for index in plan.patients.indices {
      plan.patients[index].id = current(plan.patients[index].id)
      plan.patients[index].notify = current(plan.patients[index].notify)
    }
    for index in plan.tasks.indices {
      plan.tasks[index].patient = current(plan.tasks[index].patient)
      plan.tasks[index].notify = current(plan.tasks[index].notify)
    }
    for index in plan.devices.indices {
      plan.devices[index].patient = plan.devices[index].patient.map(current)
    }
    for index in plan.carePlans.indices {
      plan.carePlans[index].patient = current(plan.carePlans[index].patient)
    }
    for index in plan.contacts.indices {
      plan.contacts[index].patient = plan.contacts[index].patient.map(current)
    }
    for index in plan.notes.indices {
      plan.notes[index].patient = current(plan.notes[index].patient)
    }
    return plan
  }

  /// Refuses a plan that names one thing twice: the store cannot choose.
  private func checkIDs(of plan: PlanDocument) throws(StoreError) {
    if let patient = plan.patients.firstRepeated(by: { $0.id }) {
      throw .refused(.repeatedPatient(patient.id))
    }
    if let task = plan.tasks.firstRepeated(by: { [$0.patient, $0.id] }) {
      throw .refused(.repeatedTask(task.id, patient: task.patient))
    }
    if let device = plan.devices.firstRepeated(by: DeviceSlot.init) {
      throw .refused(.repeatedDevice(device.address))
    }
    let things =
      plan.carePlans.map { ThingReference(.carePlan, patient: $0.owner, id: $0.id) }
      + plan.contacts.map { ThingReference(.contact, patient: $0.owner, id: $0.id) }
      + plan.notes.map { ThingReference(.note, patient: $0.owner, id: $0.id) }
    if let thing = things.firstRepeated(by: { $0 }) { throw .refused(.repeatedThing(thing)) }
  }
}

/// One import, in its transaction.
private struct PlanImportRun {
  let transaction: SQLTransaction
  let plan: PlanDocument
  let options: PlanImportOptions
  let now: Date
  /// The result for each thing.
  var lines: [PlanImportReport.Line] = []
  /// The years 1900 to 9999, as in a schedule.
  private static let effectiveDates =
    Date(timeIntervalSince1970: -2_208_988_800)...Date(timeIntervalSince1970: 253_402_300_799)
  /// The versions that were made.
  private var made: [UUID] = []
  /// The patients that a person deleted since the last import; what is theirs stays hidden.
  private var deletedPatients: Set<String> = []

  init(
    transaction: SQLTransaction, plan: PlanDocument, options: PlanImportOptions, now: Date
  ) {
    self.transaction = transaction
    self.plan = plan
    self.options = options
    self.now = now
  }

  mutating func importAll() throws {
    let zone = try transaction.planTimeZone()
    let bindings = try transaction.deviceBindings()
    let number = try begin(zone: zone)
    transaction.state.record = number
    defer { transaction.state.record = nil }
    try importZone(replacing: zone)
    for patient in plan.patients { try importThing(patient) }
    lines += try transaction.importDevices(
      plan.devices.filter { !deletedPatients.contains($0.patient ?? "") },
      isStrict: options.isStrict)
    for carePlan in plan.carePlans { try importThing(carePlan) }
    for contact in plan.contacts { try importThing(contact) }
    for secret in plan.channelSecrets { try transaction.keep(secret) }
    for note in plan.notes { try importThing(note) }
    for task in plan.tasks { try importTask(task) }
    try importOrder()
    if !plan.isPart { try reportMissing(bindings: bindings) }
    try finish(number, zone: zone)
  }

  // MARK: Its record

  /// Records what the import is about to replace.
  private func begin(zone: TimeZone?) throws -> Int64 {
    let number = try transaction.db.insert(
      "INSERT INTO plan_import (date, content) VALUES (?, '{}')", [now.microseconds])
    try transaction.execute(
      """
      INSERT INTO replaced_binding (import, address, user_index, definition, patient, placement)
        SELECT ?, address, user_index, definition, patient, placement FROM device_binding
      """, [number])
    return number
  }

  private func finish(_ number: Int64, zone: TimeZone?) throws {
    // A part says nothing of devices.
    let digests = plan.isPart ? nil : try plan.devices.digests()
    guard lines.contains(where: { $0.change != .unchanged && $0.change != .missing }) else {
      try transaction.forgetImport(number)
      if let digests { try transaction.keepDigests(digests) }
      return
    }
    var content = ImportedContent(versions: made, zone: zone?.identifier, digests: digests)
    content.isPart = plan.isPart ? true : nil
    content.hasSecrets = transaction.hasChangedSecrets(number) ? true : nil
    try transaction.execute(
      "UPDATE plan_import SET content = ? WHERE number = ?", [try JSON.text(content), number])
    try transaction.planChanged()
  }

  // MARK: Its parts

  private mutating func importZone(replacing zone: TimeZone?) throws {
    // The zone of a part is that of its own times.
    if plan.isPart, zone != nil { return }
    let change: PlanImportReport.Change =
      zone == nil ? .added : zone == plan.timeZone ? .unchanged : .updated
    lines.append(.init(kind: .zone, id: plan.timeZone.identifier, change: change))
    guard change != .unchanged else { return }
    try transaction.setPlanTimeZone(plan.timeZone.identifier, now: now)
  }

  private mutating func importThing<Thing: PlanThing & PlanContent>(_ thing: Thing) throws {
    guard let kind = PlanImportReport.Kind(rawValue: Thing.kind.rawValue) else { return }
    if Thing.kind != .patient, !thing.owner.isEmpty {
      if deletedPatients.contains(thing.owner) {
        lines.append(
          .init(
            kind: kind, patient: thing.owner, id: thing.id, change: .unchanged, kept: .deleted))
        return
      }
      try transaction.requirePatient(thing.owner)
    }
    let reference = ThingReference(Thing.kind, patient: thing.owner, id: thing.id)
    let graph = try transaction.graph(of: reference)
    var line = PlanImportReport.Line(
      kind: kind, patient: thing.owner.isEmpty ? nil : thing.owner, id: thing.id,
      change: .unchanged)
    defer { lines.append(line) }
    // Ignore differences that JSON cannot hold.
    let file = try thing.coded()
    let shown = try graph.isDeleted ? nil : graph.shown?.thing(Thing.self)
    if let base = graph.lastImported, try base.thing(Thing.self) == file {
      // Only a person changed it since.
      if graph.isDeleted {
        line.kept = .deleted
        if Thing.kind == .patient { deletedPatients.insert(thing.id) }
      } else if let shown, shown != file {
        line.kept = .changed
        line.keptKeys = try shown.differences(from: file)
      }
      return
    }
    if shown == file {
      if let version = graph.shown { try transaction.markImported(version) }
      return
    }
    var merged = file
    if let version = graph.shown, !version.isImported {
      let decides = options.personDecides.contains(reference)
      guard let shown else {
        line.contestedKeys = ["deleted"]
        try refuseIfStrict(line, reference)
        guard !decides else {
          line.kept = .deleted
          if Thing.kind == .patient { deletedPatients.insert(thing.id) }
          return
        }
        return try replace(thing, by: file, graph, &line)
      }
      let base = try graph.lastImported?.thing(Thing.self)
      let merge = try PlanMerge(
        base: base, file: file, shown: shown, prefersShown: decides)
      (merged, line.keptKeys, line.contestedKeys) = (merge.merged, merge.kept, merge.contested)
      try refuseIfStrict(line, reference)
    }
    line.changedKeys = try shown.map { try merged.differences(from: $0) } ?? []
    try replace(thing, by: merged, graph, &line)
  }

  /// Stores what the plan says, as the next import's base, and after it what is to hold.
  private mutating func replace<Thing: PlanThing & PlanContent>(
    _ thing: Thing, by merged: Thing, _ graph: VersionGraph, _ line: inout PlanImportReport.Line
  ) throws {
    let isNew = graph.versions.isEmpty
    if let uuid = try transaction.store(thing, now: now, isImported: true) { made.append(uuid) }
    if try merged != thing.coded(),
      let uuid = try transaction.store(merged, now: now, isImported: false, isDerived: true)
    {
      made.append(uuid)
    }
    line.change = isNew ? .added : .updated
  }

  private mutating func importTask(_ task: PlannedTask) throws {
    if deletedPatients.contains(task.patient) {
      lines.append(
        .init(
          kind: .task, patient: task.patient, id: task.id, change: .unchanged, kept: .deleted))
      return
    }
    try transaction.requirePatient(task.patient)
    try transaction.require(task.amountFlaw(), of: task.id)
    guard Self.effectiveDates.contains(task.effectiveDate ?? now) else {
      throw StoreError.refused(.schedule(.dateOutOfRange))
    }
    let reference = TaskReference(patient: task.patient, task: task.id)
    let graph = try transaction.graph(of: .task(reference))
    // Both sides pass through JSON, so that what JSON cannot hold makes no difference.
    let payload = try JSON.text(task)
    var file = try JSON.value(PlannedTask.self, from: payload)
    let shown = try graph.shown.map { try CareTask($0).planned }
    let base = try graph.lastImported.map { try CareTask($0).planned }
    // An exported plan gives the date that the store chose.
    if let date = file.effectiveDate?.microseconds {
      if date == graph.shown?.effectiveDate.microseconds {
        file.effectiveDate = shown?.effectiveDate
      } else if date == graph.lastImported?.effectiveDate.microseconds {
        file.effectiveDate = base?.effectiveDate
      }
    }
    var line = PlanImportReport.Line(
      kind: .task, patient: task.patient, id: task.id, change: .unchanged)
    defer { lines.append(line) }
    if base == file, !isLate(graph, task) {
      if graph.isDeleted {
        line.kept = .deleted
      } else if graph.shown?.isEnded == true {
        line.kept = .ended
      } else if let shown, shown != file {
        line.kept = try isOfRule(graph.shown, task: reference) ? .changedByRule : .changed
        line.keptKeys = try shown.differences(from: file)
      }
      line.version = try number(of: graph.shown, task: reference)
      return
    }
    let isLive = !graph.isDeleted && graph.shown?.isEnded == false
    if isLive, shown == file, !isLate(graph, task) {
      if let version = graph.shown { try transaction.markImported(version) }
      line.version = try number(of: graph.shown, task: reference)
      return
    }
    var merged = file
    if let version = graph.shown, let shown, !version.isImported {
      let decides = options.personDecides.contains(.task(reference))
      if isLive {
        let merge = try PlanMerge(
          base: base, file: file, shown: shown, prefersShown: decides)
        (merged, line.keptKeys, line.contestedKeys) = (merge.merged, merge.kept, merge.contested)
      } else {
        line.contestedKeys = [graph.isDeleted ? "deleted" : "ended"]
      }
      try refuseIfStrict(line, .task(reference))
      guard isLive || !decides else {
        line.kept = graph.isDeleted ? .deleted : .ended
        line.version = try number(of: version, task: reference)
        return
      }
    }
    line.changedKeys = try isLive ? shown.map { try merged.differences(from: $0) } ?? [] : []
    try store(task, payload: payload, merged: merged == file ? nil : merged, graph, &line)
  }

  /// Whether a rule of the plan made a version.
  private func isOfRule(_ version: VersionRow?, task: TaskReference) throws -> Bool {
    guard let version else { return false }
    return try transaction.firings(
      FiringQuery(patient: task.patient, task: task.task, kinds: [.rule])
    ).contains { $0.firing.target?.version == version.uuid }
  }

  /// Stores the version that the plan says, as the next import's base, and after it what a person's
  /// changes make of it.
  private mutating func store(
    _ task: PlannedTask, payload: String, merged: PlannedTask?, _ graph: VersionGraph,
    _ line: inout PlanImportReport.Line
  ) throws {
    let reference = TaskReference(patient: task.patient, task: task.id)
    let isNew = graph.versions.isEmpty
    let firstStart = task.schedule.occurrence(at: 0)?.start ?? task.schedule.startDate
    var version = VersionRow(
      uuid: .derived(
        type: ThingKind.task.rawValue, patient: task.patient, id: task.id,
        parents: graph.tips.map(\.uuid), effectiveDate: task.effectiveDate, payload: payload),
      of: .task(reference),
      effectiveDate: try task.effectiveDate
        ?? (isNew ? firstStart : beginning(of: merged ?? task, graph)),
      createdDate: graph.nextCreatedDate(now), payload: payload)
    if !isNew {
      line.begins = version.effectiveDate
      line.beginsLater = task.effectiveDate == nil && version.effectiveDate > now
    }
    version.isImported = true
    version.closesLater = true
    var versions = [version]
    if let merged {
      let payload = try JSON.text(merged)
      // A person's change counts from when it was made on.
      let date = max(version.effectiveDate, graph.shown?.effectiveDate ?? version.effectiveDate)
      var next = VersionRow(
        uuid: .derived(
          type: ThingKind.task.rawValue, patient: task.patient, id: task.id,
          parents: [version.uuid], effectiveDate: merged.effectiveDate, payload: payload),
        of: .task(reference), effectiveDate: date,
        createdDate: version.createdDate.addingMicrosecond, payload: payload)
      next.closesLater = true
      versions.append(next)
    }
    if !graph.isDeleted {
      line.closed = try closed(by: version, in: graph).filter { date in
        !versions.dropFirst().contains { $0.effectiveDate == date }
      }
      try transaction.checkOutcomesStay(
        after: version, in: graph, and: Array(versions.dropFirst()), isEnding: false,
        dropsOutcomes: options.dropsOutcomes, now: now)
    }
    var parents = graph.tips
    for version in versions {
      try transaction.insert(version, after: parents)
      made.append(version.uuid)
      parents = [version]
    }
    line.change = isNew ? .added : .updated
    line.version = try number(of: versions.last, task: reference)
  }

  /// When a version begins for which the plan gives no date.
  private func beginning(of task: PlannedTask, _ graph: VersionGraph) throws -> Date {
    // A new schedule that is to start today starts today.
    if let shown = try graph.shown.map({ try CareTask($0).schedule.startDate }),
      let zone = task.schedule.elements.first?.timeZone
    {
      let day = task.schedule.startDate.localDay(in: zone)
      if day == now.localDay(in: zone), day != shown.localDay(in: zone) { return now }
    }
    return try transaction.beginning(of: task.schedule, after: graph, now: now)
  }

  /// Whether the shown version takes effect later only because the machine's clock was ahead when
  /// it was imported: the plan gives no date.
  private func isLate(_ graph: VersionGraph, _ task: PlannedTask) -> Bool {
    guard options.isLive, task.effectiveDate == nil, let shown = graph.shown, shown.isImported,
      graph.versions.first?.uuid != shown.uuid
    else { return false }
    return now < shown.effectiveDate && now < shown.createdDate
  }

  /// The effective dates of versions that were to take effect later.
  private func closed(by version: VersionRow, in graph: VersionGraph) throws -> [Date] {
    let new = try CareTask(version)
    let live = try SQLTransaction.history(graph)?.versions ?? []
    return live.filter { old in
      new.effectiveDate < old.effectiveDate && !live.contains(where: { $0.closes(old) })
    }.map(\.effectiveDate).sorted()
  }

  private func number(of version: VersionRow?, task: TaskReference) throws -> Int? {
    try SQLTransaction.history(transaction.graph(of: .task(task)))?.versions
      .firstIndex { $0.uuid == version?.uuid }.map { $0 + 1 }
  }

  /// Refuses what both the plan and a person changed since the last import, if that is asked for.
  private func refuseIfStrict(_ line: PlanImportReport.Line, _ thing: ThingReference) throws {
    guard options.isStrict, !line.contestedKeys.isEmpty else { return }
    throw StoreError.refused(.changedByHand(thing))
  }

  private mutating func importOrder() throws {
    var tasks = plan.tasks.map { TaskReference(patient: $0.patient, task: $0.id) }
    if plan.isPart {
      // Its new tasks follow those that have a place.
      let placed = try transaction.planOrder()
      let new = tasks.filter { !placed.contains($0) }
      guard !new.isEmpty else { return }
      tasks = placed + new
    }
    let graph = try transaction.graph(type: "order", patient: "", id: "plan")
    // The order as it is, as an export writes it, or as it was imported before a person added a
    // task.
    let imported = try graph.lastImported?.decode([TaskReference].self)
    let current = try transaction.planOrder()
    guard tasks != current, tasks != imported || graph.shown?.isImported == true,
      try !Set(tasks).isSubset(of: current) || tasks != transaction.exportedOrder()
    else { return }
    let payload = try JSON.text(tasks)
    var version = VersionRow(
      uuid: .derived(
        type: "order", patient: "", id: "plan", parents: graph.tips.map(\.uuid),
        effectiveDate: nil, payload: payload), type: "order", patient: "", id: "plan",
      effectiveDate: now, createdDate: graph.nextCreatedDate(now), payload: payload)
    version.isImported = true
    try transaction.insert(version, after: graph.tips)
    made.append(version.uuid)
    lines.append(
      .init(kind: .order, id: "tasks", change: graph.versions.isEmpty ? .added : .updated))
  }

  // MARK: Things that the plan no longer holds

  private mutating func reportMissing(bindings: [DeviceBinding]) throws {
    let people = Set(plan.patients.map(\.id))
    for patient in try transaction.patients() where !people.contains(patient.id) {
      lines.append(.init(kind: .patient, patient: patient.id, id: patient.id, change: .missing))
    }
    let slots = Set(plan.devices.map(DeviceSlot.init))
    let devices = Set(plan.devices.map(\.address))
    for binding in bindings where !slots.contains(DeviceSlot(binding)) {
      // The slots of a device that the plan names are the plan's.
      guard !devices.contains(binding.address) else { continue }
      if options.prunes {
        try transaction.execute(
          "DELETE FROM device_binding WHERE \(Dialect.isSpelt("address"))", [binding.address.text])
      }
      lines.append(
        .init(
          kind: .device, patient: binding.patient, id: binding.address.text,
          change: options.prunes ? .removed : .missing))
    }
    for calibration in try transaction.calibrations()
    where !devices.contains(calibration.address) {
      lines.append(.init(kind: .calibration, id: calibration.address.text, change: .missing))
    }
    try reportMissingThings(CarePlan.self, plan.carePlans, .carePlan)
    try reportMissingThings(Contact.self, plan.contacts, .contact)
    try reportMissingThings(Note.self, plan.notes, .note)
    try reportMissingTasks()
  }

  private mutating func reportMissingThings<Thing: PlanThing>(
    _ type: Thing.Type, _ planned: [Thing], _ kind: PlanImportReport.Kind
  ) throws {
    let ids = Set(planned.map { [$0.owner, $0.id] })
    for graph in try transaction.graphs(of: Thing.kind.rawValue) where !graph.isDeleted {
      // Things that a person wrote were never the plan's.
      guard graph.lastImported != nil, let shown = graph.shown,
        !ids.contains([shown.patient, shown.id])
      else { continue }
      lines.append(
        .init(
          kind: kind, patient: shown.patient.isEmpty ? nil : shown.patient, id: shown.id,
          change: .missing))
    }
  }

  private mutating func reportMissingTasks() throws {
    let planned = Set(plan.tasks.map { TaskReference(patient: $0.patient, task: $0.id) })
    for history in try transaction.plan().histories {
      guard let current = history.current(at: now), !current.isEnded else { continue }
      let reference = TaskReference(patient: current.patient, task: current.id)
      guard !planned.contains(reference),
        current.schedule.endDate.map({ $0 > now }) ?? true
      else { continue }
      var line = PlanImportReport.Line(
        kind: .task, patient: current.patient, id: current.id, change: .missing)
      if options.prunes {
        try end(current, reference)
        line.change = .removed
      }
      lines.append(line)
    }
  }

  private mutating func end(_ task: CareTask, _ reference: TaskReference) throws {
    let graph = try transaction.graph(of: .task(reference))
    let payload = try JSON.text(task.planned)
    var version = VersionRow(
      uuid: .derived(
        type: ThingKind.task.rawValue, patient: task.patient, id: task.id,
        parents: graph.tips.map(\.uuid), effectiveDate: nil, payload: payload, isEnded: true),
      of: .task(reference), effectiveDate: now, createdDate: graph.nextCreatedDate(now),
      payload: payload)
    version.isEnded = true
    version.closesLater = true
    try transaction.checkOutcomesStay(
      after: version, in: graph, isEnding: true, dropsOutcomes: options.dropsOutcomes, now: now)
    try transaction.insert(version, after: graph.tips)
    made.append(version.uuid)
  }
}

extension VersionGraph {
  /// The newest version that a plan made.
  var lastImported: VersionRow? {
    versions.last { $0.isImported && $0.deletedDate == nil }
  }
}

extension Date {
  /// The first instant of its local day.
  fileprivate func localDay(in timeZone: TimeZone) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.startOfDay(for: self)
  }
}

extension PlanThing {
  /// The thing as it comes back from JSON, so that what JSON cannot hold makes no difference.
  fileprivate func coded() throws -> Self {
    try JSON.value(Self.self, from: JSON.text(self))
  }
}

extension Sequence {
  /// The first element whose key an earlier one has.
  fileprivate func firstRepeated<Key: Hashable>(by key: (Element) -> Key) -> Element? {
    var seen: Set<Key> = []
    return first { !seen.insert(key($0)).inserted }
  }
}
