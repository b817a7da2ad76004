package import Care
package import Foundation

/// The firings of a plan that are due at a time: reminders, fallbacks, alerts and rules.
///
/// It has no state and no clock: everything follows from the store and the time that is passed in.
/// A firing is recorded in the store, so that it happens once, whatever the clock does.
package enum Agenda {
  /// The firings that are due at a time, and when to look again.
  package struct Look: Hashable, Sendable {
    /// A firing that is due, and the next version of its task that a rule makes.
    package struct Due: Hashable, Sendable {
      package var firing: Firing
      package var task: PlannedTask?
    }

    /// The firings that are due and were never recorded, by due date.
    package var due: [Due]
    /// When the next reminder or fallback is due, at most a day from now.
    ///
    /// Firings that follow from results are due when the store changes.
    package var wakeAt: Date
  }

  /// How far back a result makes a rule or an alert fire, in seconds: a week.
  ///
  /// A device can deliver its records days later.
  package static let memory: TimeInterval = 7 * 86_400
  /// The longest time between two looks, in seconds: a day.
  private static let longestPause: TimeInterval = 86_400
  /// The most passes of one run; each makes at most one version of a task.
  private static let mostPasses = 50

  /// Finds the firings that are due at `now`.
  ///
  /// - Throws: ``StoreError``.
  package static func look(_ reader: any StoreReader, now: Date) throws -> Look {
    var look = Look(due: [], wakeAt: now + longestPause)
    let people = try PlanPeople(reader)
    for history in try reader.histories(patient: nil) {
      try TaskAgenda(history, of: people, reader, now: now)?.add(
        to: &look, longestPause: longestPause)
    }
    look.due.sort { a, b in
      let (first, second) = (a.firing, b.firing)
      return (first.due, first.event.patient, first.event.task, first.kind.rawValue)
        < (second.due, second.event.patient, second.event.task, second.kind.rawValue)
    }
    return look
  }

  /// Records everything that is due at `now`.
  ///
  /// - Returns: The recorded firings, in order.
  /// - Throws: ``StoreError``.
  package static func run(_ writer: any StoreWriter, now: Date) throws -> [StoredFiring] {
    var recorded: [StoredFiring] = []
    for _ in 0..<mostPasses {
      let due = try look(writer, now: now).due
      guard !due.isEmpty else { break }
      // A further version of a task follows from the first one.
      var changed: Set<TaskReference> = []
      for item in due {
        let event = item.firing.event
        let task = TaskReference(patient: event.patient, task: event.task)
        if item.task != nil, !changed.insert(task).inserted { continue }
        if let stored = try writer.record(item.firing, making: item.task, now: now) {
          recorded.append(stored)
        }
      }
    }
    return recorded
  }
}

/// The firings of one task.
struct TaskAgenda {
  let people: PlanPeople
  let history: TaskHistory
  let current: CareTask
  let reader: any StoreReader
  let now: Date
  /// The events whose reminders, fallbacks and results can matter now.
  let events: [Event]
  /// The recorded firings of this task: those of these events, and those of rules.
  let recorded: [Firing]

  /// `nil` for a task that makes nothing happen.
  init?(
    _ history: TaskHistory, of people: PlanPeople, _ reader: any StoreReader, now: Date
  ) throws {
    let versions = history.versions
    guard versions.contains(where: { $0.planned.hasAgenda }),
      let current = history.version(at: now) ?? versions.first
    else { return nil }
    self.people = people
    self.history = history
    self.current = current
    self.reader = reader
    self.now = now
    let lead = versions.compactMap { $0.reminder.map { max(0, -$0.offset) } }.max() ?? 0
    let readsResults = versions.contains { $0.planned.readsResults }
    // Nobody is reminded each second, and the other tasks are not kept waiting.
    let events = try reader.events(
      EventQuery(
        patient: current.patient, task: current.id,
        from: now - (readsResults ? Agenda.memory : 2 * 86_400), to: now + lead + 2 * 86_400,
        omitsCrowded: true))
    self.events = events
    func firings(_ kinds: Set<Firing.Kind>, from: Date?) throws -> [Firing] {
      try reader.firings(
        FiringQuery(
          patient: current.patient, task: current.id, kinds: kinds, eventsFrom: from)
      ).map(\.firing)
    }
    // A result that a rule has read never counts again, however long ago it was.
    recorded =
      try firings(
        [.reminder, .fallback, .alert, .snooze], from: events.map(\.occurrence.start).min() ?? now)
      + firings([.rule], from: nil)
  }

  func add(to look: inout Agenda.Look, longestPause: TimeInterval) throws {
    let known = Set(recorded.map(\.key))
    let isAway = people.isAway(current.patient, at: now)
    for event in events
    where !isAway && !people.isAway(current.patient, at: event.occurrence.start) {
      if event.awaitsReminder {
        let snoozes = recorded.filter { $0.kind == .snooze && $0.event == event.key }
        for (number, span) in event.reminderSpans.enumerated()
        where !snoozes.contains(where: { ($0.date..<$0.due).contains(span.lowerBound) }) {
          add(.reminder, event, span, number: number, known: known, to: &look)
        }
        // A reminder that was put off comes again, after the reminders of the plan in number.
        for snooze in snoozes {
          add(
            .reminder, event, snooze.due..<max(snooze.due, event.promptsUntil),
            number: (event.task.reminder?.times ?? 0) + 1 + snooze.key.number, known: known,
            to: &look)
        }
      }
      if event.awaitsFallback {
        add(.fallback, event, event.fallbackSpan, known: known, to: &look)
      }
    }
    for firing in alerts() where !known.contains(firing.key) {
      look.due.append(.init(firing: firing))
    }
    let absences = try self.absences()
    look.due += try rules() + absences.due
    if let wake = absences.wakeAt { look.wakeAt = min(look.wakeAt, wake) }
  }

  private func add(
    _ kind: Firing.Kind, _ event: Event, _ span: Range<Date>?, number: Int = 0,
    known: Set<Firing.Key>, to look: inout Agenda.Look
  ) {
    guard let span, !span.isEmpty else { return }
    if span.lowerBound > now {
      look.wakeAt = min(look.wakeAt, span.lowerBound)
    } else if span.contains(now) {
      let firing = Firing(
        Firing.Key(kind, event.key, number: number), due: span.lowerBound, date: now)
      if !known.contains(firing.key) { look.due.append(.init(firing: firing)) }
    }
  }

  /// The values of recent events for which a threshold is an alert.
  private func alerts() -> [Firing] {
    events.filter { $0.occurrence.start >= now - Agenda.memory }.flatMap { $0.alerts(now: now) }
  }
}

extension PlannedTask {
  /// Whether anything can happen by itself.
  fileprivate var hasAgenda: Bool {
    reminder != nil || fallback != nil || readsResults
  }

  /// Whether results make anything happen.
  fileprivate var readsResults: Bool { !rules.isEmpty || thresholds.contains(where: \.alerts) }
}

extension Event {
  /// The alerts of its values: one for each threshold.
  func alerts(now: Date) -> [Firing] {
    guard let outcome, outcome.answer.state == .done else { return [] }
    return task.thresholds.filter(\.alerts).compactMap { threshold in
      let values = threshold.matches(in: outcome.values)
      guard let last = values.map(\.time).max() else { return nil }
      return Firing(
        Firing.Key(.alert, key, threshold: threshold), due: last, date: now,
        results: values.compactMap { value in
          value.value.number.map {
            RuleResult(
              start: occurrence.start, ordinal: ordinal, time: value.time, value: $0,
              unit: value.unit)
          }
        })
    }
  }
}

// MARK: - Prompts

/// A reminder or fallback that is of use now.
package struct Prompt: Hashable, Sendable {
  /// Whether it reminds, or asks for a value that has not arrived.
  package var kind: Firing.Kind
  /// When it became due.
  package var due: Date
  /// The event.
  package var event: Event
}

extension Agenda {
  /// The reminders and fallbacks of these events that are of use at `now`, by due date; of an event
  /// at most one.
  ///
  /// - Parameters:
  ///   - events: The events.
  ///   - putOff: Those whose prompts a person put off: see ``putOff(_:in:now:)``.
  ///   - now: The current time.
  /// - Returns: The prompts.
  package static func prompts(
    in events: [Event], putOff: Set<EventKey> = [], now: Date
  ) -> [Prompt] {
    events.compactMap { event in
      guard !putOff.contains(event.key) else { return nil }
      if event.awaitsFallback, let span = event.fallbackSpan, span.contains(now) {
        return Prompt(kind: .fallback, due: span.lowerBound, event: event)
      }
      if event.awaitsReminder, let span = event.reminderSpan, span.contains(now) {
        return Prompt(kind: .reminder, due: span.lowerBound, event: event)
      }
      return nil
    }.sorted { ($0.due, $0.event.task.id) < ($1.due, $1.event.task.id) }
  }
}

// MARK: - Putting off

extension Agenda {
  /// The events whose prompts a person put off until later than `now`.
  ///
  /// - Throws: ``StoreError``.
  package static func putOff(
    _ events: [Event], in reader: any StoreReader, now: Date
  ) throws -> Set<EventKey> {
    guard let from = events.map(\.occurrence.start).min() else { return [] }
    let snoozes = try reader.firings(FiringQuery(kinds: [.snooze], eventsFrom: from))
    // The latest one of an event holds: they come in the order in which they were recorded.
    let latest = Dictionary(
      snoozes.map { ($0.firing.event, $0.firing.due) }, uniquingKeysWith: { $1 })
    return Set(latest.filter { $0.value > now }.keys)
  }
}
