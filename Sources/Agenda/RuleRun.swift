package import Care
package import Foundation

// MARK: - Rules that are due

extension TaskAgenda {
  /// The rules that the results of the last days make fire.
  func rules() throws -> [Agenda.Look.Due] {
    guard !current.isEnded else { return [] }
    var due: [Agenda.Look.Due] = []
    for rule in current.rules where rule.readsResults {
      if let item = try self.due(rule) { due.append(item) }
    }
    return due
  }

  private func due(_ rule: Rule) throws -> Agenda.Look.Due? {
    let effectiveDate = current.nextDay(after: now)
    let base = history.version(at: effectiveDate) ?? current
    let changed = base.isEnded ? nil : base.planned.changed(by: rule)
    // A target that is reached stays; the results may still count for a later one.
    if rule.target != nil, changed == nil { return nil }
    let last = recorded.filter { $0.rule == rule }.map { ($0.event.start, $0.event.ordinal) }
      .max { $0 < $1 }.map { (start: $0.0, ordinal: $0.1) }
    let recent = rule.results(results(of: events, for: rule), after: last)
    guard recent.contains(where: { rule.canFire(at: $0) }) else { return nil }
    let usable = rule.results(try results(for: rule, since: recent), after: last)
    for index in usable.indices where usable[index].start >= now - Agenda.memory {
      guard let evidence = rule.evidence(in: usable[...index], timeZone: current.timeZone) else {
        continue
      }
      return Agenda.Look.Due(
        firing: Firing(
          rule, of: current.reference, at: usable[index], evidence: evidence, date: now,
          target: changed, effectiveDate: effectiveDate), task: changed?.task)
    }
    return nil
  }

  /// The results of events that are owned by a version with the rule, by start.
  private func results(of events: [Event], for rule: Rule) -> [RuleResult] {
    events.filter { $0.task.rules.contains(rule) }.compactMap { $0.result(for: rule) }
      .sorted { ($0.start, $0.ordinal) < ($1.start, $1.ordinal) }
  }

  /// As many results as the rule looks back at from the recent ones.
  private func results(for rule: Rule, since recent: [RuleResult]) throws -> [RuleResult] {
    let first = (recent.first?.start ?? now) - rule.reach
    let needed = recent.count + rule.lookBack
    var from = min(first, now - Agenda.memory)
    let floor = now - Self.longestMemory
    while true {
      let events = try reader.events(
        EventQuery(
          patient: current.patient, task: current.id, from: from, to: now + 2 * 86_400,
          omitsCrowded: true))
      let found = results(of: events, for: rule)
      guard rule.lookBack > 0, found.count < needed, from > floor else { return found }
      from = max(floor, now - 2 * now.timeIntervalSince(from))
    }
  }

  /// How far back results are read, in seconds: two years.
  private static let longestMemory: TimeInterval = 731 * 86_400
}

extension Rule {
  /// Whether it could fire at a result, whatever came before it.
  fileprivate func canFire(at result: RuleResult) -> Bool {
    switch trigger {
    case .results(_, _, let condition):
      Threshold(condition: condition, says: "").matches(result.value)
    case .change, .median: true
    case .missed, .silent: false
    }
  }

  /// How many results before one count.
  fileprivate var lookBack: Int {
    if case .results(_, let among, _) = trigger { among - 1 } else { 0 }
  }

  /// How long before a result another one counts, in seconds.
  fileprivate var reach: TimeInterval {
    switch trigger {
    case .change(_, let span): span.longest
    case .median(let days, _): Rule.Span.days(days).longest
    case .results, .missed, .silent: 0
    }
  }
}

extension CareTask {
  var reference: TaskReference { TaskReference(patient: self.patient, task: self.id) }

  /// The zone of its days.
  var timeZone: TimeZone { self.schedule.elements.first?.timeZone ?? .gmt }

  /// The first midnight after a time, so that no day that has begun changes.
  func nextDay(after date: Date) -> Date {
    Adherence.Period.day.span(around: date, in: timeZone).upperBound
  }
}

extension Firing {
  /// The firing of a rule at a result.
  init(
    _ rule: Rule, of task: TaskReference, at result: RuleResult, evidence: [RuleResult],
    date: Date, target: PlannedTask.ChangedTarget?, effectiveDate: Date
  ) {
    self.init(
      Key(
        .rule,
        EventKey(
          patient: task.patient, task: task.task, start: result.start, ordinal: result.ordinal),
        rule: rule), due: evidence.map(\.time).max() ?? result.time, date: date,
      results: evidence,
      target: target.map {
        TargetChange(from: $0.from, to: $0.to, unit: $0.unit, effectiveDate: effectiveDate)
      })
  }
}

// MARK: - Rehearsal

extension Agenda {
  /// The firings that the present rules and alerts of the plan would have made since a date;
  /// nothing is recorded.
  ///
  /// A target that a rule would have changed counts for the rules after it. The date of each firing
  /// is that of its last result.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - patient: Whose rules; everyone's for `nil`.
  ///   - since: Events before it do not count.
  ///   - now: The current time.
  /// - Returns: The firings, by due date.
  /// - Throws: ``StoreError``.
  package static func rehearsal(
    _ reader: any StoreReader, patient: String?, since: Date, now: Date
  ) throws -> [Firing] {
    var firings: [Firing] = []
    let people = try PlanPeople(reader)
    for history in try reader.histories(patient: patient) {
      guard let current = history.version(at: now), !current.isEnded,
        !current.rules.isEmpty || current.thresholds.contains(where: \.alerts)
      else { continue }
      let events = try reader.events(
        patient: current.patient, task: current.id, from: since, to: now + 86_400
      ).filter { $0.occurrence.start >= since }
      var run = Rehearsal(current, targets: history.version(at: since) ?? history.versions.first)
      for event in events { firings += run.firings(at: event) }
      firings += try AbsenceRehearsal(
        current: current, history: history, people: people, reader: reader, since: since, now: now
      ).firings(at: events)
    }
    return firings.sorted { ($0.due, $0.event.task) < ($1.due, $1.event.task) }
  }
}

/// The rules of one task, applied to its events one after the other.
private struct Rehearsal {
  let current: CareTask
  /// The task with the targets that it would have.
  var simulated: PlannedTask
  private var results: [Rule: [RuleResult]] = [:]

  init(_ current: CareTask, targets: CareTask?) {
    self.current = current
    simulated = targets?.planned ?? current.planned
  }

  mutating func firings(at event: Event) -> [Firing] {
    var found: [Firing] = []
    for rule in current.rules where rule.readsResults {
      guard let result = event.result(for: rule) else { continue }
      results[rule, default: []].append(result)
      guard let usable = results[rule],
        let evidence = rule.evidence(in: usable, timeZone: current.timeZone)
      else { continue }
      let changed = simulated.changed(by: rule)
      if rule.target != nil, changed == nil { continue }
      if let changed { simulated = changed.task }
      results[rule] = rule.results(usable, after: (result.start, result.ordinal))
      found.append(
        Firing(
          rule, of: current.reference, at: result, evidence: evidence, date: result.time,
          target: changed, effectiveDate: current.nextDay(after: result.time)))
    }
    var judged = event
    judged.task.planned.thresholds = current.thresholds
    return found
      + judged.alerts(now: event.occurrence.start).map { alert in
        var alert = alert
        alert.date = alert.due
        return alert
      }
  }
}
