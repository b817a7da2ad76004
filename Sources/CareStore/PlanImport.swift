import Care
import Foundation
import GRDB

// MARK: - Reading the plan

extension SQLTransaction {
  func planRevision() throws -> Int64 {
    try reading { try row("SELECT plan_revision FROM store")?.optional("plan_revision") ?? 0 }
  }

  func planTimeZone() throws -> TimeZone? {
    try reading {
      try row("SELECT plan_time_zone FROM store")?
        .optionalParsed("plan_time_zone", TimeZone.init(identifier:))
    }
  }

  func patients() throws -> [Patient] {
    try reading {
      let versions = try liveVersions(of: .patient, patient: nil)
      return try Set(versions.map(\.id)).sorted().compactMap { id in
        try tips(of: .patient, patient: id, id: id).last?.decode(Patient.self)
      }
    }
  }

  /// Refuses an id that no patient has.
  func requirePatient(_ id: String) throws {
    let known = try patients().map(\.id)
    guard known.contains(id) else { throw StoreError.unknown(.patient(id, known: known)) }
  }

  /// Makes readers that cache the plan read it again.
  func raisePlanRevision() throws {
    try execute("UPDATE store SET plan_revision = plan_revision + 1")
  }
}

// MARK: - Importing a plan

extension SQLTransaction {
  func importPlan(_ plan: PlanDocument, now: Date) throws -> [PlanImportResult] {
    try changing {
      try checkIDs(of: plan)
      let changesBefore = db.totalChangesCount
      try execute(
        "UPDATE store SET plan_time_zone = ?1 WHERE plan_time_zone IS NOT ?1",
        [plan.timeZone.identifier])
      for patient in plan.patients { try importPatient(patient, now: now) }
      try importDevices(plan.devices)
      let results = try plan.tasks.map { task in
        try requirePatient(task.patient)
        return PlanImportResult(
          patient: task.patient, task: task.id, change: try importTask(task, now: now))
      }
      if db.totalChangesCount != changesBefore { try raisePlanRevision() }
      return results
    }
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
  }

  private func importPatient(_ patient: Patient, now: Date) throws {
    let tips = try tips(of: .patient, patient: patient.id, id: patient.id)
    if let tip = tips.last, tips.count == 1, tip.deletedDate == nil,
      try tip.decode(Patient.self) == patient
    {
      return
    }
    try insert(
      VersionRow(
        uuid: makeUUID(), type: .patient, patient: patient.id, id: patient.id, effectiveDate: now,
        createdDate: now, payload: patient), after: tips)
  }

  private func importTask(
    _ task: PlannedTask, now: Date
  ) throws -> PlanImportResult.Change {
    let tips = try tips(of: .task, patient: task.patient, id: task.id)
    guard let newest = tips.last else {
      try insert(task, effectiveDate: task.effectiveDate ?? task.schedule.startDate, now, after: [])
      return .added
    }
    guard tips.allSatisfy({ $0.deletedDate == nil }) else {
      throw StoreError.refused(.deletedTask(task.id, patient: task.patient))
    }
    // Both sides pass through JSON, so that what JSON cannot hold makes no difference.
    let stored = try JSON.value(PlannedTask.self, from: JSON.text(task))
    if tips.count == 1, try newest.decode(PlannedTask.self) == stored { return .unchanged }
    // A change to a task that has not begun is effective from its beginning: if it were effective
    // earlier, the version that begins later would outrank it permanently.
    let effectiveDate = task.effectiveDate ?? max(now, newest.effectiveDate)
    try checkOutcomesStay(task, effectiveDate: effectiveDate)
    try insert(task, effectiveDate: effectiveDate, now, after: tips)
    let versions = try liveVersions(of: .task, patient: task.patient).count { $0.id == task.id }
    return .updated(version: versions)
  }

  private func insert(
    _ task: PlannedTask, effectiveDate: Date, _ now: Date, after tips: [VersionRow]
  ) throws {
    try insert(
      VersionRow(
        uuid: makeUUID(), type: .task, patient: task.patient, id: task.id,
        effectiveDate: effectiveDate, createdDate: now, payload: task), after: tips)
  }

  /// Refuses a version that would hide an outcome: it begins earlier than the outcome's event and
  /// would take the event over.
  private func checkOutcomesStay(_ task: PlannedTask, effectiveDate: Date) throws {
    let latest = try latestOutcomeStart(patient: task.patient, task: task.id)
    guard let latest, effectiveDate <= latest else { return }
    throw StoreError.refused(
      .hiddenOutcome(
        task: task.id, patient: task.patient, start: latest, effectiveDate: effectiveDate,
        timeZone: task.schedule.elements.first?.timeZone ?? .gmt))
  }
}

extension Sequence {
  /// The first element whose key an earlier one has.
  fileprivate func firstRepeated<Key: Hashable>(by key: (Element) -> Key) -> Element? {
    var seen: Set<Key> = []
    return first { !seen.insert(key($0)).inserted }
  }
}
