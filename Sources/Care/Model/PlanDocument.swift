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

/// A task as a plan file describes it: a version without the identity that the store gives.
public struct PlannedTask: Hashable, Sendable {
  /// The task's id.
  public var id: String
  /// Whose task it is.
  public var patient: String
  /// What it asks.
  public var kind: TaskKind
  /// What people read first.
  public var title: String
  /// How to do it.
  public var instructions: String?
  /// When it is due.
  public var schedule: Schedule
  /// What completes it by itself.
  public var linkage: Linkage?
  /// The measurement that a person performs for it.
  public var activeTask: ActiveTask?
  /// Whether it may be left out.
  public var isOptional: Bool
  /// Whether an assessment's result may be taken again.
  public var isResettable: Bool
  /// From when on it holds; `nil` for the schedule's start at first, the moment of import later.
  public var effectiveDate: Date?

  /// Makes a planned task.
  public init(
    id: String, patient: String, kind: TaskKind = .task, title: String,
    instructions: String? = nil, schedule: Schedule, linkage: Linkage? = nil,
    activeTask: ActiveTask? = nil, isOptional: Bool = false, isResettable: Bool = false,
    effectiveDate: Date? = nil
  ) {
    self.id = id
    self.patient = patient
    self.kind = kind
    self.title = title
    self.instructions = instructions
    self.schedule = schedule
    self.linkage = linkage
    self.activeTask = activeTask
    self.isOptional = isOptional
    self.isResettable = isResettable
    self.effectiveDate = effectiveDate
  }
}
