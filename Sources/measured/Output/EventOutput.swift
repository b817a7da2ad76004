import Care
import Foundation

/// An event as JSON.
struct EventOutput: Encodable {
  var id: String
  var task: String
  var patient: String
  var version: Int
  var occurrence: Int
  var start: String
  var end: String
  var title: String
  var targets: [TargetOutput]
  var values: [ValueOutput]
  var progress: ProgressOutput
  var completed: Bool
  var answer: AnswerOutput?

  init(_ event: Event) {
    let zone = event.occurrence.element.timeZone
    id = event.id
    task = event.task.id
    patient = event.task.patient
    version = event.version
    occurrence = event.occurrence.index
    start = event.occurrence.start.rfc3339(in: zone)
    end = event.occurrence.end.rfc3339(in: zone)
    title = event.task.title
    targets = event.occurrence.element.targets.map(TargetOutput.init)
    values = (event.outcome?.values ?? []).map { ValueOutput($0, in: zone) }
    progress = ProgressOutput(event.progress)
    completed = event.progress.isCompleted
    answer = event.outcome.map { AnswerOutput($0, in: zone) }
  }
}

/// What a person, or a sensor, says of an event, as JSON.
struct AnswerOutput: Encodable {
  /// `done` or `notDone`.
  var state: String
  var reason: String?
  /// When it was done, as the person says, else when the outcome was made.
  var at: String

  init(_ outcome: Outcome, in timeZone: TimeZone) {
    state = outcome.answer.state.rawValue
    reason = outcome.answer.reason
    at = (outcome.answer.at ?? outcome.createdDate).rfc3339(in: timeZone)
  }
}

/// A target as JSON.
struct TargetOutput: Encodable, Sendable {
  var value: ScalarOutput
  @Nullable var unit: String?
  @Nullable var kind: String?
  var atMost: Bool?

  init(_ target: TargetValue) {
    value = ScalarOutput(value: target.value)
    unit = target.unit?.code
    kind = target.kind
    atMost = target.isAtMost ? true : nil
  }
}

/// A value of an outcome as JSON.
struct ValueOutput: Encodable {
  @Nullable var kind: String?
  var value: ScalarOutput
  @Nullable var unit: String?
  var time: String
  var provenance: String

  init(_ value: OutcomeValue, in timeZone: TimeZone) {
    kind = value.kind
    self.value = ScalarOutput(value: value.value)
    unit = value.unit?.code
    time = value.time.rfc3339(in: timeZone)
    provenance = value.provenance.rawValue
  }
}

/// A bare value as JSON: a number, Boolean or string; bytes as base64, a date as RFC 3339.
struct ScalarOutput: Encodable, Sendable {
  var value: Value

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .integer(let number): try container.encode(number)
    case .double(let number): try container.encode(number)
    case .boolean(let flag): try container.encode(flag)
    case .text(let text): try container.encode(text)
    case .binary(let bytes): try container.encode(Data(bytes).base64EncodedString())
    case .date(let date): try container.encode(date.rfc3339(in: .gmt))
    }
  }
}

/// The progress of an event as JSON.
struct ProgressOutput: Encodable {
  var value: Double
  @Nullable var goal: Double?
  var fraction: Double

  init(_ progress: EventProgress) {
    value = progress.value
    goal = progress.goal
    fraction = progress.fraction
  }
}
