import Care
import Foundation

/// The part of the plan that the hub needs to read devices and to assign readings.
struct PlanSnapshot: Sendable {
  /// The revision of the plan.
  var revision: Int64
  /// The patients whose readings are stored.
  var patients: [Patient]
  /// All patients of the plan, who may weigh on the same scale.
  var everyone: [Patient]
  /// Their devices.
  var bindings: [DeviceBinding]
  /// The calibrations of accelerometers.
  var calibrations: [SensorCalibration]
  /// The zone of device clocks; UTC before the first plan.
  var timeZone: TimeZone
  /// The linked tasks, by patient and id, so that reports have one order.
  var linkedTasks: [TaskHistory]

  /// Reads the plan of a store; only the part of `patient` unless that is `nil`.
  init(_ reader: any StoreReader, patient: String?) throws {
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
  func isBound(_ device: DeviceIdentity) -> Bool {
    bindings.contains { $0.patient != nil && $0.address == device.address }
  }

  /// The rule that assigns readings.
  var attribution: ReadingAttribution {
    ReadingAttribution(patients: patients, bindings: bindings)
  }
}
