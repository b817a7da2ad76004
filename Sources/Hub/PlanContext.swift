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
  /// The zone that device clocks keep; UTC before the first plan.
  var timeZone: TimeZone
  /// The tasks that samples complete.
  var linkedTasks: [TaskHistory]

  /// Reads the plan's part of a store; `patient` narrows it to one person.
  init(_ reader: any StoreReader, patient: String?) throws {
    revision = try reader.planRevision()
    patients = try reader.patients().filter { patient == nil || $0.id == patient }
    bindings = try reader.deviceBindings()
    timeZone = try reader.planTimeZone() ?? .gmt
    let tasks = try reader.taskVersions(patient: patient)
    linkedTasks = EventExpansion.histories(of: tasks)
      .filter { $0.versions.contains { $0.linkage != nil } }
  }

  /// Who decides whose a reading is.
  var attribution: Attribution { Attribution(patients: patients, bindings: bindings) }
}
