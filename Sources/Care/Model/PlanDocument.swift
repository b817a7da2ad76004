public import Foundation

/// A whole plan as a file gives it: patients, tasks and devices, in one time zone.
public struct PlanDocument: Hashable, Sendable {
  /// The plan's zone: times without an offset, and device clocks, are read in it.
  public var timeZone: TimeZone
  /// The people.
  public var patients: [Patient]
  /// Their tasks.
  public var tasks: [PlannedTask]
  /// Their devices.
  public var devices: [DeviceBinding]

  /// Makes a plan.
  public init(
    timeZone: TimeZone, patients: [Patient], tasks: [PlannedTask], devices: [DeviceBinding] = []
  ) {
    self.timeZone = timeZone
    self.patients = patients
    self.tasks = tasks
    self.devices = devices
  }
}
