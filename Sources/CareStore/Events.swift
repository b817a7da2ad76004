import Care
import Foundation

extension SQLTransaction {
  func events(_ query: EventQuery) throws -> [Event] {
    try reading {
      guard query.from < query.to else { return [] }
      let plan = try plan()
      let histories = plan.histories(patient: query.patient).filter { history in
        query.task == nil || history.versions.first?.id == query.task
      }
      var events = try EventExpansion.events(
        of: histories, outcomes: [], order: plan.order, from: query.from, to: query.to,
        omitsCrowded: query.omitsCrowded)
      try addOutcomes(to: &events, of: query, plan)
      try addMeasurements(to: &events)
      guard let now = query.now else { return events }
      for index in events.indices {
        guard let history = plan.history(of: events[index].taskReference) else { continue }
        events[index] = history.presented(events[index], at: now)
      }
      return events
    }
  }

  /// Gives the events of linked tasks what was measured, which is read for many of them together.
  private func addMeasurements(to events: inout [Event]) throws {
    let linked = events.indices.filter { !events[$0].task.linkages.isEmpty }
    defer { state.linked = nil }
    for start in stride(from: 0, to: linked.count, by: LinkedSamples.mostEvents) {
      let part = linked[start..<min(start + LinkedSamples.mostEvents, linked.count)]
      state.linked = part.count > 1 ? try linkedSamples(of: part.map { events[$0] }) : nil
      for index in part { events[index] = try self.linked(events[index]) }
    }
  }

  /// Gives events their stored outcomes.
  private func addOutcomes(
    to events: inout [Event], of query: EventQuery, _ plan: StoredPlan
  ) throws {
    // Events that began long before the span are in it, too.
    let first = min(events.first?.occurrence.start ?? query.from, query.from)
    let patients = Set(events.map { $0.task.patient })
    func found(from: Date, to: Date) throws -> [Outcome] {
      try patients.flatMap { patient in
        try shownOutcomes(
          patient: patient, task: query.task, from: from, to: to, countsOnly: query.countsOnly)
      }
    }
    let outcomes = try found(from: first, to: query.to)
    let places = Dictionary(
      outcomes.map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
    var taken: Set<EventKey> = []
    for index in events.indices {
      guard let outcome = places[events[index].key] else { continue }
      events[index].outcome = outcome
      taken.insert(outcome.key)
    }
    // An outcome whose event has moved since belongs to the occurrence of the same number.
    let open = Dictionary(
      events.indices.filter { events[$0].outcome == nil }.map { (events[$0].reference, $0) },
      uniquingKeysWith: { first, _ in first })
    guard !open.isEmpty else { return }
    let others =
      try found(from: first - Self.longestMove, to: first)
      + outcomes.filter { !taken.contains($0.key) }
      + found(from: query.to, to: query.to + Self.longestMove)
    for outcome in others {
      guard let index = open[outcome.reference],
        plan.history(of: outcome.task)?
          .event(startingAt: outcome.start, ordinal: outcome.key.ordinal) == nil
      else { continue }
      events[index].outcome = outcome
    }
  }

  /// How far a change of a zone's rules moves an event: its outcome holds the earlier start.
  private static var longestMove: TimeInterval { 86_400 }

  /// The outcome of an event, also if the event has moved since.
  func storedOutcome(of event: Event, in history: TaskHistory) throws -> Outcome? {
    let near = try shownOutcomes(
      patient: event.task.patient, task: event.task.id,
      from: event.occurrence.start - Self.longestMove,
      to: event.occurrence.start + Self.longestMove)
    if let outcome = near.first(where: { $0.key == event.key }) { return outcome }
    return near.first { outcome in
      outcome.reference == event.reference
        && history.event(startingAt: outcome.start, ordinal: outcome.key.ordinal) == nil
    }
  }

  /// The event that is meant, with its outcome.
  ///
  /// - Throws: `StoreError` as ``OutcomeRule/event(_:in:)`` does.
  func event(_ reference: EventReference, in history: TaskHistory) throws -> Event {
    var event = try OutcomeRule.event(reference, in: history)
    event.outcome = try storedOutcome(of: event, in: history)
    return try linked(event)
  }

  /// The versions of an event's task.
  func history(of event: EventReference) throws -> TaskHistory {
    guard let history = try plan().history(ofVersion: event.taskUUID) else {
      throw StoreError.unknown(.taskVersion(event.taskUUID))
    }
    return history
  }
}

// MARK: - Events of linked tasks

extension SQLTransaction {
  /// The event with the outcome that its samples give, if its task is linked to a quantity.
  ///
  /// Such an outcome is computed whenever it is read, so that an assigned or deleted sample has its
  /// effect at once. Only what a person answered or performed is stored.
  func linked(_ event: Event) throws -> Event {
    guard !event.task.linkages.isEmpty else { return event }
    let stored = event.outcome
    var values = stored?.values ?? []
    // A person's answer holds, whatever the sensors say.
    if event.isDeclined {
      var event = event
      values.removeAll { value in event.task.linkages.contains { event.task.holds(value, by: $0) } }
      event.outcome?.values = values
      return event
    }
    var latest: Date?
    var isHeld = false
    for linkage in event.task.linkages {
      let evidence = try evidence(for: event, by: linkage)
      // Read a value that is a sample from the sample, which may be corrected or deleted.
      let held = try heldValues(of: event, by: linkage).filter { !$0.samples.isEmpty }
      isHeld = isHeld || !held.isEmpty
      values.removeAll { value in held.contains { $0.value == value } }
      let isFirst = event.task.linkages.count == 1
      let found = linkage.values(of: evidence, for: event, existing: isFirst ? values : [])
      if isFirst {
        values = found
      } else {
        // The values of several quantities are told apart by kind.
        let kind = event.task.planned.valueKind(of: linkage)
        values += found.map { $0.named(kind) }
      }
      latest = [latest, evidence.latestArrival].compactMap(\.self).max()
    }
    guard values != stored?.values else { return event }
    var event = event
    if values.isEmpty {
      event.outcome = isHeld ? nil : stored
    } else {
      event.outcome = stored ?? Self.computedOutcome(of: event, latest: latest)
      event.outcome?.values = values
    }
    return event
  }

  /// Whether any sample counts for an event.
  func hasSamples(_ event: Event) throws -> Bool {
    var event = event
    if event.outcome == nil { event.outcome = try shownOutcome(of: event.key) }
    return try event.task.linkages.contains { linkage in
      try !linkage.values(of: evidence(for: event, by: linkage), for: event).isEmpty
    }
  }

  /// An outcome that is the same at any time and on any machine.
  private static func computedOutcome(of event: Event, latest: Date?) -> Outcome {
    Outcome(
      uuid: event.task.uuid.offset(by: event.occurrence.index), event: event, values: [],
      createdDate: latest ?? event.occurrence.start)
  }
}

/// The samples that count for an event by one linkage.
enum LinkedEvidence {
  /// All of them.
  case samples([Sample])
  /// The samples that a person entered, which stand alone, also outside the event's span.
  case entered([Sample])
  /// The summary of very many samples, and when the last one arrived.
  case reached(Reached)

  /// When the last of them arrived.
  var latestArrival: Date? {
    switch self {
    case .samples(let samples), .entered(let samples): samples.map(\.arrival).max()
    case .reached(let reached): reached.latestDate
    }
  }
}

extension Linkage {
  /// The values that the evidence gives an event.
  func values(
    of evidence: LinkedEvidence, for event: Event, existing: [OutcomeValue] = []
  ) -> [OutcomeValue] {
    switch evidence {
    case .samples(let samples): values(for: event, samples: samples, existing: existing)
    case .entered(let samples): values(of: samples, existing: existing)
    case .reached(let reached): values(of: reached, existing: existing)
    }
  }
}

extension OutcomeValue {
  /// The value under its quantity's name, unless it has a kind.
  fileprivate func named(_ kind: String?) -> OutcomeValue {
    var value = self
    value.kind = value.kind ?? kind
    return value
  }
}

extension Outcome {
  /// The event in whose version of the task it was found.
  fileprivate var reference: EventReference {
    EventReference(taskUUID: taskUUID, occurrence: occurrence)
  }

  /// The task that its event is an occurrence of.
  fileprivate var task: TaskReference { TaskReference(patient: key.patient, task: key.task) }
}

extension Event {
  /// The task that it is an occurrence of.
  var taskReference: TaskReference { TaskReference(patient: task.patient, task: task.id) }
}

extension UUID {
  /// A different id for each offset of at least 0, always the same.
  fileprivate func offset(by offset: Int) -> UUID {
    let mask: UInt64 = 0xFFFF_FFFF_FFFF
    let moved = UInt64(truncatingIfNeeded: offset) & mask
    func byte(_ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: moved >> (8 * place)) }
    var bytes = uuid
    bytes.10 ^= byte(5)
    bytes.11 ^= byte(4)
    bytes.12 ^= byte(3)
    bytes.13 ^= byte(2)
    bytes.14 ^= byte(1)
    bytes.15 ^= byte(0)
    return UUID(uuid: bytes)
  }
}

// MARK: - Entered values

// A value that a person enters for an event of a linked quantity is a sample, at the time that the
// person states. Samples count for an event by its span. If a sample lies outside it, the event's
// outcome holds the value and the time, too: they say for which event it was entered. Such a sample
// counts for that event alone, also if another event of the task spans its time; for other tasks it
// counts like any sample. The event shows the sample's value, which can be corrected or deleted.

/// A value that an outcome holds because it was measured outside its event.
struct HeldValue {
  let value: OutcomeValue
  /// The samples that were stored of it, in whatever state; none in a store of an old version.
  let samples: [Sample]
}

extension SQLTransaction {
  /// The values that a person entered for a linked quantity, with the linkage; and the others.
  static func split(
    _ values: [OutcomeValue], of event: Event
  ) -> (entered: [(value: OutcomeValue, linkage: Linkage)], kept: [OutcomeValue]) {
    var entered: [(value: OutcomeValue, linkage: Linkage)] = []
    var kept: [OutcomeValue] = []
    for value in values {
      let linkage = event.task.linkages.first { event.task.holds(value, by: $0) }
      if let linkage {
        entered.append((value, linkage))
      } else {
        kept.append(value)
      }
    }
    return (entered, kept)
  }

  /// Stores the values that a person entered for an event as samples; they replace earlier ones.
  ///
  /// A value that is entered again unchanged keeps its sample.
  ///
  /// - Parameters:
  ///   - entered: The values that are to hold.
  ///   - event: The event with its outcome as it is stored.
  ///   - isTimed: Whether the person says when it was.
  ///   - now: The current time.
  /// - Returns: The values that lie outside the event, for its outcome.
  /// - Throws: `StoreError`.
  func replaceEntered(
    _ entered: [(value: OutcomeValue, linkage: Linkage)], of event: Event, isTimed: Bool, now: Date
  ) throws -> [OutcomeValue] {
    var earlier = try enteredSamples(of: event)
    let known = Set(earlier.map(\.start))
    var added: [Sample] = []
    var outside: [OutcomeValue] = []
    for (ordinal, (value, linkage)) in entered.enumerated() {
      // A value that was entered before and stays beside a new one keeps its time.
      let isStated = isTimed || known.contains(value.time)
      let new = Sample(
        value, of: event, by: linkage, ordinal: ordinal, isStated: isStated, now: now)
      guard let new else { continue }
      let same = earlier.firstIndex { old in
        old.quantity == new.quantity && old.value.isNearly(new.value)
          && (!isStated || old.start == new.start)
      }
      let sample = same.map { earlier.remove(at: $0) } ?? new
      if same == nil { added.append(sample) }
      guard !event.takes(sample, by: linkage) else { continue }
      // A correction stands in place of what was entered, which stays.
      let origin = try sample.corrects.flatMap { try self.sample($0) } ?? sample
      outside.append(
        OutcomeValue(
          value: .double(origin.value), unit: origin.quantity.unit,
          kind: event.task.planned.valueKind(of: linkage), time: origin.start, provenance: .manual)
      )
    }
    for sample in earlier { try deleteEntered(sample, now: now) }
    for var sample in added {
      // The same value at the same time can have been entered and deleted before.
      while try self.sample(sample.identity) != nil {
        sample.reading.ordinal += 1
        sample.identity = SampleIdentity(sample.reading)
      }
      _ = try insert(sample)
    }
    return outside
  }

  /// Deletes what a person entered, with its corrections.
  func deleteEntered(_ sample: Sample, now: Date) throws {
    _ = try change(.sample(sample.corrects ?? sample.identity), .delete, reason: nil, now: now)
  }

  func enteredValues(of event: Event) throws -> [OutcomeValue] {
    try reading {
      let manual = event.outcome?.values.filter { $0.provenance == .manual } ?? []
      guard !event.task.linkages.isEmpty else { return manual }
      let stored = event.with(try storedOutcome(of: event, in: try history(of: event.reference)))
      let answers = manual.filter { value in
        !event.task.linkages.contains { event.task.holds(value, by: $0) }
      }
      let samples = try enteredSamples(of: stored)
      let measures = event.task.linkages.flatMap { linkage in
        samples.filter { $0.quantity == linkage.quantity }.compactMap { sample in
          linkage.quantity.unit.convert(sample.value, to: linkage.unit).map { number in
            (
              arrival: sample.corrects == nil ? sample.arrival : sample.start,
              ordinal: sample.reading.ordinal,
              value: OutcomeValue(
                value: .double(number), unit: linkage.unit,
                kind: event.task.planned.valueKind(of: linkage), time: sample.start,
                provenance: .manual)
            )
          }
        }
      }
      return answers
        + measures.sorted { ($0.arrival, $0.ordinal) < ($1.arrival, $1.ordinal) }.map(\.value)
    }
  }

  /// The samples that a person entered for an event, as they stand.
  ///
  /// - Parameter event: The event with its outcome as it is stored.
  /// - Returns: The samples.
  /// - Throws: `StoreError`.
  func enteredSamples(of event: Event) throws -> [Sample] {
    try event.task.linkages.flatMap { linkage in
      try enteredSamples(
        of: event, by: linkage,
        among: try samples(
          SampleQuery(
            owner: .patient(event.task.patient), quantity: linkage.quantity,
            from: event.occurrence.start, to: event.occurrence.linkageEnd)
        ).filter { !$0.reading.isStreamed })
    }
  }

  /// The samples that a person entered for an event by one linkage, as they stand.
  ///
  /// - Parameters:
  ///   - event: The event with its outcome as it is stored.
  ///   - linkage: One of its task's.
  ///   - near: The live samples of the patient and quantity in the event's span.
  /// - Returns: The samples.
  /// - Throws: `StoreError`.
  func enteredSamples(
    of event: Event, by linkage: Linkage, among near: [Sample]
  ) throws -> [Sample] {
    var found = try heldValues(of: event, by: linkage).compactMap { held in
      try held.samples.lazy.compactMap { try standing($0, of: event.task.patient) }.first
    }
    for sample in near
    where try event.takes(sample) && isEntered(sample)
      && !found.contains(where: { $0.identity == sample.identity })
      && !isForAnother(sample, than: event)
    {
      found.append(sample)
    }
    return found
  }

  /// Returns the sample that counts for an entered one: itself or its correction; `nil` if neither
  /// counts for the patient.
  private func standing(_ sample: Sample, of patient: String) throws -> Sample? {
    try ([sample] + corrections(of: sample.identity)).first {
      $0.state == .live && $0.patient == patient
    }
  }

  /// The values that an event's outcome holds, with their samples.
  func heldValues(of event: Event) throws -> [HeldValue] {
    try event.task.linkages.flatMap { try heldValues(of: event, by: $0) }
  }

  /// The values of one linkage that an event's outcome holds, with their samples.
  func heldValues(of event: Event, by linkage: Linkage) throws -> [HeldValue] {
    let values = event.outcome?.values.filter { event.task.holds($0, by: linkage) } ?? []
    guard !values.isEmpty else { return [] }
    return try values.map { value in
      HeldValue(value: value, samples: try samples(of: value, in: event, by: linkage))
    }
  }

  /// The samples, in whatever state, that were stored of a value.
  private func samples(
    of value: OutcomeValue, in event: Event, by linkage: Linkage
  ) throws -> [Sample] {
    let device = linkage.device ?? .entered
    func isOfValue(_ sample: Sample) -> Bool {
      sample.device.address == device && value.isValue(of: sample, by: linkage)
    }
    let own = try rows(
      """
      \(Sample.select) WHERE patient = ? AND sample.quantity = ? AND start_date = ?
        AND corrects IS NULL
      """, [event.task.patient, linkage.quantity.rawValue, value.time.microseconds],
      read: Sample.init
    ).filter(isOfValue)
    guard own.isEmpty else { return own }
    // It may have been given to another person.
    let key = SeriesKey(device: device.text, quantity: linkage.quantity.rawValue, userIndex: -1)
    guard let series = try series(key) else { return [] }
    return try rows(
      "\(Sample.select) WHERE series = ? AND start_date = ? AND corrects IS NULL",
      [series, value.time.microseconds], read: Sample.init
    ).filter(isOfValue)
  }

  /// The events of a task whose outcomes hold values that people entered, by the values' times.
  private func holders(of task: TaskReference) throws -> [Int64: [EventKey]] {
    if let known = state.linked?.holders[task] { return known }
    var holders: [Int64: [EventKey]] = [:]
    try rows(
      """
      SELECT DISTINCT start_date, ordinal, outcome_value.time AS time FROM outcome
        JOIN outcome_value ON outcome_value.outcome = outcome.number
      WHERE patient = ? AND task = ? AND is_tip = 1 AND deleted_date IS NULL
        AND outcome_value.provenance = 'manual'
      """, [task.patient, task.task]
    ) { row in
      let key = EventKey(
        patient: task.patient, task: task.task, start: try row.date("start_date"),
        ordinal: try row.required("ordinal"))
      holders[try row.required("time"), default: []].append(key)
    }
    state.linked?.holders[task] = holders
    return holders
  }

  /// Whether a sample that a person entered is for another event of the task, which lies outside.
  private func isForAnother(_ sample: Sample, than event: Event) throws -> Bool {
    let origin = try sample.corrects.flatMap { try self.sample($0) } ?? sample
    let keys = try holders(of: event.taskReference)[origin.start.microseconds] ?? []
    return try keys.contains { key in
      guard key != event.key, let outcome = try shownOutcome(of: key) else { return false }
      return event.task.linkages.contains { linkage in
        outcome.values.contains {
          event.task.holds($0, by: linkage) && $0.isValue(of: origin, by: linkage)
        }
      }
    }
  }
}

extension Event {
  /// The event with its outcome as it is stored, without what samples give.
  func with(_ stored: Outcome?) -> Event {
    var event = self
    event.outcome = stored
    return event
  }
}

extension CareTask {
  /// Whether a value is one that a person entered for the quantity of a linkage.
  func holds(_ value: OutcomeValue, by linkage: Linkage) -> Bool {
    value.provenance == .manual && value.value.number != nil
      && planned.linkages.first { planned.isValue(value, of: $0) } == linkage
  }
}

extension OutcomeValue {
  /// Whether `sample` is what was stored of it.
  fileprivate func isValue(of sample: Sample, by linkage: Linkage) -> Bool {
    guard sample.provenance == .manual, sample.quantity == linkage.quantity, sample.start == time,
      let number = value.number,
      let canonical = (unit ?? linkage.unit).convert(number, to: linkage.quantity.unit)
    else { return false }
    return canonical.isNearly(sample.value)
  }
}

extension Double {
  /// Whether two numbers differ by no more than the conversion of units there and back.
  fileprivate func isNearly(_ other: Double) -> Bool {
    abs(self - other) <= 1e-9 * max(abs(self), abs(other))
  }
}

extension Sample {
  /// Makes the sample of a value that a person entered for an event, at the time the person states.
  ///
  /// Without a stated time, it was measured now, or at the event's start if the event and its day
  /// are over.
  fileprivate init?(
    _ value: OutcomeValue, of event: Event, by linkage: Linkage, ordinal: Int, isStated: Bool,
    now: Date
  ) {
    guard let number = value.value.number,
      let canonical = (value.unit ?? linkage.unit).convert(number, to: linkage.quantity.unit)
    else { return nil }
    let time =
      (isStated ? value.time : event.occurrence.timeOfEntry(value.time)).wholeMicroseconds
    let unit = value.unit ?? linkage.unit
    let reading = Reading(
      quantity: linkage.quantity, value: canonical,
      sourceValue: unit == linkage.quantity.unit ? nil : SourceValue(value: number, unit: unit),
      arrival: now.wholeMicroseconds,
      device: DeviceIdentity(address: linkage.device ?? .entered),
      ordinal: ordinal, context: event.task.activeTask.map { MeasurementContext($0) } ?? [])
    self.init(
      identity: SampleIdentity(reading), reading: reading, patient: event.task.patient, start: time,
      end: time, provenance: .manual)
  }
}
