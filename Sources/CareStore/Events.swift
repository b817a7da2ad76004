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
      for index in events.indices {
        if !events[index].task.linkages.isEmpty { events[index] = try linked(events[index]) }
        guard let now = query.now, let history = plan.history(of: events[index].taskReference)
        else { continue }
        events[index] = history.presented(events[index], at: now)
      }
      return events
    }
  }

  /// Gives events their stored outcomes.
  private func addOutcomes(
    to events: inout [Event], of query: EventQuery, _ plan: StoredPlan
  ) throws {
    // Events that began long before the span are in it, too.
    let first = min(events.first?.occurrence.start ?? query.from, query.from)
    let found = try shownOutcomes(
      patient: query.patient, task: query.task, from: first - Self.longestMove,
      to: query.to + Self.longestMove)
    guard !found.isEmpty else { return }
    var places: [EventKey: Int] = Dictionary(minimumCapacity: found.count)
    for (place, outcome) in found.enumerated() { places[outcome.key] = place }
    var isTaken = Array(repeating: false, count: found.count)
    for index in events.indices {
      guard let place = places[events[index].key] else { continue }
      events[index].outcome = found[place]
      isTaken[place] = true
    }
    let strays = found.indices.filter { place in
      let outcome = found[place]
      return !isTaken[place]
        && plan.history(of: outcome.task)?
          .event(startingAt: outcome.start, ordinal: outcome.key.ordinal) == nil
    }
    guard !strays.isEmpty else { return }
    let moved = Dictionary(
      strays.map { (found[$0].reference, found[$0]) }, uniquingKeysWith: { _, last in last })
    for index in events.indices where events[index].outcome == nil {
      events[index].outcome = moved[events[index].reference]
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
