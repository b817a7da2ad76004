import Care
import Foundation
import GRDB

extension SQLTransaction {
  func taskVersions(patient: String?) throws -> [CareTask] {
    try reading { try liveVersions(of: .task, patient: patient).map(CareTask.init) }
  }

  func events(patient: String?, task: String?, from: Date, to: Date) throws -> [Event] {
    try reading {
      let versions = try liveVersions(of: .task, patient: patient)
        .filter { task == nil || $0.id == task }
      return try EventExpansion.events(
        versions: versions.map(CareTask.init), outcomes: try liveOutcomes(from: from, to: to),
        from: from, to: to
      ).map(linked)
    }
  }

  /// The event that is meant, with its outcome.
  ///
  /// - Throws: `StoreError` as ``OutcomeRule/event(_:in:)`` does.
  func event(_ reference: EventReference, in history: TaskHistory) throws -> Event {
    var event = try OutcomeRule.event(reference, in: history)
    event.outcome = try liveOutcome(of: reference)
    return try linked(event)
  }

  /// The versions of an event's task.
  func history(of event: EventReference) throws -> TaskHistory {
    let unknown = StoreError.unknown(.taskVersion(event.taskUUID))
    let row = try row(
      "SELECT patient, id FROM version WHERE type = 'task' AND uuid = ?",
      [event.taskUUID.uuidString])
    guard let row else { throw unknown }
    let id = try row.text("id")
    let versions = try liveVersions(of: .task, patient: try row.text("patient"))
      .filter { $0.id == id }
    guard !versions.isEmpty else { throw unknown }
    return TaskHistory(try versions.map(CareTask.init))
  }
}

extension CareTask {
  /// The version of a task that a row holds.
  ///
  /// The payload is the task as the plan gave it, so that importing the same plan again changes
  /// nothing. Id and patient are those of the columns, by which the store finds the row.
  fileprivate init(_ row: VersionRow) throws {
    var planned = try row.decode(PlannedTask.self)
    planned.id = row.id
    planned.patient = row.patient
    self.init(
      uuid: row.uuid, planned: planned, effectiveDate: row.effectiveDate,
      createdDate: row.createdDate)
  }
}

// MARK: - Events of linked tasks

extension SQLTransaction {
  /// The event with the outcome that its samples give, if its task is linked to a quantity.
  ///
  /// Such an outcome is computed whenever it is read, so that an assigned or deleted sample has its
  /// effect at once. Only what a person entered or performed is stored.
  private func linked(_ event: Event) throws -> Event {
    guard let linkage = event.task.linkage else { return event }
    let samples = try samples(
      SampleQuery(
        owner: .patient(event.task.patient), quantity: linkage.quantity, device: linkage.device,
        from: event.occurrence.start, to: event.occurrence.linkageEnd))
    let stored = event.outcome
    let values = linkage.values(for: event, samples: samples, existing: stored?.values ?? [])
    guard values != stored?.values else { return event }
    var event = event
    if values.isEmpty {
      event.outcome = nil
    } else {
      event.outcome = stored ?? Self.computedOutcome(of: event, from: samples)
      event.outcome?.values = values
    }
    return event
  }

  /// An outcome that is the same at any time and on any machine.
  private static func computedOutcome(of event: Event, from samples: [Sample]) -> Outcome {
    let occurrence = event.occurrence
    return Outcome(
      uuid: event.task.uuid.offset(by: occurrence.index), taskUUID: event.task.uuid,
      occurrence: occurrence.index, start: occurrence.start, end: occurrence.end, values: [],
      createdDate: samples.map(\.arrival).max() ?? occurrence.start)
  }
}

extension UUID {
  /// A different id for each offset of at least 0, always the same.
  fileprivate func offset(by offset: Int) -> UUID {
    let digits = 12
    let mask: UInt64 = 0xFFFF_FFFF_FFFF
    let last = UInt64(uuidString.suffix(digits), radix: 16) ?? 0
    let moved = String((last ^ UInt64(truncatingIfNeeded: offset)) & mask, radix: 16)
    let padding = String(repeating: "0", count: digits - moved.count)
    return UUID(uuidString: uuidString.dropLast(digits) + padding + moved) ?? self
  }
}
