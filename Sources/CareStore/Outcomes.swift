import Care
import Foundation
import GRDB

// MARK: - Changing

extension SQLTransaction {
  func setOutcome(
    _ values: [OutcomeValue], of event: EventReference, now: Date
  ) throws -> Event {
    try changing {
      let history = try history(of: event)
      let found = try check(values, of: event, in: history, now)
      // The same values again are no new version.
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
            .outcomeExists(task: found.task.id, occurrence: event.occurrence))
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
      guard var tombstone = try liveOutcome(of: event) else { throw Self.nothingStored(found) }
      tombstone.uuid = makeUUID()
      tombstone.createdDate = now
      tombstone.values = []
      try insert(tombstone, deletedDate: now)
      return try self.event(event, in: history)
    }
  }

  /// The event that `values` may be the outcome of, with its current outcome.
  private func check(
    _ values: [OutcomeValue], of event: EventReference, in history: TaskHistory, _ now: Date
  ) throws -> Event {
    let found = try self.event(event, in: history)
    _ = try OutcomeRule.check(
      values, of: event, in: history, existing: found.outcome, now: now)
    return found
  }

  private static func nothingStored(_ event: Event) -> StoreError {
    let (task, occurrence) = (event.task.id, event.occurrence.index)
    return event.outcome == nil
      ? .unknown(.outcome(task: task, occurrence: occurrence))
      : .refused(.computedOutcome(task: task, occurrence: occurrence))
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
}

// MARK: - Rows

extension SQLTransaction {
  /// The live outcomes of events that may be in [from, to).
  ///
  /// An outcome holds its event's span as it was when the outcome was made. A change of a zone's
  /// rules can have moved the event since, hence a day more on either side.
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

  /// Stores a version of an event's outcome, which follows all earlier ones; with a date of
  /// deletion it is a tombstone.
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

extension Outcome {
  /// Reads a row of the table `outcome`, which has these values.
  init(_ row: Row, values: [OutcomeValue]) throws {
    self.init(
      uuid: try row.parsed("uuid", UUID.init(uuidString:)),
      taskUUID: try row.parsed("task_uuid", UUID.init(uuidString:)),
      occurrence: try row.required("occurrence"), start: try row.date("start_date"),
      end: try row.date("end_date"), values: values, createdDate: try row.date("created_date"))
  }
}

extension OutcomeValue {
  /// Reads a row of the table `outcome_value`.
  init(_ row: Row) throws {
    self.init(
      value: try Value(row), unit: try row.optionalParsed("unit") { UnitOfMeasure($0) },
      kind: try row.optional("kind"), time: try row.date("time"),
      provenance: try row.parsed("provenance", Provenance.init(rawValue:)))
  }
}

extension Value {
  /// Reads the columns `type` and `value`.
  init(_ row: Row) throws {
    let type = try row.text("type")
    switch type {
    case "integer": self = .integer(try row.required("value"))
    case "double": self = .double(try row.required("value"))
    case "boolean": self = .boolean(try row.required("value"))
    case "text": self = .text(try row.text("value"))
    case "binary":
      let data: Data = try row.required("value")
      self = .binary(Array(data))
    case "date": self = .date(try row.date("value"))
    default: throw ColumnError(column: "type", content: type)
    }
  }

  /// Its content of the columns `type` and `value`.
  var columns: (type: String, value: any DatabaseValueConvertible) {
    switch self {
    case .integer(let value): ("integer", value)
    case .double(let value): ("double", value)
    case .boolean(let value): ("boolean", value)
    case .text(let value): ("text", value)
    case .binary(let value): ("binary", Data(value))
    case .date(let value): ("date", value.microseconds)
    }
  }
}
