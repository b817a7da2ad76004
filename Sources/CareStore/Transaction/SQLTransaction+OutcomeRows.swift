import Care
import Foundation
import GRDB

extension SQLTransaction {
  /// The live outcomes of events that may be in [from, to).
  ///
  /// An outcome holds its event's span as it was then; a change of a zone's rules can have moved the
  /// event since, hence a day more on either side.
  func liveOutcomes(from: Date, to: Date) throws -> [Outcome] {
    let day: TimeInterval = 86_400
    return try outcomes(
      "end_date >= ? AND start_date <= ?",
      [(from - day).microseconds, (to + day).microseconds])
  }

  /// The outcome that an event has.
  func liveOutcome(of event: EventReference) throws -> Outcome? {
    try outcomes(
      "task_uuid = ? AND occurrence = ?", [event.taskUUID.uuidString, event.occurrence]
    ).first
  }

  private func outcomes(
    _ condition: String, _ arguments: StatementArguments
  ) throws -> [Outcome] {
    let live = "\(condition) AND deleted_date IS NULL AND is_superseded = 0"
    return try rows("SELECT * FROM outcome WHERE \(live)", arguments) { row in
      try Outcome(row, values: values(of: row.required("number")))
    }
  }

  private func values(of outcome: Int64) throws -> [OutcomeValue] {
    try rows(
      "SELECT * FROM outcome_value WHERE outcome = ? ORDER BY position", [outcome],
      read: OutcomeValue.init)
  }

  /// Stores a version of an event's outcome, which follows all that went before it; a tombstone
  /// where it has a date of deletion.
  func insert(_ outcome: Outcome, deletedDate: Date? = nil) throws {
    let event: StatementArguments = [outcome.taskUUID.uuidString, outcome.occurrence]
    let previous = try rows(
      "SELECT uuid FROM outcome WHERE task_uuid = ? AND occurrence = ? AND is_superseded = 0",
      event
    ) { try $0.parsed("uuid", UUID.init(uuidString:)) }
    try execute(
      """
      UPDATE outcome SET is_superseded = 1
      WHERE task_uuid = ? AND occurrence = ? AND is_superseded = 0
      """, event)
    try execute(
      """
      INSERT INTO outcome (uuid, task_uuid, occurrence, start_date, end_date, created_date,
        deleted_date, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT revision FROM store))
      """,
      [
        outcome.uuid.uuidString, outcome.taskUUID.uuidString, outcome.occurrence,
        outcome.start.microseconds, outcome.end.microseconds, outcome.createdDate.microseconds,
        deletedDate?.microseconds,
      ])
    let number = db.lastInsertedRowID
    for (position, value) in outcome.values.enumerated() {
      try insert(value, at: position, of: number)
    }
    for parent in previous {
      try insertEdge(from: parent, to: outcome.uuid)
    }
  }

  private func insert(_ value: OutcomeValue, at position: Int, of outcome: Int64) throws {
    let (type, content) = value.value.columns
    try execute(
      """
      INSERT INTO outcome_value (outcome, position, type, value, unit, kind, time, provenance)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        outcome, position, type, content, value.unit?.code, value.kind, value.time.microseconds,
        value.provenance.rawValue,
      ])
  }

  /// The latest start of an event with a live outcome, over all versions of a task.
  func latestOutcomeStart(patient: String, task: String) throws -> Date? {
    let row = try row(
      """
      SELECT max(start_date) AS latest FROM outcome
      WHERE deleted_date IS NULL AND is_superseded = 0 AND task_uuid IN
        (SELECT uuid FROM version WHERE type = 'task' AND patient = ? AND id = ?)
      """, [patient, task])
    let latest: Int64? = try row?.optional("latest")
    return latest.map(Date.init(microseconds:))
  }
}
