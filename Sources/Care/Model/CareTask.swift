public import Foundation

/// What a task asks of a person.
public enum TaskKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// Something to do.
  case task
  /// Something to measure or answer; its result can be replaced only if the task is resettable.
  case assessment
  /// Something to read; it takes no outcome.
  case readOnly
}

/// A task as a plan describes it: what a person should do, when, and what completes it.
public struct PlannedTask: Hashable, Sendable {
  /// The task's id, the same for every version and unique within a patient.
  public var id: String
  /// The id of the patient whose task it is.
  public var patient: String
  /// What it asks.
  public var kind: TaskKind
  /// The task's name for people.
  public var title: String
  /// How to do it.
  public var instructions: String?
  /// When it is due.
  public var schedule: Schedule
  /// The samples that complete it.
  public var linkage: Linkage?
  /// The measurement that a person performs for it.
  public var activeTask: ActiveTask?
  /// Whether it may be left out: it then does not count in the day's fraction.
  public var isOptional: Bool
  /// Whether an assessment's result may be replaced.
  public var isResettable: Bool
  /// When the plan says that it takes effect; `nil` for the schedule's start in its first version
  /// and the moment of import in later ones.
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

/// One version of a task in a patient's care plan.
///
/// A task is never changed in place: an update is a new version with its own ``uuid``, effective
/// from its ``effectiveDate`` on. What the task asks is in ``planned``, and its members are members
/// of the version, too: `task.title` is `task.planned.title`.
@dynamicMemberLookup
public struct CareTask: Hashable, Sendable {
  /// This version's own id.
  public var uuid: UUID
  /// The task as the plan describes it.
  public var planned: PlannedTask
  /// When this version takes effect.
  public var effectiveDate: Date
  /// When this version was made.
  public var createdDate: Date

  /// Makes a version of a task.
  public init(uuid: UUID, planned: PlannedTask, effectiveDate: Date, createdDate: Date) {
    self.uuid = uuid
    self.planned = planned
    self.effectiveDate = effectiveDate
    self.createdDate = createdDate
  }

  /// A member of ``planned``.
  public subscript<Member>(dynamicMember member: WritableKeyPath<PlannedTask, Member>) -> Member {
    get { planned[keyPath: member] }
    set { planned[keyPath: member] = newValue }
  }
}

// MARK: - Coding

extension PlannedTask: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, kind, title, instructions, schedule, linkage, activeTask
    case isOptional = "optional"
    case isResettable = "resettable"
    case effectiveDate
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      kind: try container.decode(TaskKind.self, forKey: .kind),
      title: try container.decode(String.self, forKey: .title),
      instructions: try container.decodeIfPresent(String.self, forKey: .instructions),
      schedule: try container.decode(Schedule.self, forKey: .schedule),
      linkage: try container.decodeIfPresent(Linkage.self, forKey: .linkage),
      activeTask: try container.decodeIfPresent(ActiveTask.self, forKey: .activeTask),
      isOptional: try container.decode(Bool.self, forKey: .isOptional),
      isResettable: try container.decode(Bool.self, forKey: .isResettable),
      effectiveDate: try container.decodeIfPresent(CodedTime.self, forKey: .effectiveDate)?.date)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encode(kind, forKey: .kind)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(instructions, forKey: .instructions)
    try container.encode(schedule, forKey: .schedule)
    try container.encodeIfPresent(linkage, forKey: .linkage)
    try container.encodeIfPresent(activeTask, forKey: .activeTask)
    try container.encode(isOptional, forKey: .isOptional)
    try container.encode(isResettable, forKey: .isResettable)
    try container.encodeIfPresent(effectiveDate.map(CodedTime.init), forKey: .effectiveDate)
  }
}
