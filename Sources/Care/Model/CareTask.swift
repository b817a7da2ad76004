public import Foundation

/// What a task asks of a person.
public enum TaskKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// Something to do.
  case task
  /// Something to measure or answer; its result can be taken again only where the task allows it.
  case assessment
  /// Something to read; it takes no outcome.
  case readOnly
}

/// One version of a task in somebody's care plan.
///
/// A task is never changed in place: an update is a new version with its own `uuid` that is
/// effective from its `effectiveDate` on.
public struct CareTask: Hashable, Sendable {
  /// This version's own id.
  public var uuid: UUID
  /// The task's id, the same for every version and unique within a patient.
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
  /// Whether it may be left out: it then does not count in the day's fraction.
  public var isOptional: Bool
  /// Whether an assessment's result may be taken again.
  public var isResettable: Bool
  /// From when on this version speaks for the task.
  public var effectiveDate: Date
  /// When this version was made.
  public var createdDate: Date

  /// Makes a version of a task.
  public init(
    uuid: UUID, id: String, patient: String, kind: TaskKind = .task, title: String,
    instructions: String? = nil, schedule: Schedule, linkage: Linkage? = nil,
    activeTask: ActiveTask? = nil, isOptional: Bool = false, isResettable: Bool = false,
    effectiveDate: Date, createdDate: Date
  ) {
    self.uuid = uuid
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
    self.createdDate = createdDate
  }
}
