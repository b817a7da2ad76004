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
  /// Whether the values take the place of what was logged, where answers else add up.
  package var replaces: Bool
  /// The units in which the person reads and types measured values; `nil` for the task's.
  package var units: PreferredUnits?

  /// Makes the action.
  package init(
    _ event: Event, _ entries: [EnteredValue] = [], files: [String: AttachmentFile] = [:],
    answer: Answer = .done, isWhole: Bool = false, replaces: Bool = false,
    units: PreferredUnits? = nil
  ) {
    self.event = event
    self.entries = entries
    self.files = files
    self.answer = answer
    self.isWhole = isWhole
    self.replaces = replaces
    self.units = units
  }

  /// Where answers add up, the values are added to those before.
  ///
  /// - Throws: As ``Action``; ``EntryRefusal/falseCountsAsDone(task:)`` for `false` where nothing
  ///   is asked; ``EntryRefusal/missingAmount(task:unit:)`` where a sum is done without an amount.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(event.task.patient))
    // A figure of a past day is one of that day.
    let isFigure = event.task.activeTask != nil && event.task.linkages.isEmpty
    let time = answer.at ?? (isFigure ? event.occurrence.timeOfEntry(now) : now)
    var values = try event.values(entries, in: units, at: time)
    for (kind, file) in files.sorted(by: { $0.key < $1.key }) {
      try file.store(in: writer)
      values.append(
        OutcomeValue(
          value: .attachment(file.attachment), kind: kind, time: time, provenance: .manual))
    }
    if answer.state == .done, values.isEmpty {
      try event.requireNoAmount(for: units)
      // One press is one entry of a log.
      if event.task.planned.isLog, !isWhole { values = [.press(at: time)] }
    }
    // An event that is done stays as it is, with its values, unless several stores answered it.
    if event.progress.isCompleted, values.isEmpty, answer == .done, !isWhole,
      try !writer.outcomeConflicts().contains(where: { $0.event == event.key })
    {
      return EventChange(event: event, isChanged: false)
    }
    if answer.state == .done || addsUp {
      let earlier = addsUp ? try writer.enteredValues(of: event) : event.enteredValues
      values = kept(earlier, beside: values) + values
      // Pictures stand behind the other values.
      values = values.filter { !$0.isAttachment } + values.filter(\.isAttachment)
    }
    let answered = try writer.setOutcome(
      values, answer: storedAnswer, of: event.reference, now: now)
    return try EventChange(event: answered, after: event, in: writer, now: now)
  }

  /// The answer as the outcome has it: of values that add up, each has its own time.
  private var storedAnswer: Answer {
    guard addsUp, answer.state == .done else { return answer }
    let earlier = event.outcome?.answer
    return Answer(
      state: .done,
      reason: answer.reason ?? (earlier?.state == .done ? earlier?.reason : nil),
      at: event.task.linkages.isEmpty ? nil : answer.at)
  }

  /// Whether the values are added to those before.
  private var addsUp: Bool { event.task.planned.addsUp && !isWhole && !replaces }

  /// The earlier values that an answer of these leaves.
  private func kept(
    _ earlier: [OutcomeValue], beside values: [OutcomeValue]
  ) -> [OutcomeValue] {
    // The only linkage's value has no kind; it stands beside the answers to a survey.
    let kinds = Set(values.map(\.kind))
    return earlier.filter { value in
      if addsUp, !event.task.planned.isAnswer(value) { return true }
      // No form shows a picture as chosen: it stays until another one is sent.
      if value.isAttachment { return !kinds.contains(value.kind) }
      if isWhole { return false }
      // The whole is done: what was logged one by one stays.
      if values.isEmpty { return event.task.linkages.isEmpty && !replaces }
      return kinds.count == values.count && !kinds.contains(value.kind)
    }
  }
}

/// Adds values to an event's outcome, or makes the outcome with them; without a value one entry.
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
    var values = try event.values(entries, in: units, at: now)
    if values.isEmpty {
      try event.requireNoAmount(for: units)
      values = [.press(at: now)]
    }
    let added = try writer.setOutcome(
      writer.enteredValues(of: event) + values, answer: event.doneAnswer, of: event.reference,
      now: now)
    return try EventChange(event: added, after: event, in: writer, now: now)
  }
}

/// Takes back what a person said of an event: all of it, or what was added last.
package struct TakeBack: Action {
  /// The part of the answer that is taken back.
  package enum Extent: Hashable, Sendable {
    case wholeAnswer
    /// The last addition where answers add up, and the whole answer elsewhere.
    case lastAnswer
    /// The values that were added last, whatever the task.
    case lastValue
  }

  /// The event, as it is in the transaction.
  package var event: Event
  package var extent: Extent

  /// Makes the action.
  package init(_ event: Event, _ extent: Extent = .lastAnswer) {
    self.event = event
    self.extent = extent
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(event.task.patient))
    let rest = try remaining(in: writer)
    guard !rest.isEmpty else {
      let reopened = try writer.deleteOutcome(of: event.reference, now: now)
      return try EventChange(event: reopened, after: event, in: writer, now: now)
    }
    let changed = try writer.setOutcome(
      rest, answer: event.doneAnswer, of: event.reference, now: now)
    return try EventChange(event: changed, after: event, in: writer, now: now, isLastValue: true)
  }

  /// The values that stay.
  private func remaining(in reader: any StoreReader) throws -> [OutcomeValue] {
    let task = event.task.planned
    guard extent == .lastValue || extent == .lastAnswer && task.addsUp else { return [] }
    var rest = try reader.enteredValues(of: event)
    // An answer in words hides what was logged, and goes first.
    guard event.outcome.map({ $0.answer.state == .done }) ?? true else { return rest }
    guard let last = rest.popLast() else { return [] }
    // Values of several kinds were entered together.
    var kinds: Set = [last.kind]
    while let value = rest.last, value.time == last.time, kinds.insert(value.kind).inserted {
      rest.removeLast()
    }
    return rest
  }
}

/// Puts an answer back that was taken back last, with the time that it had.
package struct PutBack: Action {
  /// The event, as it is in the transaction.
  package var event: Event

  /// Makes the action.
  package init(_ event: Event) {
    self.event = event
  }

  /// - Throws: As ``Action``; `StoreError.refused(_:)` if there is an answer, `StoreError.unknown(_:)`
  ///   if none was taken back.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> EventChange {
    try performer.demand(.answer, on: .patient(event.task.patient))
    let versions = try writer.answers(of: event.key)
    guard versions.last?.outcome == nil else {
      throw StoreError.refused(
        .outcomeExists(task: event.task.id, occurrence: event.occurrence.index))
    }
    let samples = try deletedLast(in: writer)
    for sample in samples {
      _ = try writer.change(.sample(sample.identity), .restore, reason: nil, now: now)
    }
    guard let earlier = versions.dropLast().last?.outcome else {
      guard !samples.isEmpty, let restored = try writer.event(event.key, now: now) else {
        throw StoreError.unknown(
          .outcome(task: event.task.id, occurrence: event.occurrence.index))
      }
      return try EventChange(event: restored, after: event, in: writer, now: now)
    }
    var (answer, before) = (earlier.answer, event)
    before.outcome = earlier
    if answer.state == .done, earlier.values.isEmpty { answer.at = before.doneTime() }
    let restored = try writer.setOutcome(
      earlier.values, answer: answer, of: event.reference, now: now)
    return try EventChange(event: restored, after: event, in: writer, now: now)
  }

  /// The samples that a person entered for the event and that were deleted last, together.
  private func deletedLast(in reader: any StoreReader) throws -> [Sample] {
    let deleted = try event.task.linkages.flatMap { linkage in
      try reader.samples(
        SampleQuery(
          owner: .patient(event.task.patient), quantity: linkage.quantity,
          from: event.occurrence.start, to: event.occurrence.linkageEnd, states: [.deleted])
      ).filter { $0.provenance == .manual && event.takes($0, by: linkage) }
    }
    let dated = try deleted.map {
      (sample: $0, date: try reader.changes(of: $0.identity).last?.date)
    }
    guard let last = dated.compactMap(\.date).max() else { return [] }
    return dated.filter { $0.date == last }.map(\.sample)
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
    try writer.storeTypedFigures(of: event, after: before, now: now)
    try writer.followMeasurement(of: event, after: before, now: now)
    if before.task.linkages.contains(where: { $0.quantity == .bodyMass }) {
      review = try WeighingReview.update(in: writer, now: now)
    }
  }
}

extension OutcomeValue {
  fileprivate var isAttachment: Bool {
    if case .attachment = value { true } else { false }
  }

  /// One entry of a log that says no more than when it was.
  fileprivate static func press(at time: Date) -> OutcomeValue {
    OutcomeValue(value: .boolean(true), time: time, provenance: .manual)
  }
}

extension Event {
  /// The values that a person gave.
  package var enteredValues: [OutcomeValue] {
    outcome?.values.filter { $0.provenance == .manual } ?? []
  }

  /// Its answer, if that says that it was done; a plain one else.
  fileprivate var doneAnswer: Answer {
    outcome.flatMap { $0.answer.state == .done ? $0.answer : nil } ?? .done
  }

  /// Refuses an answer without an amount where only amounts count.
  fileprivate func requireNoAmount(for units: PreferredUnits?) throws(EntryRefusal) {
    guard task.planned.needsAmount else { return }
    throw .missingAmount(task: task.id, unit: task.planned.amountUnit(for: units))
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
