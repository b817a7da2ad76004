import Care
import Foundation
import GRDB

extension SQLTransaction {
  func setOutcome(
    _ values: [OutcomeValue], of event: EventReference, now: Date
  ) throws -> Event {
    try changing {
      let history = try history(of: event)
      let found = try check(values, of: event, in: history, now)
      // The same again is no next version.
      if try liveOutcome(of: event)?.values != values { try store(values, of: found, now) }
      return try self.event(event, in: history)
    }
  }

  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event] {
    try changing {
      try additions.map { event, values in
        let history = try history(of: event)
        let found = try check(values, of: event, in: history, now)
        guard found.outcome == nil else {
          throw StoreError.refused(
            "Occurrence \(event.occurrence) of ‘\(found.task.id)’ has an outcome already. Set it to "
              + "replace it, or delete it first.")
        }
        try store(values, of: found, now)
        return try self.event(event, in: history)
      }
    }
  }

  func deleteOutcome(of event: EventReference, now: Date) throws -> Event {
    try changing {
      let history = try history(of: event)
      let found = try self.event(event, in: history)
      guard var tombstone = try liveOutcome(of: event) else { throw nothingStored(found) }
      tombstone.uuid = makeUUID()
      tombstone.createdDate = now
      tombstone.values = []
      try insert(tombstone, deletedDate: now)
      return try self.event(event, in: history)
    }
  }

  /// The event that `values` may be the outcome of, with the outcome that it has.
  private func check(
    _ values: [OutcomeValue], of event: EventReference, in history: TaskHistory, _ now: Date
  ) throws -> Event {
    let found = try self.event(event, in: history)
    _ = try OutcomeRule.check(
      values, of: event, in: history, existing: found.outcome, now: now)
    return found
  }

  private func nothingStored(_ event: Event) -> StoreError {
    let name = "Occurrence \(event.occurrence.index) of ‘\(event.task.id)’"
    guard event.outcome != nil else { return .unknown("\(name) has no outcome to delete.") }
    return .refused(
      "\(name) has its outcome from samples. Delete those, or set another outcome in their place.")
  }

  private func store(_ values: [OutcomeValue], of event: Event, _ now: Date) throws {
    for value in values {
      try requireStorable(value.kind)
      if case .text(let text) = value.value { try requireStorable(text) }
    }
    try insert(
      Outcome(
        uuid: makeUUID(), taskUUID: event.task.uuid, occurrence: event.occurrence.index,
        start: event.occurrence.start, end: event.occurrence.end, values: values, createdDate: now))
  }

  /// Refuses a change that would hide an outcome: the version that begins earlier takes over its
  /// event, and what was measured would be of no event that anyone sees.
  func checkOutcomesStay(_ task: PlannedTask, effectiveDate: Date) throws {
    let latest = try latestOutcomeStart(patient: task.patient, task: task.id)
    guard let latest, effectiveDate <= latest else { return }
    let zone = task.schedule.elements.first?.timeZone ?? .gmt
    throw StoreError.refused(
      "The task ‘\(task.id)’ of ‘\(task.patient)’ has an outcome at \(latest.rfc3339(in: zone)), "
        + "which a version effective from \(effectiveDate.rfc3339(in: zone)) would hide. "
        + "Give it a later effectiveDate.")
  }
}
