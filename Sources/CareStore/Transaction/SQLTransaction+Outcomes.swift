import Care
import Foundation
import GRDB

extension SQLTransaction {
  func setOutcome(
    _ values: [OutcomeValue], of event: EventReference, now: Date
  ) throws -> Event {
    try changing {
      let existing = try liveOutcome(of: event)
      var found = try OutcomeRule.check(
        values, of: event, in: try history(of: event), existing: existing, now: now)
      // The same again is no next version: who computes outcomes from samples may do so often.
      found.outcome =
        try existing.flatMap { $0.values == values ? $0 : nil } ?? store(values, of: found, now)
      return found
    }
  }

  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event] {
    try changing {
      try additions.map { event, values in
        var found = try OutcomeRule.check(
          values, of: event, in: try history(of: event), existing: nil, now: now)
        guard try liveOutcome(of: event) == nil else {
          throw StoreError.refused(
            "Occurrence \(event.occurrence) of ‘\(found.task.id)’ has an outcome already. Set it to "
              + "replace it, or delete it first.")
        }
        found.outcome = try store(values, of: found, now)
        return found
      }
    }
  }

  func deleteOutcome(of event: EventReference, now: Date) throws -> Event {
    try changing {
      let found = try OutcomeRule.event(event, in: try history(of: event))
      guard var tombstone = try liveOutcome(of: event) else {
        throw StoreError.unknown(
          "Occurrence \(event.occurrence) of ‘\(found.task.id)’ has no outcome to delete.")
      }
      tombstone.uuid = makeUUID()
      tombstone.createdDate = now
      tombstone.values = []
      try insert(tombstone, deletedDate: now)
      return found
    }
  }

  private func store(_ values: [OutcomeValue], of event: Event, _ now: Date) throws -> Outcome {
    for value in values {
      try requireStorable(value.kind)
      if case .text(let text) = value.value { try requireStorable(text) }
    }
    let outcome = Outcome(
      uuid: makeUUID(), taskUUID: event.task.uuid, occurrence: event.occurrence.index,
      start: event.occurrence.start, end: event.occurrence.end, values: values, createdDate: now)
    try insert(outcome)
    return outcome
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
