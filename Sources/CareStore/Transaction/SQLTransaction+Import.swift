import Care
import Foundation
import GRDB

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
      if db.totalChangesCount != changesBefore {
        try execute("UPDATE store SET plan_revision = plan_revision + 1")
      }
      return results
    }
  }

  /// A plan that names one thing twice is wrong, and it is not for the store to choose.
  private func checkIDs(of plan: PlanDocument) throws(StoreError) {
    if let id = firstRepeated(plan.patients.map(\.id)) {
      throw .refused("The plan has the patient ‘\(id)’ twice. Keep one.")
    }
    if let task = firstRepeated(plan.tasks.map { [$0.patient, $0.id] }) {
      throw .refused(
        "The plan has the task ‘\(task[1])’ of ‘\(task[0])’ twice. Give one another id.")
    }
    if let slot = firstRepeated(plan.devices.map(DeviceSlot.init)) {
      throw .refused(
        "The plan binds the device ‘\(slot.device)’ twice. Keep one, or add userIndex.")
    }
  }

  private func firstRepeated<Key: Hashable>(_ keys: [Key]) -> Key? {
    var seen: Set<Key> = []
    return keys.first { !seen.insert($0).inserted }
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

  /// Makes the bindings of the addresses that a plan names what the plan says, and leaves those of
  /// other devices.
  ///
  /// A plan that was exported says nothing of keys and consent codes: what is stored of them stays.
  private func importDevices(_ planned: [DeviceBinding]) throws {
    let current = Set(try deviceBindings())
    let bindings = planned.map { binding in
      var binding = binding
      let known = current.filter { $0.address == binding.address }
      if !planned.contains(where: { $0.address == binding.address && $0.key != nil }) {
        binding.key = known.first { $0.userIndex == binding.userIndex }?.key
      }
      binding.consentCode =
        binding.consentCode ?? known.first { $0.userIndex == binding.userIndex }?.consentCode
      return binding
    }
    let addresses = Set(bindings.map(\.address))
    guard current.filter({ addresses.contains($0.address) }) != Set(bindings) else { return }
    for address in addresses {
      try execute("DELETE FROM device_binding WHERE address = ? COLLATE NOCASE", [address.text])
    }
    for binding in bindings {
      try requireStorable(binding.address.text, binding.definition, binding.patient)
      if let patient = binding.patient { try requirePatient(patient) }
      try execute(
        """
        INSERT INTO device_binding
          (address, user_index, definition, patient, placement, key, consent_code)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          binding.address.text, binding.userIndex, binding.definition, binding.patient,
          try binding.placement.map(JSON.text), binding.key.map { Data($0.revealed) },
          binding.consentCode?.revealed,
        ])
    }
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
      throw StoreError.refused(
        "The task ‘\(task.id)’ of ‘\(task.patient)’ was deleted, and its id stays taken so that its "
          + "history stays its own. Give the new task another id.")
    }
    // Both sides pass through JSON, so that what it cannot keep makes no difference.
    let kept = try JSON.value(PlannedTask.self, from: JSON.text(task))
    if tips.count == 1, try newest.decode(PlannedTask.self) == kept { return .unchanged }
    // A change to a task that has not begun holds from its beginning: earlier than that it would
    // never come to speak, since the version that begins later outranks it.
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
}

/// A user slot of a device, or the whole device.
private struct DeviceSlot: Hashable {
  let device: DeviceID
  let userIndex: Int?

  init(_ binding: DeviceBinding) {
    device = binding.address
    userIndex = binding.userIndex
  }
}
