import Care
import Foundation

/// What the hub needs to know of the plan to read devices and to place what they measure.
struct PlanContext: Sendable {
  /// The people.
  var patients: [Patient]
  /// Their devices.
  var bindings: [DeviceBinding]
  /// The zone that device clocks keep; UTC before the first plan.
  var timeZone: TimeZone

  /// Reads the plan's part of a store; `patient` narrows it to one person.
  init(_ reader: any StoreReader, patient: String?) throws {
    patients = try reader.patients().filter { patient == nil || $0.id == patient }
    bindings = try reader.deviceBindings()
    timeZone = try reader.planTimeZone() ?? .gmt
  }

  /// Who decides whose a reading is.
  var attribution: Attribution { Attribution(patients: patients, bindings: bindings) }
}
