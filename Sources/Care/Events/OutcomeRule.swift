public import Foundation

/// The rules that an outcome must obey, whether a person or a device gives it.
public enum OutcomeRule {
  /// Checks whether `values` may become the outcome of an event.
  ///
  /// - Parameters:
  ///   - values: The whole outcome as it would be.
  ///   - reference: The event.
  ///   - history: The task's versions.
  ///   - existing: The event's current outcome, if it has one.
  ///   - now: The current time, for events that are not due yet.
  ///   - answer: The person's answer beside the values.
  /// - Returns: The event.
  /// - Throws: ``StoreError/unknown(_:)`` for a version that is not the task's, else
  ///   ``StoreError/refused(_:)``: the occurrence does not exist or belongs to another version, the
  ///   task is read-only, the event is on a later day, a person says that it was done later than
  ///   now or long before it, the assessment has its result and is not resettable, or a value fails ``check(_:of:answer:)``.
  public static func check(
    _ values: [OutcomeValue], of reference: EventReference, in history: TaskHistory,
    existing: Outcome?, now: Date, answer: Answer = .done
  ) throws(StoreError) -> Event {
    let event = try self.event(reference, in: history)
    let task = event.task
    guard task.kind != .readOnly else { throw .refused(.readOnlyTask(task.id)) }
    try checkDay(of: event, now: now)
    let zone = event.occurrence.element.timeZone
    if let date = answer.at, date > now {
      throw .refused(.answeredInFuture(task: task.id, at: date, timeZone: zone))
    }
    if let date = answer.at, date < event.occurrence.start - Self.longestLead {
      throw .refused(
        .answeredLongBefore(
          task: task.id, at: date, start: event.occurrence.start,
          timeZone: event.occurrence.element.timeZone))
    }
    let earlier = existing?.values ?? []
    // Removing a value is no second result.
    let isSecondResult = !earlier.isEmpty && !values.allSatisfy(earlier.contains)
    guard task.kind != .assessment || task.isResettable || !isSecondResult else {
      throw .refused(.notResettable(task: task.id))
    }
    try check(values, of: task.planned, answer: answer)
    return event
  }

  /// Checks whether what a person said of an event may be taken back.
  ///
  /// - Throws: ``StoreError/refused(_:)`` for the result of an assessment that is not resettable: it
  ///   could be given anew.
  public static func checkTakingBack(of event: Event) throws(StoreError) {
    let hasResult = !(event.outcome?.values.isEmpty ?? true)
    guard event.task.kind == .assessment, !event.task.isResettable, hasResult else { return }
    throw .refused(.notResettable(task: event.task.id))
  }

  /// How long before an event it can have been done, in seconds: a month.
  private static let longestLead: TimeInterval = 31 * 86_400

  /// The event of that reference, if it exists and belongs to that version.
  ///
  /// - Throws: As ``check(_:of:in:existing:now:answer:)`` does.
  public static func event(
    _ reference: EventReference, in history: TaskHistory
  ) throws(StoreError) -> Event {
    if let event = history.event(reference) { return event }
    let versions = history.versions
    guard let index = versions.firstIndex(where: { $0.uuid == reference.taskUUID }) else {
      throw .unknown(.taskVersion(reference.taskUUID))
    }
    let version = versions[index]
    guard version.schedule.occurrence(at: reference.occurrence) != nil else {
      throw .refused(
        .noSuchOccurrence(
          reference.occurrence, task: version.id, version: index + 1, count: version.schedule.count)
      )
    }
    throw .refused(
      .supersededOccurrence(reference.occurrence, task: version.id, version: index + 1))
  }

  private static func checkDay(of event: Event, now: Date) throws(StoreError) {
    let zone = event.occurrence.element.timeZone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let day = calendar.startOfDay(for: event.occurrence.start)
    guard day <= now else {
      throw .refused(.notDueYet(task: event.task.id, day: day, timeZone: zone))
    }
  }
}

// MARK: - Values

extension OutcomeRule {
  /// Checks whether a task can have these values, whenever it is due.
  ///
  /// - Parameters:
  ///   - values: The whole outcome as it would be.
  ///   - task: The task.
  ///   - answer: The person's answer beside the values.
  /// - Throws: ``StoreError/refused(_:)`` for a number that is not finite or outside
  ///   ``Value/numbers``; for an answer of a person that the survey does not ask for, that is missing, or that does not fit its question;
  ///   for a value of a linked task that is neither a number in the linkage's dimension nor a plain
  ///   `true`, for one that a person entered outside the quantity's possible values, and for a
  ///   systolic pressure entered that is not above the diastolic one. Figures of a performed
  ///   measurement may be of any other type.
  public static func check(
    _ values: [OutcomeValue], of task: PlannedTask, answer: Answer = .done
  ) throws(StoreError) {
    for value in values {
      guard let number = value.value.number else { continue }
      guard number.isFinite else { throw .refused(.notFinite(task: task.id)) }
      guard Value.numbers.contains(number) else {
        throw .refused(
          .amount(
            AmountFlaw(place: .value, number: number, unit: value.unit, limits: Value.numbers),
            of: task.id))
      }
    }
    for question in task.survey {
      let answers = values.filter { $0.kind == question.kind }
      do {
        try question.check(answers)
      } catch .missing where !isAnswered(values, answer) {
        continue
      } catch {
        throw .refused(.answer(error, question: question.kind, task: task.id))
      }
    }
    let questions = Set(task.survey.map(\.kind))
    for value in values where !(value.kind.map(questions.contains) ?? false) {
      try checkUnasked(value, of: task)
    }
    try checkPressures(values, of: task)
  }

  /// Refuses a systolic pressure that a person enters with a diastolic one that is not below it.
  private static func checkPressures(
    _ values: [OutcomeValue], of task: PlannedTask
  ) throws(StoreError) {
    func entered(_ quantity: Quantity) -> Double? {
      guard let linkage = task.linkages.first(where: { $0.quantity == quantity }),
        let value = values.last(where: { task.isValue($0, of: linkage) }),
        value.provenance == .manual, let number = value.value.number
      else { return nil }
      return (value.unit ?? linkage.unit).convert(number, to: quantity.unit)
    }
    guard let systolic = entered(.bloodPressureSystolic),
      let diastolic = entered(.bloodPressureDiastolic), systolic <= diastolic
    else { return }
    throw .refused(
      .swappedPressures(
        systolic: systolic, diastolic: diastolic,
        Quantity.bloodPressureSystolic.unit, task: task.id))
  }

  /// Whether a person answers the survey with `values`, so that no answer may be missing.
  ///
  /// Sensors do not wait for a person's answers.
  private static func isAnswered(_ values: [OutcomeValue], _ answer: Answer) -> Bool {
    guard answer.state == .done else { return false }
    return values.isEmpty || values.contains { $0.provenance == .manual }
  }

  /// Checks a value that answers no question.
  private static func checkUnasked(
    _ value: OutcomeValue, of task: PlannedTask
  ) throws(StoreError) {
    guard let expected = task.linkage?.unit else {
      let isFigure = task.activeTask != nil || value.provenance != .manual
      if task.survey.isEmpty || isFigure || value.saysDone { return }
      throw .refused(
        .unknownQuestion(value.kind, known: task.survey.map(\.kind), task: task.id))
    }
    guard let number = value.value.number else {
      if value.saysDone || value.provenance == .active { return }
      throw .refused(.notANumber(expected: expected, task: task.id))
    }
    let units = task.linkedUnits(of: value.kind)
    if let unit = value.unit, !units.contains(where: { $0.dimension == unit.dimension }) {
      throw .refused(
        .otherDimension(unit, expected: units.first ?? expected, task: task.id))
    }
    let linkage = task.linkages.first { task.isValue(value, of: $0) }
    guard value.provenance == .manual, let linkage else { return }
    try check(
      entered: number, in: value.unit ?? linkage.unit, of: linkage.quantity, task: task.id)
  }

  /// Checks a number that a person enters for a quantity.
  ///
  /// - Parameters:
  ///   - number: The number, in `unit`.
  ///   - unit: A unit of the quantity's dimension.
  ///   - quantity: The quantity.
  ///   - task: The task that it answers, if any.
  /// - Throws: ``StoreError/refused(_:)`` for a value outside ``Quantity/possible``.
  public static func check(
    entered number: Double, in unit: UnitOfMeasure, of quantity: Quantity, task: String? = nil
  ) throws(StoreError) {
    guard let canonical = unit.convert(number, to: quantity.unit) else { return }
    guard quantity.possible.contains(canonical) else {
      throw .refused(.implausible(number, unit, of: quantity, task: task))
    }
  }
}
