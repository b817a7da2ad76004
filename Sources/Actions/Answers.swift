import Access
package import Care
package import CareStore
package import Foundation

/// Answers an event: it is done, with values or none, or it is not.
package struct AnswerEvent: Action {
  /// The event, as it is in the transaction.
  package var event: Event
  /// The values.
  package var entries: [EnteredValue]
  /// Pictures and videos, by the kind of their question.
  package var files: [String: AttachmentFile]
  /// Whether it was done, why not, and when.
  package var answer: Answer
  /// Whether the values are the whole answer, as of a form that shows every question.
  ///
  /// Else a value of one kind leaves those of the others, such as the upper of two pressures.
  package var isWhole: Bool
  /// The units in which the person reads and types measured values; `nil` for the task's.
  package var units: PreferredUnits?

  /// Makes the action.
  package init(
    _ event: Event, _ entries: [EnteredValue] = [], files: [String: AttachmentFile] = [:],
    answer: Answer = .done, isWhole: Bool = false, units: PreferredUnits? = nil
  ) {
    self.event = event
    self.entries = entries
    self.files = files
    self.answer = answer
    self.isWhole = isWhole
    self.units = units
  }

  /// - Throws: As ``Action``; ``EntryRefusal/falseCountsAsDone(task:)`` for `false` where nothing
  ///   is asked.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(event.task.patient))
    let time = answer.at ?? now
    var values = try event.values(entries, in: units, at: time)
    for (kind, file) in files.sorted(by: { $0.key < $1.key }) {
      try file.store(in: writer)
      values.append(
        OutcomeValue(
          value: .attachment(file.attachment), kind: kind, time: time, provenance: .manual))
    }
    // An event that is done stays as it is, with its values, unless several stores answered it.
    if event.progress.isCompleted, values.isEmpty, answer == .done, !isWhole,
      try !writer.outcomeConflicts().contains(where: { $0.event == event.key })
    {
      return EventChange(event: event, isChanged: false)
    }
    if answer.state == .done {
      values = kept(beside: values) + values
      // Pictures stand behind the other values.
      values = values.filter { !$0.isAttachment } + values.filter(\.isAttachment)
    }
    let answered = try writer.setOutcome(values, answer: answer, of: event.reference, now: now)
    return try EventChange(event: answered, after: event, in: writer, now: now)
  }

  /// The earlier values that an answer of these leaves.
  private func kept(beside values: [OutcomeValue]) -> [OutcomeValue] {
    // The only linkage's value has no kind; it stands beside the answers to a survey.
    let kinds = Set(values.map(\.kind))
    return event.enteredValues.filter { value in
      // No form shows a picture as chosen: it stays until another one is sent.
      if value.isAttachment { return !kinds.contains(value.kind) }
      if isWhole { return false }
      // The whole is done: what was logged one by one stays.
      if values.isEmpty { return event.task.linkages.isEmpty }
      return kinds.count == values.count && !kinds.contains(value.kind)
    }
  }
}

/// Adds values to an event's outcome, or makes the outcome with them.
package struct AddValues: Action {
  /// The event, as it is in the transaction.
  package var event: Event
  /// The values.
  package var entries: [EnteredValue]
  /// The units in which the person types measured values; `nil` for the task's.
  package var units: PreferredUnits?

  /// Makes the action.
  package init(_ event: Event, _ entries: [EnteredValue], units: PreferredUnits? = nil) {
    self.event = event
    self.entries = entries
    self.units = units
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(event.task.patient))
    // Values that sensors measured are computed again from their samples.
    let values = try event.enteredValues + event.values(entries, in: units, at: now)
    let added = try writer.setOutcome(
      values, answer: event.outcome?.answer ?? .done, of: event.reference, now: now)
    return try EventChange(event: added, after: event, in: writer, now: now)
  }
}

/// Takes back what a person said of an event: all of it, or the value that was added last.
package struct TakeBack: Action {
  /// The part of the answer that is taken back.
  package enum Extent: Hashable, Sendable {
    case wholeAnswer, lastValue
  }

  /// The event, as it is in the transaction.
  package var event: Event
  package var extent: Extent

  /// Makes the action.
  package init(_ event: Event, _ extent: Extent = .wholeAnswer) {
    self.event = event
    self.extent = extent
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(event.task.patient))
    var rest = event.enteredValues
    let last = rest.indices.max { rest[$0].time < rest[$1].time }
    guard extent == .lastValue, rest.count > 1, let last else {
      let reopened = try writer.deleteOutcome(of: event.reference, now: now)
      return try EventChange(event: reopened, after: event, in: writer, now: now)
    }
    rest.remove(at: last)
    let changed = try writer.setOutcome(
      rest, answer: event.outcome?.answer ?? .done, of: event.reference, now: now)
    return try EventChange(event: changed, after: event, in: writer, now: now, isLastValue: true)
  }
}

/// An event after an action, and what followed from it.
package struct EventChange: Sendable {
  /// The event as it is now.
  package var event: Event
  /// Whether anything was changed.
  package var isChanged: Bool
  /// Whether only the value that was added last was taken back.
  package var isLastValue = false
  /// The effect of a weight on the owners of the other weighings.
  package var review = WeighingReview.Outcome()

  init(event: Event, isChanged: Bool) {
    self.event = event
    self.isChanged = isChanged
  }

  init(
    event: Event, after before: Event, in writer: any StoreWriter, now: Date,
    isLastValue: Bool = false
  ) throws {
    self.event = event
    isChanged = true
    self.isLastValue = isLastValue
    if before.task.linkages.contains(where: { $0.quantity == .bodyMass }) {
      review = try WeighingReview.update(in: writer, after: .answer, now: now)
    }
  }
}

extension OutcomeValue {
  fileprivate var isAttachment: Bool {
    if case .attachment = value { true } else { false }
  }
}

extension Event {
  /// The values that a person gave.
  package var enteredValues: [OutcomeValue] {
    outcome?.values.filter { $0.provenance == .manual } ?? []
  }

  /// Returns the entries as values of the event's outcome.
  fileprivate func values(
    _ entries: [EnteredValue], in units: PreferredUnits?, at time: Date
  ) throws(EntryRefusal) -> [OutcomeValue] {
    var values: [OutcomeValue] = []
    for entry in entries.flatMap({ $0.parts(for: task.planned) }) {
      values.append(try entry.outcomeValue(for: task.planned, units: units, at: time))
    }
    if values.contains(where: { $0.value == .boolean(false) }), task.survey.isEmpty {
      throw .falseCountsAsDone(task: task.id)
    }
    return values
  }
}

extension StoreReader {
  /// An event with its outcome.
  ///
  /// - Throws: `StoreError` if the task's version does not have it, or owns it no longer.
  package func event(
    _ reference: EventReference, in history: TaskHistory, now: Date
  ) throws -> Event {
    let event = try OutcomeRule.event(reference, in: history)
    let start = event.occurrence.start
    let found = try events(
      EventQuery(
        patient: event.task.patient, task: event.task.id, from: start, to: start + 1, now: now))
    return found.first { $0.reference == event.reference }
      ?? found.first { $0.occurrence.start == start } ?? event
  }
}
