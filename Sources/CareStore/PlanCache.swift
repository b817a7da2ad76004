import Care
import Foundation
import Synchronization

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
