public import Foundation

/// The result of an event: what was measured, entered or answered.
public struct Outcome: Hashable, Sendable {
  /// This version's own id.
  public var uuid: UUID
  /// The event that it is the outcome of.
  public var key: EventKey
  /// The event's end, copied when the outcome was made.
  public var end: Date
  /// The version of the task that owned the event when the outcome was made.
  public var taskUUID: UUID
  /// The event's index in that version's schedule.
  public var occurrence: Int
  /// The measured or entered values, in order.
  public var values: [OutcomeValue]
  /// When it was made.
  public var createdDate: Date
  /// The person's answer beside the values.
  public var answer: Answer

  /// Makes an outcome.
  public init(
    uuid: UUID, key: EventKey, end: Date, taskUUID: UUID, occurrence: Int, values: [OutcomeValue],
    createdDate: Date, answer: Answer = .done
  ) {
    self.uuid = uuid
    self.key = key
    self.end = end
    self.taskUUID = taskUUID
    self.occurrence = occurrence
    self.values = values
    self.createdDate = createdDate
    self.answer = answer
  }

  /// The event's start.
  public var start: Date { key.start }
}

extension Outcome {
  /// Makes the outcome of `event`.
  public init(
    uuid: UUID, event: Event, values: [OutcomeValue], createdDate: Date, answer: Answer = .done
  ) {
    self.init(
      uuid: uuid, key: event.key, end: event.occurrence.end, taskUUID: event.task.uuid,
      occurrence: event.occurrence.index, values: values, createdDate: createdDate, answer: answer)
  }
}

/// One of the answers that an event had, or that there was none from then on.
public struct AnswerVersion: Hashable, Sendable {
  /// The answer; `nil` for one that was taken back.
  public var outcome: Outcome?
  /// When it was given or taken back.
  public var date: Date

  /// Makes a version.
  public init(outcome: Outcome?, date: Date) {
    self.outcome = outcome
    self.date = date
  }
}

/// A person's answer for an event: done, not done, or skipped, and why.
///
/// Codable as `{"state":"notDone","reason":"…","at":"…"}`; reason and time only if given.
public struct Answer: Hashable, Sendable {
  /// Whether an event was done.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    case done
    /// It was due, and was not done.
    case notDone
    /// There was a reason to leave it out: it is no part of adherence.
    case skipped
  }

  /// Whether it was done.
  public var state: State
  /// Why not, or any remark.
  public var reason: String?
  /// When the person says that it was done; `nil` for the time at which the outcome was made.
  public var at: Date?

  /// Makes an answer.
  public init(state: State, reason: String? = nil, at: Date? = nil) {
    self.state = state
    self.reason = reason
    self.at = at
  }

  /// Done, when the outcome was made.
  public static let done = Answer(state: .done)
}

/// One value of an outcome.
public struct OutcomeValue: Hashable, Sendable {
  /// The value itself.
  public var value: Value
  /// The unit, for a number.
  public var unit: UnitOfMeasure?
  /// Which of a measurement's values it is: `range`, `finish`, `pain`; `nil` for a plain one.
  public var kind: String?
  /// When it was measured or entered: a sample's own time.
  public var time: Date
  /// How it was obtained.
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
  /// A whole number.
  case integer(Int64)
  /// A decimal number.
  case double(Double)
  /// A yes or no.
  case boolean(Bool)
  /// A text without U+0000.
  case text(String)
  /// A few bytes; a picture or video is an attachment.
  case binary([UInt8])
  /// A picture or video, by reference.
  case attachment(Attachment)
  /// An instant, exact to the microsecond.
  case date(Date)
}

/// A value that an event should reach, or stay at or below.
public struct TargetValue: Hashable, Sendable {
  /// The value to reach.
  public var value: Value
  /// The unit, for a number.
  public var unit: UnitOfMeasure?
  /// If given, the only kind of values that it is compared with.
  public var kind: String?
  /// Whether less is better: the target is then the greatest value that meets it.
  public var isAtMost: Bool

  /// Makes a target.
  public init(
    value: Value, unit: UnitOfMeasure? = nil, kind: String? = nil, isAtMost: Bool = false
  ) {
    self.value = value
    self.unit = unit
    self.kind = kind
    self.isAtMost = isAtMost
  }
}

// MARK: - Numbers

extension Value {
  /// The number, for an integer or a decimal; `nil` for every other type.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .boolean, .text, .binary, .attachment, .date: nil
    }
  }

  /// Its contribution to a sum: a number itself, anything else 1.
  var summand: Double { number ?? 1 }
}

extension OutcomeValue {
  /// Whether it is a plain `true`: done, without a measurement.
  var saysDone: Bool { value == .boolean(true) && kind == nil }

  /// Its contribution to a sum in `unit`; `nil` for a number of another dimension.
  func summand(in unit: UnitOfMeasure?) -> Double? {
    Self.convert(value, from: self.unit, to: unit)
  }

  fileprivate static func convert(
    _ value: Value, from source: UnitOfMeasure?, to unit: UnitOfMeasure?
  ) -> Double? {
    guard let number = value.number, let source, let unit else { return value.summand }
    return source.convert(number, to: unit)
  }
}

extension TargetValue {
  /// Its contribution to a goal in `unit`; `nil` for a number of another dimension.
  func summand(in unit: UnitOfMeasure?) -> Double? {
    OutcomeValue.convert(value, from: self.unit, to: unit)
  }
}

// MARK: - Coding

/// A value is coded under the name of its type, `{"double":72.4}`, so that the type is kept.
extension Value: Codable {
  private enum CodingKeys: String, CodingKey {
    case integer, double, boolean, text, binary, attachment, date
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value has exactly one type"))
    }
    switch key {
    case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
    case .double: self = .double(try container.decode(Double.self, forKey: key))
    case .boolean: self = .boolean(try container.decode(Bool.self, forKey: key))
    case .text: self = .text(try container.decode(String.self, forKey: key))
    case .binary: self = .binary(Array(try container.decode(Data.self, forKey: key)))
    case .attachment: self = .attachment(try container.decode(Attachment.self, forKey: key))
    case .date: self = .date(try container.decode(CodedTime.self, forKey: key).date)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .double(let value): try container.encode(value, forKey: .double)
    case .boolean(let value): try container.encode(value, forKey: .boolean)
    case .text(let value): try container.encode(value, forKey: .text)
    case .binary(let value): try container.encode(Data(value), forKey: .binary)
    case .attachment(let value): try container.encode(value, forKey: .attachment)
    case .date(let value): try container.encode(CodedTime(value), forKey: .date)
    }
  }
}

extension OutcomeValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case value, unit, kind, time, provenance
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      value: try container.decode(Value.self, forKey: .value),
      unit: try container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit),
      kind: try container.decodeIfPresent(String.self, forKey: .kind),
      time: try container.decode(CodedTime.self, forKey: .time).date,
      provenance: try container.decode(Provenance.self, forKey: .provenance))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value, forKey: .value)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(kind, forKey: .kind)
    try container.encode(CodedTime(time), forKey: .time)
    try container.encode(provenance, forKey: .provenance)
  }
}

extension TargetValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case value, unit, kind
    case isAtMost = "atMost"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      value: try container.decode(Value.self, forKey: .value),
      unit: try container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit),
      kind: try container.decodeIfPresent(String.self, forKey: .kind),
      isAtMost: try container.decodeIfPresent(Bool.self, forKey: .isAtMost) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value, forKey: .value)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(kind, forKey: .kind)
    if isAtMost { try container.encode(true, forKey: .isAtMost) }
  }
}

extension Answer: Codable {
  private enum CodingKeys: String, CodingKey {
    case state, reason, at
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      state: try container.decode(State.self, forKey: .state),
      reason: try container.decodeIfPresent(String.self, forKey: .reason),
      at: try container.decodeIfPresent(CodedTime.self, forKey: .at)?.date)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state, forKey: .state)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(at.map(CodedTime.init), forKey: .at)
  }
}
