public import Foundation

/// What came of an event.
public struct Outcome: Hashable, Sendable {
  /// This version's own id.
  public var uuid: UUID
  /// The version of the task that the event belongs to.
  public var taskUUID: UUID
  /// The event's index in the task's schedule.
  public var occurrence: Int
  /// The event's start, copied when the outcome was made.
  public var start: Date
  /// The event's end, copied when the outcome was made.
  public var end: Date
  /// What was measured or entered, in order.
  public var values: [OutcomeValue]
  /// When it was made.
  public var createdDate: Date

  /// Makes an outcome.
  public init(
    uuid: UUID, taskUUID: UUID, occurrence: Int, start: Date, end: Date, values: [OutcomeValue],
    createdDate: Date
  ) {
    self.uuid = uuid
    self.taskUUID = taskUUID
    self.occurrence = occurrence
    self.start = start
    self.end = end
    self.values = values
    self.createdDate = createdDate
  }
}

/// One value of an outcome.
public struct OutcomeValue: Hashable, Sendable {
  /// The value itself.
  public var value: Value
  /// The unit, for a number.
  public var unit: UnitOfMeasure?
  /// Which of a measurement's values it is: `range`, `finish`, `pain`.
  public var kind: String?
  /// When it was measured or entered: a sample's own time.
  public var time: Date
  /// How it came to be known.
  public var provenance: Provenance

  /// Makes a value.
  public init(
    value: Value, unit: UnitOfMeasure? = nil, kind: String? = nil, time: Date,
    provenance: Provenance
  ) {
    self.value = value
    self.unit = unit
    self.kind = kind
    self.time = time
    self.provenance = provenance
  }
}

/// A value of one of the types that an outcome can hold.
public enum Value: Hashable, Sendable {
  case integer(Int64)
  case double(Double)
  case boolean(Bool)
  case text(String)
  case binary([UInt8])
  case date(Date)
}

/// What an event should reach.
public struct TargetValue: Hashable, Sendable, Codable {
  /// The value to reach.
  public var value: Value
  /// The unit, for a number.
  public var unit: UnitOfMeasure?
  /// Compared only with values of this kind, where given.
  public var kind: String?

  /// Makes a target.
  public init(value: Value, unit: UnitOfMeasure? = nil, kind: String? = nil) {
    self.value = value
    self.unit = unit
    self.kind = kind
  }
}
