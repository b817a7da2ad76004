import Care
import Foundation

/// What the hub needs to know of the plan to read devices and to place what they measure.
struct PlanContext: Sendable {
  /// Which state of the plan this is.
  var revision: Int64
  /// The people.
  var patients: [Patient]
  /// Their devices.
  var bindings: [DeviceBinding]
  /// What each sensor's accelerometer reads wrong, by address.
  var calibrations: [SensorCalibration]
  /// The zone that device clocks keep; UTC before the first plan.
  var timeZone: TimeZone
  /// The tasks that samples complete, by patient and id, so that news always comes in one order.
  var linkedTasks: [TaskHistory]

  /// Reads the plan's part of a store; `patient` narrows it to one person.
  init(_ reader: any StoreReader, patient: String?) throws {
    revision = try reader.planRevision()
    patients = try reader.patients().filter { patient == nil || $0.id == patient }
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

  /// Whether the plan gives the device to somebody.
  func isBound(_ device: DeviceIdentity) -> Bool {
    bindings.contains { $0.patient != nil && $0.address == device.address }
  }

  /// Who decides whose a reading is.
  var attribution: Attribution { Attribution(patients: patients, bindings: bindings) }
}
