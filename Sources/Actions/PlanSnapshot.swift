package import Care
package import Foundation

/// The part of the plan by which devices are read and readings are assigned.
package struct PlanSnapshot: Sendable {
  /// The revision of the plan.
  package var revision: Int64
  /// The patients whose readings are stored.
  package var patients: [Patient]
  /// All patients of the plan, who may weigh on the same scale.
  package var everyone: [Patient]
  /// Their devices.
  package var bindings: [DeviceBinding]
  /// The calibrations of accelerometers.
  package var calibrations: [SensorCalibration]
  /// The zone of device clocks; UTC before the first plan.
  package var timeZone: TimeZone
  /// The linked tasks, by patient and id, so that reports have one order.
  package var linkedTasks: [TaskHistory]

  /// Reads the plan of a store; only the part of `patient` unless that is `nil`.
  package init(_ reader: any StoreReader, patient: String?) throws {
    revision = try reader.planRevision()
    everyone = try reader.patients()
    patients = everyone.filter { patient == nil || $0.id == patient }
    bindings = try reader.deviceBindings()
    calibrations = try reader.calibrations()
    timeZone = try reader.planTimeZone() ?? .gmt
    let tasks = try reader.taskVersions(patient: patient)
    linkedTasks = EventExpansion.histories(of: tasks)
      .filter { $0.versions.contains { $0.linkage != nil } }
      .sorted { Self.name(of: $0) < Self.name(of: $1) }
  }

  private static func name(of history: TaskHistory) -> (String, String) {
    history.versions.first.map { ($0.patient, $0.id) } ?? ("", "")
  }

  /// Whether the plan binds the device to a patient.
  package func isBound(_ device: DeviceIdentity) -> Bool {
    bindings.contains { $0.patient != nil && $0.address == device.address }
  }
}

extension [DeviceBinding] {
  /// The patient to whom the reading's user slot is bound, and whether any slot of its device is.
  package func slot(of reading: Reading) -> (patient: String?, isBound: Bool) {
    guard let slot = reading.userIndex else { return (nil, false) }
    let bound = filter { $0.address == reading.device.address && $0.userIndex != nil }
    return (bound.first { $0.userIndex == slot }?.patient, !bound.isEmpty)
  }

  /// The patient to whom alone the reading's device is bound as a whole.
  package func onlyPatient(of reading: Reading) -> String? {
    let owners = Set(
      filter { $0.address == reading.device.address && $0.userIndex == nil }.compactMap(\.patient))
    return owners.count == 1 ? owners.first : nil
  }
}
