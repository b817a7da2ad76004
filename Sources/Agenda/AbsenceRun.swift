import Care
import Foundation

// MARK: - Absences

extension TaskAgenda {
  /// The firings that are due by rules about missing events and silent sensors, and the next time when
  /// there may be one.
  struct Absences {
    var due: [Agenda.Look.Due] = []
    var wakeAt: Date?

    fileprivate mutating func wake(_ date: Date) { wakeAt = min(wakeAt ?? date, date) }
  }

  func absences() throws -> Absences {
    var found = Absences()
    guard !current.isEnded else { return found }
    for rule in current.rules {
      let firing: Firing?
      switch rule.trigger {
      case .missed(let count): firing = try missed(rule, count, &found)
      case .silent(let span, let source): firing = try silence(rule, span, source, &found)
      case .results, .change, .median: continue
      }
      guard let firing, !recorded.contains(where: { $0.key == firing.key }) else { continue }
      let base = history.version(at: current.nextDay(after: now)) ?? current
      found.due.append(base.due(firing, of: rule))
    }
    return found
  }

  /// The first run of missed events that has not fired yet and is of the last days.
  private func missed(
    _ rule: Rule, _ count: Int, _ found: inout Absences
  ) throws -> Firing? {
    if let next = events.map(\.occurrence.overFrom).filter({ $0 > now }).min() { found.wake(next) }
    let last = recorded.filter { $0.rule == rule }
      .map { (start: $0.event.start, ordinal: $0.event.ordinal) }.max { $0 < $1 }
    var run = MissedRun(rule, count, after: last)
    for event in try eventsBack(count) {
      guard let end = run.end(at: event, isAway: isAway(event), now: now),
        end >= now - Agenda.memory
      else { continue }
      return Firing(rule, at: event.key, due: end, date: now)
    }
    return nil
  }

  private func isAway(_ event: Event) -> Bool {
    people.isAway(current.patient, at: event.occurrence.start)
  }

  /// The events of the last days, and so many before them.
  private func eventsBack(_ count: Int) throws -> [Event] {
    var from = now - Agenda.memory
    let floor = now - Self.longestMemory
    while true {
      let found = try reader.events(
        EventQuery(patient: current.patient, task: current.id, from: from, to: now))
      let before = found.filter { $0.occurrence.overFrom < now - Agenda.memory }
      guard before.count < count, from > floor else { return found }
      from = max(floor, now - 2 * now.timeIntervalSince(from))
    }
  }

  private func silence(
    _ rule: Rule, _ span: Rule.Span, _ source: Rule.Source, _ found: inout Absences
  ) throws -> Firing? {
    let heard = try reader.lastHeard(source, of: current.patient)
    var begin = max(heard ?? .distantPast, history.firstDate(of: rule) ?? current.effectiveDate)
    begin = people.lastReturn(of: current.patient, since: begin, until: now)
    let due = span.end(from: begin, in: current.timeZone)
    guard due <= now else {
      found.wake(due)
      return nil
    }
    guard due >= now - Agenda.memory else { return nil }
    return Firing(rule, at: current.silence(from: begin), due: due, date: now)
  }

  /// How far back events are read, in seconds: two years.
  private static let longestMemory: TimeInterval = 731 * 86_400
}

/// A count of missed events in a row.
private struct MissedRun {
  let rule: Rule
  let count: Int
  /// The event at which the rule fired last: those until then do not count again.
  let last: (start: Date, ordinal: Int)?
  private var missed = 0

  init(_ rule: Rule, _ count: Int, after last: (start: Date, ordinal: Int)? = nil) {
    (self.rule, self.count, self.last) = (rule, count, last)
  }

  /// Counts an event.
  ///
  /// - Returns: When the event was over that makes the rule fire; `nil` if it does not.
  mutating func end(at event: Event, isAway: Bool, now: Date) -> Date? {
    guard event.task.rules.contains(rule), Adherence.counts(event), !isAway,
      event.occurrence.overFrom <= now
    else { return nil }
    if let last, (event.occurrence.start, event.ordinal) <= last { return nil }
    guard event.state(at: now) == .missed else {
      missed = 0
      return nil
    }
    missed += 1
    guard missed == count else { return nil }
    missed = 0
    return event.occurrence.overFrom
  }
}

extension Firing {
  fileprivate init(_ rule: Rule, at event: EventKey, due: Date, date: Date) {
    self.init(Key(.rule, event, rule: rule), due: due, date: date)
  }
}

extension CareTask {
  /// A silence has no event; it is named after the moment at which it began.
  fileprivate func silence(from begin: Date) -> EventKey {
    EventKey(patient: self.patient, task: self.id, start: begin, ordinal: 0)
  }

  /// A firing with the target that the rule changes.
  fileprivate func due(_ firing: Firing, of rule: Rule) -> Agenda.Look.Due {
    guard let changed = self.isEnded ? nil : self.planned.changed(by: rule) else {
      return Agenda.Look.Due(firing: firing)
    }
    var firing = firing
    firing.target = Firing.TargetChange(
      from: changed.from, to: changed.to, unit: changed.unit,
      effectiveDate: self.nextDay(after: firing.date))
    return Agenda.Look.Due(firing: firing, task: changed.task)
  }
}

extension TaskHistory {
  /// From when on a rule is part of the task.
  fileprivate func firstDate(of rule: Rule) -> Date? {
    versions.filter { $0.planned.rules.contains(rule) }.map(\.effectiveDate).min()
  }
}

// MARK: - Rehearsal

/// The rules about what is missing, over the past.
struct AbsenceRehearsal {
  let current: CareTask
  let history: TaskHistory
  let people: PlanPeople
  let reader: any StoreReader
  let since: Date
  let now: Date

  /// The most silences that are looked for, which bounds what is read.
  private static let mostSteps = 20_000

  func firings(at events: [Event]) throws -> [Firing] {
    try current.rules.flatMap { rule -> [Firing] in
      switch rule.trigger {
      case .missed(let count): missed(rule, count, events)
      case .silent(let span, let source): try silences(rule, span, source)
      case .results, .change, .median: []
      }
    }
  }

  private func missed(_ rule: Rule, _ count: Int, _ events: [Event]) -> [Firing] {
    var run = MissedRun(rule, count)
    return events.compactMap { event in
      // The present rule over the events of earlier versions.
      var event = event
      event.task.planned.rules = current.rules
      let isAway = people.isAway(current.patient, at: event.occurrence.start)
      return run.end(at: event, isAway: isAway, now: now).map { end in
        Firing(rule, at: event.key, due: end, date: end)
      }
    }
  }

  /// From one sample to the last one of the span after it, until nothing follows.
  private func silences(
    _ rule: Rule, _ span: Rule.Span, _ source: Rule.Source
  ) throws -> [Firing] {
    var found: [Firing] = []
    guard var heard = try firstHeard(source, from: since) else { return [] }
    for _ in 0..<Self.mostSteps {
      let end = span.end(
        from: people.lastReturn(of: current.patient, since: heard, until: heard),
        in: current.timeZone)
      guard end <= now else { break }
      if let later = try lastHeard(source, after: heard, until: end) {
        heard = later
        continue
      }
      if !people.isAway(current.patient, at: end) {
        found.append(Firing(rule, at: current.silence(from: heard), due: end, date: end))
      }
      guard let next = try firstHeard(source, from: end) else { break }
      heard = next
    }
    return found
  }

  private func query(_ source: Rule.Source, from: Date, to: Date) -> SampleQuery {
    switch source {
    case .quantity(let quantity):
      SampleQuery(
        owner: .patient(current.patient), quantity: quantity, from: from, to: to, limit: 1)
    case .device(let device): SampleQuery(device: device, from: from, to: to, limit: 1)
    }
  }

  private func lastHeard(_ source: Rule.Source, after: Date, until: Date) throws -> Date? {
    let found = try reader.samples(query(source, from: after + 0.001, to: until)).last
    return found.map { min($0.end, until) }.flatMap { $0 > after ? $0 : nil }
  }

  /// The first sample since a time, found by halves of the span until now.
  private func firstHeard(_ source: Rule.Source, from: Date) throws -> Date? {
    guard var first = try reader.samples(query(source, from: from, to: now)).last else {
      return nil
    }
    // Nothing is before it.
    var low = from
    while first.start.timeIntervalSince(low) > 1 {
      let middle = low + first.start.timeIntervalSince(low) / 2
      if let earlier = try reader.samples(query(source, from: from, to: middle)).last {
        first = earlier
      } else {
        low = middle
      }
    }
    return max(first.end, from)
  }
}
