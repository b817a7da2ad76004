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
  /// - Returns: The event.
  /// - Throws: ``StoreError/unknown(_:)`` for a version that is not the task's, else
  ///   ``StoreError/refused(_:)``: the occurrence does not exist or belongs to another version, the
  ///   task is read-only, the event is on a later day, the assessment has its result and is not
  ///   resettable, or a value is no finite number in the dimension of the task's linkage.
  public static func check(
    _ values: [OutcomeValue], of reference: EventReference, in history: TaskHistory,
    existing: Outcome?, now: Date
  ) throws(StoreError) -> Event {
    let event = try self.event(reference, in: history)
    let task = event.task
    guard task.kind != .readOnly else { throw .refused(.readOnlyTask(task.id)) }
    try checkDay(of: event, now: now)
    let earlier = existing?.values ?? []
    // Removing a value is no second result.
    let isSecondResult = !earlier.isEmpty && !values.allSatisfy(earlier.contains)
    guard task.kind != .assessment || task.isResettable || !isSecondResult else {
      throw .refused(.notResettable(task: task.id))
    }
    for value in values { try check(value, of: task) }
    return event
  }

  /// The event of that reference, if it exists and belongs to that version.
  ///
  /// - Throws: As ``check(_:of:in:existing:now:)`` does.
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

  private static func check(_ value: OutcomeValue, of task: CareTask) throws(StoreError) {
    guard let number = value.value.number else { return }
    guard number.isFinite else { throw .refused(.notFinite(task: task.id)) }
    guard let linkage = task.linkage, let unit = value.unit,
      unit.dimension != linkage.unit.dimension
    else { return }
    throw .refused(.otherDimension(unit, expected: linkage.unit, task: task.id))
  }
}
