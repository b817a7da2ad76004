import Assessments
package import Care
package import Foundation

/// An event as JSON.
package struct EventOutput: Encodable {
  package var id: String
  package var task: String
  package var patient: String
  package var version: Int
  package var occurrence: Int
  package var start: String
  package var end: String
  package var title: String
  package var targets: [TargetOutput]
  package var values: [ValueOutput]
  package var progress: ProgressOutput
  /// Whether it has a value, or the answer that it was done.
  package var performed: Bool
  package var completed: Bool
  package var answer: AnswerOutput?
  /// The thresholds that hold, the severest first.
  package var thresholds: [ThresholdOutput]

  package init(_ event: Event) {
    let zone = event.occurrence.element.timeZone
    id = event.id
    task = event.task.id
    patient = event.task.patient
    version = event.version
    occurrence = event.occurrence.index
    start = event.occurrence.start.rfc3339(in: zone)
    end = event.occurrence.end.rfc3339(in: zone)
    title = event.task.title
    targets = event.targets.map(TargetOutput.init)
    let planned = event.task.planned
    values = (event.outcome?.values ?? []).map {
      ValueOutput($0, of: planned.quantity(of: $0), in: zone)
    }
    progress = ProgressOutput(event)
    performed = event.isPerformed
    completed = event.progress.isCompleted
    answer = event.outcome.map { AnswerOutput($0, of: event, in: zone) }
    thresholds = event.thresholds.map(ThresholdOutput.init)
  }
}

/// The answer of a person, or a sensor, for an event, as JSON.
package struct AnswerOutput: Encodable {
  /// `done`, `notDone` or `skipped`.
  package var state: String
  package var reason: String?
  /// When it was done, as the person says, else when it was answered; of what was done, and was answered
  /// only afterwards without a time, `nil`.
  package var at: String?

  package init(_ outcome: Outcome, of event: Event, in timeZone: TimeZone) {
    state = outcome.answer.state.rawValue
    reason = outcome.answer.reason
    let answered = outcome.answer.at ?? outcome.createdDate
    at = (outcome.answer.state == .done ? event.doneTime(by: outcome.values.last) : answered)?
      .rfc3339(in: timeZone)
  }
}

/// A threshold that holds for an event, as JSON.
package struct ThresholdOutput: Encodable, Sendable {
  @Nullable package var kind: String?
  package var says: String
  package var alert: Bool

  package init(_ threshold: Threshold) {
    kind = threshold.kind
    says = threshold.says
    alert = threshold.alerts
  }
}

/// A target as JSON.
package struct TargetOutput: Encodable, Sendable {
  package var value: ScalarOutput
  @Nullable package var unit: String?
  @Nullable package var kind: String?
  package var atMost: Bool?

  package init(_ target: TargetValue) {
    value = ScalarOutput(value: target.value)
    unit = target.unit?.code
    kind = target.kind
    atMost = target.isAtMost ? true : nil
  }
}

/// A value of an outcome as JSON.
package struct ValueOutput: Encodable {
  @Nullable package var kind: String?
  package var value: ScalarOutput
  @Nullable package var unit: String?
  package var time: String
  package var provenance: String

  package init(_ value: OutcomeValue, of quantity: Quantity?, in timeZone: TimeZone) {
    kind = value.kind
    self.value = ScalarOutput(value: value.value, quantity: quantity, unit: value.unit)
    unit = value.unit?.code
    time = value.time.rfc3339(in: timeZone)
    provenance = value.provenance.rawValue
  }
}

/// A bare value as JSON: a number, Boolean or string; bytes as base64, a date as RFC 3339, a
/// picture or video as `{"sha256", "type", "bytes"}`.
package struct ScalarOutput: Encodable, Sendable {
  package var value: Value
  /// The quantity that says how many digits a number has.
  package var quantity: Quantity?
  package var unit: UnitOfMeasure?

  package init(value: Value, quantity: Quantity? = nil, unit: UnitOfMeasure? = nil) {
    self.value = value
    self.quantity = quantity
    self.unit = unit
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .integer(let number): try container.encode(number)
    case .double(let number): try container.encode(number.data(of: quantity, in: unit))
    case .boolean(let flag): try container.encode(flag)
    case .text(let text): try container.encode(text)
    case .binary(let bytes): try container.encode(Data(bytes).base64EncodedString())
    case .attachment(let attachment): try container.encode(attachment)
    case .date(let date): try container.encode(date.rfc3339(in: .gmt))
    }
  }
}

/// The progress of an event as JSON.
package struct ProgressOutput: Encodable {
  package var value: Double
  @Nullable package var goal: Double?
  package var fraction: Double

  package init(_ event: Event, _ progress: EventProgress? = nil) {
    let progress = progress ?? event.progress
    let first = event.outcome?.values.first
    let quantity = first.flatMap { event.task.planned.quantity(of: $0) }
    value = progress.value.data(of: quantity, in: first?.unit)
    goal = progress.goal.map { $0.data(of: quantity, in: first?.unit) }
    fraction = progress.fraction
  }
}

extension Double {
  /// The number as JSON prints it: with the digits that its quantity has, without the noise of
  /// binary fractions.
  ///
  /// - Parameters:
  ///   - quantity: The measured quantity; `nil` for an answer, or a figure that is no quantity.
  ///   - unit: Its unit; the quantity's own for `nil`.
  /// - Returns: The number.
  package func data(of quantity: Quantity?, in unit: UnitOfMeasure? = nil) -> Double {
    guard let quantity else { return rounded(digits: 9) }
    return quantity.rounded(self, in: unit ?? quantity.unit)
  }
}
