/// A kind of thing that a store keeps versions of.
public enum ThingKind: String, Hashable, Sendable, CaseIterable, Codable {
  case patient, task, carePlan, contact, note, message, consent
}

/// Something in a plan that is stored in versions: a patient, a contact, a note.
///
/// Tasks have a type of their own, ``CareTask``, since several of their versions are in use.
public protocol PlanThing: Codable, Hashable, Sendable {
  /// Which kind it is.
  static var kind: ThingKind { get }
  /// Its id, unique within its kind and patient.
  var id: String { get set }
  /// Whose it is; a patient is their own.
  var owner: String { get set }
}

extension Patient: PlanThing {
  public static var kind: ThingKind { .patient }

  /// The patient's own id.
  public var owner: String {
    get { id }
    set { id = newValue }
  }
}

extension CarePlan: PlanThing {
  public static var kind: ThingKind { .carePlan }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension Note: PlanThing {
  public static var kind: ThingKind { .note }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension Message: PlanThing {
  public static var kind: ThingKind { .message }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension ConsentAnswer: PlanThing {
  public static var kind: ThingKind { .consent }

  /// The patient's id.
  public var owner: String {
    get { patient }
    set { patient = newValue }
  }
}

extension Contact: PlanThing {
  public static var kind: ThingKind { .contact }

  /// The patient's id; empty for a contact of every patient.
  public var owner: String {
    get { patient ?? "" }
    set { patient = newValue.isEmpty ? nil : newValue }
  }
}

/// Identifies a thing of a plan.
public struct ThingReference: Hashable, Sendable {
  /// Which kind it is.
  public var kind: ThingKind
  /// Whose it is; a patient is their own.
  public var patient: String
  /// Its id.
  public var id: String

  /// Makes a reference.
  public init(_ kind: ThingKind, patient: String, id: String) {
    self.kind = kind
    self.patient = patient
    self.id = id
  }

  /// The reference of a patient.
  public static func patient(_ id: String) -> ThingReference {
    ThingReference(.patient, patient: id, id: id)
  }

  /// The reference of a task.
  public static func task(_ task: TaskReference) -> ThingReference {
    ThingReference(.task, patient: task.patient, id: task.task)
  }
}
