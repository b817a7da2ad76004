import Care
import Foundation
import GRDB

extension SQLTransaction: StoreWriter {
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
  /// - Throws: ``StoreError`` as ``OutcomeRule/event(_:in:)`` does.
  func event(_ reference: EventReference, in history: TaskHistory) throws -> Event {
    var event = try OutcomeRule.event(reference, in: history)
    event.outcome = try liveOutcome(of: reference)
    return try linked(event)
  }

  /// The versions of the task that an event is of.
  func history(of event: EventReference) throws -> TaskHistory {
    let row = try row(
      "SELECT patient, id FROM version WHERE type = 'task' AND uuid = ?",
      [event.taskUUID.uuidString])
    guard let row else { throw Self.unknownVersion(event.taskUUID) }
    let id = try row.text("id")
    let versions = try liveVersions(of: .task, patient: try row.text("patient"))
      .filter { $0.id == id }
    guard !versions.isEmpty else { throw Self.unknownVersion(event.taskUUID) }
    return TaskHistory(try versions.map(CareTask.init))
  }

  private static func unknownVersion(_ uuid: UUID) -> StoreError {
    .unknown(
      "There is no task with a version \(uuid.uuidString). `measured events` lists the events that "
        + "there are.")
  }
}
