public import Foundation

/// What an outcome must obey, whoever gives it.
public enum OutcomeRule {
  /// Asks whether `values` may become the outcome of an event.
  ///
  /// - Parameters:
  ///   - values: The whole outcome as it would be.
  ///   - reference: The event that is meant.
  ///   - history: The task's versions.
  ///   - existing: The outcome that the event has, where it has one.
  ///   - now: The moment, for what is not due yet.
  /// - Returns: The event.
  /// - Throws: ``StoreError/unknown(_:)`` for a version that is not the task's, else
  ///   ``StoreError/refused(_:)``: the occurrence does not exist or belongs to another version, the
  ///   task is read-only, the event is on a later day, the assessment has its result and is not
  ///   resettable, or a value is no number in the unit of the task's linkage.
  public static func check(
    _ values: [OutcomeValue], of reference: EventReference, in history: TaskHistory,
    existing: Outcome?, now: Date
  ) throws(StoreError) -> Event {
    let event = try self.event(reference, in: history)
    let task = event.task
    guard task.kind != .readOnly else {
      throw .refused("‘\(task.id)’ is read-only: there is nothing to complete")
    }
    try checkDay(of: event, now: now)
    let earlier = existing?.values ?? []
    // Taking a value away is no second result.
    let isSecondResult = !earlier.isEmpty && !values.allSatisfy(earlier.contains)
    guard task.kind != .assessment || task.isResettable || !isSecondResult else {
      throw .refused(
        "‘\(task.id)’ has its result for this occurrence, and the plan does not let it be taken "
          + "again (resettable)")
    }
    for value in values { try check(value, of: task) }
    return event
  }

  /// The event that is meant, where it exists and belongs to that version.
  ///
  /// - Throws: As ``check(_:of:in:existing:now:)`` does.
  public static func event(
    _ reference: EventReference, in history: TaskHistory
  ) throws(StoreError) -> Event {
    if let event = history.event(reference) { return event }
    let versions = history.versions
    guard let index = versions.firstIndex(where: { $0.uuid == reference.taskUUID }) else {
      throw .unknown("there is no version \(reference.taskUUID.uuidString) of this task")
    }
    let name = "occurrence \(reference.occurrence) of ‘\(versions[index].id)’, version \(index + 1)"
    guard versions[index].schedule.occurrence(at: reference.occurrence) != nil else {
      let count = versions[index].schedule.count.map { ", which has \($0)" } ?? ""
      throw .refused("there is no \(name)\(count)")
    }
    throw .refused("\(name), belongs to another version of the task, effective by then")
  }

  private static func checkDay(of event: Event, now: Date) throws(StoreError) {
    let zone = event.occurrence.element.timeZone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let day = calendar.startOfDay(for: event.occurrence.start)
    guard day <= now else {
      let date = day.rfc3339(in: zone).prefix(10)
      throw .refused("‘\(event.task.id)’ is due on \(date): it cannot be completed before that day")
    }
  }

  private static func check(_ value: OutcomeValue, of task: CareTask) throws(StoreError) {
    guard let number = value.value.number else { return }
    guard number.isFinite else { throw .refused("\(number) is no value for ‘\(task.id)’") }
    guard let linkage = task.linkage, let unit = value.unit,
      unit.dimension != linkage.unit.dimension
    else { return }
    throw .refused("‘\(task.id)’ takes values in \(linkage.unit.code), not in \(unit.code)")
  }
}
