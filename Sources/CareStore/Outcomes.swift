import Care
import Foundation

// MARK: - Changing

extension SQLTransaction {
  func setOutcome(
    _ values: [OutcomeValue], answer: Answer, of event: EventReference, now: Date
  ) throws -> Event {
    try changing {
      let history = try history(of: event)
      var found = try check(values, answer: answer, of: event, in: history, now)
      let stored = try storedOutcome(ofRead: found, in: history)
      var (entered, kept) = Self.split(values, of: found)
      let asStored = found.with(stored)
      if !entered.isEmpty {
        kept += try replaceEntered(
          entered, of: asStored, isTimed: answer.at != nil, now: now)
        guard kept.isEmpty, answer == .done else {
          if stored?.values != kept || stored?.answer != answer {
            try store(kept, answer: answer, of: found, key: stored?.key, now)
          }
          return try self.event(event, in: history)
        }
        // Delete the old answer; it would hide the new value.
        if let stored { try insert(tombstone(of: stored, now), deletedDate: now) }
      } else {
        // Values entered before stay samples, and stay the event's.
        kept += try heldValues(of: asStored).filter { !$0.samples.isEmpty }.map(\.value)
        // The same values again are no new version.
        guard stored?.values != kept || stored?.answer != answer else {
          return try self.event(event, in: history)
        }
        let outcome = try store(kept, answer: answer, of: found, key: stored?.key, now)
        if found.task.linkages.isEmpty, outcome.key == found.key {
          found.outcome = outcome
          return found
        }
      }
      return try self.event(event, in: history)
    }
  }

  func addOutcomes(
    _ additions: [(event: EventReference, values: [OutcomeValue])], now: Date
  ) throws -> [Event] {
    try changing {
      try additions.map { event, values in
        let history = try history(of: event)
        let found = try check(values, answer: .done, of: event, in: history, now)
        guard found.outcome == nil else {
          throw StoreError.refused(
            .outcomeExists(task: found.task.id, occurrence: event.occurrence))
        }
        return try setOutcome(values, answer: .done, of: event, now: now)
      }
    }
  }

  func deleteOutcome(of event: EventReference, now: Date) throws -> Event {
    try changing {
      let history = try history(of: event)
      let found = try self.event(event, in: history)
      try OutcomeRule.checkTakingBack(of: found)
      let stored = try storedOutcome(ofRead: found, in: history)
      let entered = try enteredSamples(of: found.with(stored))
      guard stored != nil || !entered.isEmpty else { throw Self.nothingStored(found) }
      for sample in entered { try deleteEntered(sample, now: now) }
      if let stored { try insert(tombstone(of: stored, now), deletedDate: now) }
      return try self.event(event, in: history)
    }
  }

  /// The event that `values` may be the outcome of, with its current outcome.
  private func check(
    _ values: [OutcomeValue], answer: Answer, of event: EventReference, in history: TaskHistory,
    _ now: Date
  ) throws -> Event {
    let found = try self.event(event, in: history)
    _ = try OutcomeRule.check(
      values, of: event, in: history, existing: found.outcome, now: now, answer: answer)
    return found
  }

  private static func nothingStored(_ event: Event) -> StoreError {
    let (task, occurrence) = (event.task.id, event.occurrence.index)
    return event.outcome == nil
      ? .unknown(.outcome(task: task, occurrence: occurrence))
      : .refused(.computedOutcome(task: task, occurrence: occurrence))
  }

  /// Stores an outcome; in place of an earlier one under its `key`, also if the event has moved.
  ///
  /// - Returns: The outcome as it is read from now on.
  @discardableResult
  private func store(
    _ values: [OutcomeValue], answer: Answer, of event: Event, key: EventKey?, _ now: Date
  ) throws -> Outcome {
    try requireStorable(answer.reason)
    for value in values {
      try requireStorable(value.kind)
      switch value.value {
      case .text(let text): try requireStorable(text)
      case .attachment(let attachment): try requireStored(attachment)
      case .integer, .double, .boolean, .binary, .date: break
      }
    }
    var outcome = Outcome(
      uuid: makeUUID(), event: event, values: values, createdDate: now.wholeMicroseconds,
      answer: answer)
    outcome.answer.at = answer.at?.wholeMicroseconds
    for index in outcome.values.indices {
      outcome.values[index].time = outcome.values[index].time.wholeMicroseconds
    }
    outcome.key = key ?? outcome.key
    let stored = try insert(outcome)
    if try !attachmentDigests(of: stored.key).isEmpty {
      try requireRoomForAttachments(of: stored.key.patient)
    }
    return stored
  }

  private func tombstone(of outcome: Outcome, _ now: Date) -> Outcome {
    var tombstone = outcome
    tombstone.uuid = makeUUID()
    tombstone.createdDate = now
    tombstone.values = []
    return tombstone
  }
}

// MARK: - Outcomes follow their events

extension SQLTransaction {
  /// Refuses a version of a task that would leave an outcome without its event, or, with
  /// `dropsOutcomes`, deletes such outcomes.
  func checkOutcomesStay(
    after version: VersionRow, in graph: VersionGraph, and further: [VersionRow] = [],
    isEnding: Bool, dropsOutcomes: Bool = false, now: Date = .distantPast
  ) throws {
    guard let old = try Self.history(graph) else { return }
    let new = TaskHistory(old.versions + (try ([version] + further).map(CareTask.init)))
    let lost = try lostEvents(from: old, to: new, since: version.effectiveDate)
    guard let first = lost.first else { return }
    guard dropsOutcomes else {
      throw StoreError.refused(
        .hiddenOutcome(
          task: version.id, patient: version.patient, days: lost.map(\.start),
          effectiveDate: version.effectiveDate, isEnding: isEnding,
          timeZone: old.current(at: first.start)?.schedule.elements.first?.timeZone ?? .gmt))
    }
    for key in lost {
      guard let stored = try shownOutcome(of: key) else { continue }
      try insert(tombstone(of: stored, now), deletedDate: now)
    }
  }

  /// Refuses a state in which a task's outcome has no event.
  func checkOutcomesStay(of task: TaskReference, from date: Date) throws {
    let history = try Self.history(graph(of: .task(task))) ?? TaskHistory([])
    let lost = try storedKeys(of: task, since: date).filter { key in
      history.event(startingAt: key.start, ordinal: key.ordinal) == nil
    }
    guard !lost.isEmpty else { return }
    let zone = try history.versions.first?.schedule.elements.first?.timeZone ?? planTimeZone()
    throw StoreError.refused(
      .hiddenOutcome(
        task: task.task, patient: task.patient, days: lost.map(\.start), effectiveDate: date,
        isEnding: false, timeZone: zone ?? .gmt))
  }

  /// The events since a date that have an outcome by `old` and none by `new`.
  private func lostEvents(
    from old: TaskHistory, to new: TaskHistory, since date: Date
  ) throws -> [EventKey] {
    guard let task = old.versions.first else { return [] }
    let reference = TaskReference(patient: task.patient, task: task.id)
    var lost = try storedKeys(of: reference, since: date).filter { key in
      new.event(startingAt: key.start, ordinal: key.ordinal) == nil
        && old.event(startingAt: key.start, ordinal: key.ordinal) != nil
    }
    guard old.versions.contains(where: { !$0.linkages.isEmpty }),
      let end = try lastMeasured(for: old), date <= end
    else { return lost }
    for event in try old.events(from: date, to: end.addingMicrosecond)
    where event.occurrence.start >= date {
      let next = new.event(startingAt: event.occurrence.start, ordinal: event.ordinal)
      if let next, next.task.linkages == event.task.linkages,
        next.occurrence.linkageEnd == event.occurrence.linkageEnd
      {
        continue
      }
      guard try hasSamples(event), try next.map(hasSamples) != true else { continue }
      lost.append(event.key)
    }
    return lost.sorted { ($0.start, $0.ordinal) < ($1.start, $1.ordinal) }
  }

  /// The latest start of a sample that a task may be linked to.
  private func lastMeasured(for history: TaskHistory) throws -> Date? {
    let linked = history.versions.flatMap(\.linkages).map(\.quantity)
    let linkages = Set(linked + linked.compactMap(\.counterpart))
    guard let patient = history.versions.first?.patient else { return nil }
    return try linkages.compactMap { quantity in
      try latestSample(patient: patient, quantity: quantity)?.start
    }.max()
  }

  /// The events of a task that have a stored outcome.
  private func storedKeys(of task: TaskReference, since date: Date) throws -> [EventKey] {
    try shownOutcomes(
      "patient = ? AND task = ? AND start_date >= ?",
      [task.patient, task.task, date.microseconds]
    ).map(\.key)
  }
}

// MARK: - Rows

extension SQLTransaction {
  /// The shown outcomes of events that start in [from, to).
  func shownOutcomes(
    patient: String, task: String?, from: Date, to: Date, countsOnly: Bool = false
  ) throws -> [Outcome] {
    let span: Arguments = [from.microseconds, to.microseconds]
    guard let task else {
      // The order of the index of a person's days: a year is read without sorting it.
      return try shownOutcomes(
        "patient = ? AND start_date >= ? AND start_date < ?", [patient] + span,
        order: "start_date, number, position", countsOnly: countsOnly)
    }
    return try shownOutcomes(
      "patient = ? AND task = ? AND start_date >= ? AND start_date < ?", [patient, task] + span)
  }

  /// The outcome of an event that was just read, without what its samples give.
  private func storedOutcome(
    ofRead event: Event, in history: TaskHistory
  ) throws -> Outcome? {
    event.task.linkages.isEmpty ? event.outcome : try storedOutcome(of: event, in: history)
  }

  /// The outcome that an event has.
  func shownOutcome(of event: EventKey) throws -> Outcome? {
    try shownOutcomes(
      "patient = ? AND task = ? AND start_date = ? AND ordinal = ?",
      [event.patient, event.task, event.start.microseconds, event.ordinal]
    ).first
  }

  /// The outcomes that no version follows: of several for one event the newest, unless it is a
  /// deletion; where answers add up all of them together.
  private func shownOutcomes(
    _ condition: String, _ arguments: Arguments,
    order: String = "start_date, ordinal, number, position", countsOnly: Bool = false
  ) throws -> [Outcome] {
    var shown: [Outcome] = []
    // The versions for the events of one start.
    var tips: [Tip] = []
    var last: Int64?
    func close() throws {
      if tips.count > 1 { tips.sort(by: Tip.precedes) }
      var first = 0
      while first < tips.count {
        let key = tips[first].outcome.key
        let end = tips[first...].firstIndex { $0.outcome.key != key } ?? tips.count
        // Which of several counts, their dates decide.
        let outcome =
          countsOnly && end - first > 1 ? try shownOutcome(of: key) : try joined(tips[first..<end])
        if let outcome { shown.append(outcome) }
        first = end
      }
      tips.removeAll(keepingCapacity: true)
    }
    // Each outcome has a row for each value.
    try rows(
      """
      SELECT \(countsOnly ? Self.counted : "outcome.*"), outcome_value.* FROM outcome
        LEFT JOIN outcome_value ON outcome_value.outcome = outcome.number
      WHERE \(condition) AND is_tip = 1
      ORDER BY \(order)
      """, arguments
    ) { row in
      let number: Int64 = try row.required("number")
      if number != last {
        let version =
          countsOnly
          ? try CountedOutcomeRow(reading: row).row : try OutcomeRow(reading: row)
        if let first = tips.first, first.outcome.start != version.outcome.start { try close() }
        last = number
        tips.append(Tip(outcome: version.outcome, isDeleted: version.deletedDate != nil))
      }
      if try row.optional("position") as Int64? != nil {
        tips[tips.count - 1].outcome.values.append(try OutcomeValue(row))
      }
    }
    try close()
    return shown
  }

  private static let counted =
    (["number"] + Table("outcome", of: CountedOutcomeRow.self).columns.map(\.name))
    .joined(separator: ", ")

  /// A version of an outcome that no other follows.
  private struct Tip {
    var outcome: Outcome
    var isDeleted: Bool

    /// The order of tips of one start: by event, the newest of an event first.
    static func precedes(_ a: Tip, _ b: Tip) -> Bool {
      let (first, second) = (a.outcome, b.outcome)
      guard first.key == second.key else {
        return (first.key.patient, first.key.task, first.key.ordinal)
          < (second.key.patient, second.key.task, second.key.ordinal)
      }
      return (first.createdDate, first.uuid.uuidString)
        > (second.createdDate, second.uuid.uuidString)
    }
  }

  /// The outcome that the tips of one event are, the newest first; `nil` for a deletion.
  private func joined(_ tips: ArraySlice<Tip>) throws -> Outcome? {
    guard let newest = tips.first else { return nil }
    guard tips.count > 1 else { return newest.isDeleted ? nil : newest.outcome }
    let live = tips.filter { !$0.isDeleted }.map(\.outcome)
    guard live.count > 1, try addsUp(live) else {
      return newest.isDeleted ? nil : newest.outcome
    }
    // Entries from before they parted are in each of them, and count once.
    var values: [OutcomeValue] = []
    for outcome in live.reversed() {
      var known = values
      values += outcome.values.filter { value in
        guard let place = known.firstIndex(of: value) else { return true }
        known.remove(at: place)
        return false
      }
    }
    var outcome = live[0]
    outcome.values = values.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    return outcome
  }

  /// Whether independent answers of one event are entries of one log.
  private func addsUp(_ outcomes: [Outcome]) throws -> Bool {
    guard let key = outcomes.first?.key, outcomes.allSatisfy({ $0.answer.state == .done }),
      let history = try plan().history(of: TaskReference(patient: key.patient, task: key.task))
    else { return false }
    let owner = history.event(startingAt: key.start, ordinal: key.ordinal)?.task
    // Of a linked task the samples add up.
    return (owner ?? history.versions.last).map {
      $0.planned.addsUp && $0.linkages.isEmpty
    } ?? false
  }

  func answers(of event: EventKey) throws -> [AnswerVersion] {
    try reading {
      var versions: [AnswerVersion] = []
      var last: Int64?
      try rows(
        """
        SELECT outcome.*, outcome_value.* FROM outcome
          LEFT JOIN outcome_value ON outcome_value.outcome = outcome.number
        WHERE patient = ? AND task = ? AND start_date = ? AND ordinal = ?
        ORDER BY created_date, uuid, position
        """, [event.patient, event.task, event.start.microseconds, event.ordinal]
      ) { row in
        let number: Int64 = try row.required("number")
        if number != last {
          let outcome = try Outcome(row)
          let deleted: Int64? = try row.optional("deleted_date")
          versions.append(
            AnswerVersion(
              outcome: deleted == nil ? outcome : nil,
              date: deleted.map { Date(microseconds: $0) } ?? outcome.createdDate))
          last = number
        }
        if try row.optional("position") as Int64? != nil {
          versions[versions.count - 1].outcome?.values.append(try OutcomeValue(row))
        }
      }
      return versions
    }
  }

  func outcomeConflicts() throws -> [OutcomeConflict] {
    try reading {
      let events = try rows(
        """
        SELECT patient, task, start_date, ordinal FROM outcome WHERE is_tip = 1
        GROUP BY patient, task, start_date, ordinal HAVING count(*) > 1
        """
      ) { row in
        EventKey(
          patient: try row.text("patient"), task: try row.text("task"),
          start: try row.date("start_date"), ordinal: try row.required("ordinal"))
      }
      return try events.compactMap { event in
        let tips = try rows(
          """
          SELECT * FROM outcome
          WHERE patient = ? AND task = ? AND start_date = ? AND ordinal = ? AND is_tip = 1
          ORDER BY created_date DESC, uuid DESC
          """, [event.patient, event.task, event.start.microseconds, event.ordinal]
        ) { try exchangedOutcome($0, writers: [:]) }
        guard let shown = tips.first, tips.contains(where: { !$0.saysTheSame(as: shown) }) else {
          return nil
        }
        // Logs are joined, so that nothing is left to decide.
        let isJoined = tips.allSatisfy { $0.deletedDate == nil }
        guard try !isJoined || !addsUp(tips.map(\.outcome)) else { return nil }
        return OutcomeConflict(
          event: event, shown: shown.outcome.uuid, others: tips.dropFirst().map(\.outcome.uuid))
      }
    }
  }

  /// Stores a version of an event's outcome, which follows all earlier ones; with a date of
  /// deletion it is a tombstone.
  ///
  /// - Returns: The version as it is stored.
  @discardableResult
  func insert(_ outcome: Outcome, deletedDate: Date? = nil) throws -> Outcome {
    let event: Arguments = [
      outcome.key.patient, outcome.key.task, outcome.start.microseconds, outcome.key.ordinal,
    ]
    let condition = "patient = ? AND task = ? AND start_date = ? AND ordinal = ? AND is_tip = 1"
    let previous = try rows(
      "SELECT uuid, created_date FROM outcome WHERE \(condition)", event
    ) { row in
      (uuid: try row.uuid("uuid"), made: try row.date("created_date"))
    }
    var outcome = outcome
    // An outcome is newer than those that it follows, also if the clock was set back.
    if let latest = previous.map(\.made).max(), latest >= outcome.createdDate {
      outcome.createdDate = latest.addingMicrosecond
    }
    if outcome.isMeasured { outcome.uuid = .derived(from: outcome, after: previous.map(\.uuid)) }
    let replaced = previous.isEmpty ? [] : try attachmentDigests(of: outcome.key)
    if !previous.isEmpty {
      try execute("UPDATE outcome SET is_tip = 0 WHERE \(condition)", event)
    }
    try insertRow(outcome, deletedDate: deletedDate, isTip: true, stamp: try nextStamp())
    try removeLooseAttachments(among: replaced)
    for parent in previous { try insertEdge(from: parent.uuid, to: outcome.uuid) }
    return outcome
  }

  /// Stores the row of an outcome, with its values.
  func insertRow(_ outcome: Outcome, deletedDate: Date?, isTip: Bool, stamp: Stamp) throws {
    let number = try nextNumber(of: OutcomeRow.table)
    try store(
      OutcomeRow(outcome: outcome, deletedDate: deletedDate, isTip: isTip, stamp: stamp),
      in: OutcomeRow.table, number: number)
    for (position, value) in outcome.values.enumerated() {
      try insert(value, at: position, of: number)
    }
  }

  private func insert(_ value: OutcomeValue, at position: Int, of outcome: Int64) throws {
    let (type, content) = value.value.columns
    let attachment: Attachment? =
      if case .attachment(let attachment) = value.value { attachment } else { nil }
    try execute(
      OutcomeValue.table.insertion,
      [
        outcome, position, type, content, value.unit?.code, value.kind, value.time.microseconds,
        value.provenance.rawValue, attachment?.type.rawValue, attachment?.byteCount,
      ])
  }
}

extension Date {
  /// The date as a store holds it.
  var wholeMicroseconds: Date { Date(microseconds: microseconds) }
}

extension Outcome {
  /// Whether all of its values were measured: a replay in another store gives the same.
  fileprivate var isMeasured: Bool {
    !values.isEmpty && answer == .done && values.allSatisfy { $0.provenance != .manual }
  }
}

extension UUID {
  /// The id of a measured outcome: every store derives the same from the same measurement.
  fileprivate static func derived(from outcome: Outcome, after previous: [UUID]) -> UUID {
    let values = outcome.values.map { ValueLine($0).line }
    return derived(
      type: "outcome", patient: outcome.key.patient, id: outcome.key.task, parents: previous,
      effectiveDate: outcome.key.start,
      payload: "\(outcome.key.ordinal) \(outcome.createdDate.microseconds) "
        + values.joined(separator: ","))
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

extension Attachment {
  /// Reads the columns `media_type` and `byte_count`; `nil` if a row of bytes is none.
  fileprivate init?(_ row: Row, digest: [UInt8]) throws {
    guard let type: String = try row.optional("media_type") else { return nil }
    let count: Int = try row.required("byte_count")
    guard let known = MediaType(rawValue: type),
      let attachment = Attachment(type: known, byteCount: count, sha256: digest.hexString)
    else { throw ColumnError(column: "media_type", content: type) }
    self = attachment
  }
}

extension Value {
  /// Reads the columns `type` and `value`, and those of an attachment.
  init(_ row: Row) throws {
    let type = try row.text("type")
    switch type {
    case "integer": self = .integer(try row.required("value"))
    case "double": self = .double(try row.required("value"))
    case "boolean": self = .boolean(try row.required("value"))
    case "text": self = .text(try row.text("value"))
    case "binary":
      let data: Data = try row.required("value")
      self = try Attachment(row, digest: Array(data)).map(Value.attachment) ?? .binary(Array(data))
    case "date": self = .date(try row.date("value"))
    default: throw ColumnError(column: "type", content: type)
    }
  }

  /// Its content of the columns `type` and `value`.
  var columns: (type: String, value: any AnyArgument) {
    switch self {
    case .integer(let value): ("integer", value)
    case .double(let value): ("double", value)
    case .boolean(let value): ("boolean", value)
    case .text(let value): ("text", value)
    case .binary(let value): ("binary", Data(value))
    case .attachment(let value): ("binary", Data(sha256: value.sha256) ?? Data())
    case .date(let value): ("date", value.microseconds)
    }
  }
}
