package import Care
package import Foundation

/// How what a plan made happen reads: reminders, fallbacks, alerts and rules.
package struct FiringWords: Sendable {
  private let words: Language
  private let now: Date
  private let tasks: [TaskReference: CareTask]
  private let people: [String: Patient]
  private let contacts: [String: Contact]
  private let zones: [String: TimeZone]
  private let zone: TimeZone

  /// Reads the tasks and people that firings name.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - words: The language.
  ///   - now: The current time.
  ///   - zone: The zone of all times; `nil` for each person's own.
  /// - Throws: `StoreError`.
  package init(
    _ reader: any StoreReader, in words: Language, now: Date, zone: TimeZone? = nil
  ) throws {
    (self.words, self.now) = (words, now)
    var tasks: [TaskReference: CareTask] = [:]
    for history in try reader.histories(patient: nil) {
      guard let task = history.current(at: now) else { continue }
      tasks[TaskReference(patient: task.patient, task: task.id)] = task
    }
    self.tasks = tasks
    let people = try reader.patients()
    self.people = Dictionary(people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    contacts = Dictionary(
      try reader.things(Contact.self).map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first })
    self.zone = try zone ?? reader.zone()
    let own = zone == nil ? people : []
    zones = try Dictionary(
      own.map { ($0.id, try reader.zone(of: $0.id, at: now)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The title of the task, or the id of one that is gone.
  package func title(of firing: Firing) -> String { task(of: firing)?.title ?? firing.event.task }

  /// The name of the person.
  package func person(of firing: Firing) -> String {
    let id = firing.event.patient
    return people[id].map(words.fullName(of:)) ?? id
  }

  /// The name of the contact to whom a rule's message goes; `nil` without one.
  package func contact(of firing: Firing) -> String? {
    firing.rule?.contact.map { id in contacts[id].map(words.fullName(of:)) ?? id }
  }

  /// The firing in a line: the task, what happened, and to whom a message goes.
  package func line(of firing: Firing) -> String {
    let title = title(of: firing)
    let time = words.time(firing.due, relativeTo: now, in: zone(of: firing))
    switch firing.kind {
    case .reminder: return words.text("firing.reminder", ["time": time, "title": title])
    case .fallback:
      let task = task(of: firing)
      let text = words.fallback(of: task?.planned, by: time)
      return words.text("event.named", ["name": title, "value": text])
    case .snooze: return words.text("snooze.firing", ["time": time, "title": title])
    case .seen:
      if firing.putOffUntil != nil {
        return words.text(
          "firing.putOff", ["time": time, "title": title, "reason": firing.reason ?? ""])
      }
      guard let name = firing.by else {
        return words.text("firing.seen", ["time": time, "title": title])
      }
      return words.text("firing.seenBy", ["name": name, "time": time, "title": title])
    case .alert, .rule:
      let line = words.text("event.named", ["name": title, "value": text(of: firing)])
      return contact(of: firing).map {
        words.text("firing.to", ["name": $0, "source": line])
      } ?? line
    }
  }

  /// The line of the log about a firing: no value, and no word of the plan's author, which may name
  /// one.
  package func logText(of firing: Firing) -> String {
    switch firing.kind {
    case .reminder, .fallback, .snooze, .seen: line(of: firing)
    case .alert: words.text("firing.logAlert", ["title": title(of: firing)])
    case .rule: words.text("firing.logRule", ["title": title(of: firing)])
    }
  }

  /// The findings and effects of an alert or rule: the author's words first, then the numbers.
  ///
  /// - Parameters:
  ///   - firing: The firing.
  ///   - isStanding: Whether the value of an alert is still its event's.
  /// - Returns: Sentences.
  package func text(of firing: Firing, isStanding: Bool = true) -> String {
    let task = task(of: firing)
    let values = words.list(firing.results.map { number($0.value, $0.unit, firing, task) })
    let kind = firing.rule?.kind ?? firing.threshold?.kind
    let name = task.map { words.name(ofKind: kind, in: $0.planned) } ?? kind ?? firing.event.task
    var sentences: [String] = []
    if let message = firing.rule?.message { sentences.append(message) }
    if let says = firing.threshold?.says {
      sentences.append(words.text("firing.alert", ["name": name, "values": values, "says": says]))
    } else {
      sentences.append(cause(of: firing, name, values))
    }
    if let target = firing.target {
      sentences.append(
        words.text(
          "firing.target",
          [
            "value": number(target.to, target.unit, firing, task),
            "date": day(target.effectiveDate, of: firing),
          ]))
    }
    if let undone = firing.undoneDate {
      sentences.append(words.text("firing.undone", ["date": day(undone, of: firing)]))
    }
    if !isStanding { sentences.append(words.text("firing.gone")) }
    return words.sentences(sentences)
  }

  /// The numbers, or what is missing, for which a rule fired.
  private func cause(of firing: Firing, _ name: String, _ values: String) -> String {
    switch firing.rule?.trigger {
    case .missed(let count): words.text("firing.missed", count: count)
    case .silent(_, let source):
      words.text(
        "firing.silent",
        [
          "name": words.name(of: source), "date": day(firing.event.start, of: firing),
        ])
    case .results, .change, .median, nil:
      words.text("firing.results", ["name": name, "values": values])
    }
  }

  private func task(of firing: Firing) -> CareTask? {
    tasks[TaskReference(patient: firing.event.patient, task: firing.event.task)]
  }

  private func zone(of firing: Firing) -> TimeZone { zones[firing.event.patient] ?? zone }

  private func day(_ date: Date, of firing: Firing) -> String {
    words.day(date, relativeTo: now, in: zone(of: firing))
  }

  private func number(
    _ value: Double, _ unit: UnitOfMeasure?, _ firing: Firing, _ task: CareTask?
  ) -> String {
    let units = people[firing.event.patient]?.units
    if let linkage = task?.linkages.first, let unit, linkage.unit.dimension == unit.dimension {
      return words.figure(linkage.quantity.text(value, in: unit, for: units))
    }
    return words.figure(unit?.text(value.plainText) ?? value.plainText)
  }
}

extension Language {
  /// Sentences after each other.
  package func sentences(_ sentences: [String]) -> String {
    sentences.dropFirst().reduce(sentences.first ?? "") { first, next in
      text("sentences", ["first": first, "next": next])
    }
  }

  /// That no value of a task has come by a time, and what to do.
  package func fallback(of task: PlannedTask?, by time: String) -> String {
    let key =
      if task?.linkage?.quantity == .bodyMass {
        "firing.noWeight"
      } else if task?.linkages.isEmpty == false {
        "firing.noReading"
      } else {
        task?.activeTask == nil ? "firing.noAnswer" : "firing.notMeasured"
      }
    return text(key, ["time": time])
  }
}

// MARK: - Rules

extension Language {
  /// The cause and effect of a rule: `3 in a row of Range of at least 90°: goal 100°`.
  package func rule(_ rule: Rule, of task: PlannedTask) -> String {
    func number(_ value: Double) -> String {
      figure(rule.unit?.text(value.plainText) ?? value.plainText)
    }
    let what = name(ofKind: rule.kind, in: task)
    let cause: String
    switch rule.trigger {
    case .results(let count, let among, let condition):
      cause = text(
        among == count ? "rule.inARow" : "rule.ofLast",
        [
          "count": String(count), "among": String(among), "what": what,
          "condition": self.condition(condition, number),
        ])
    case .change(let amount, let span):
      cause = text(
        amount > 0 ? "rule.rises" : "rule.falls",
        ["what": what, "value": number(abs(amount)), "length": length(of: span)])
    case .median(let days, let amount):
      cause = text(
        amount > 0 ? "rule.medianRises" : "rule.medianFalls",
        [
          "what": what, "value": number(abs(amount)), "length": length(of: .days(days)),
        ])
    case .missed(let count): cause = text("rule.missed", count: count)
    case .silent(let span, let source):
      cause = text("rule.silent", ["what": name(of: source), "length": length(of: span)])
    }
    var effects: [String] = []
    switch rule.target?.amount {
    case .to(let value): effects.append(text("rule.target", ["value": number(value)]))
    case .by(let value):
      let change = text(
        value > 0 ? "rule.targetUp" : "rule.targetDown", ["value": number(abs(value))])
      effects.append(
        rule.target?.limit.map { limit in
          text(
            value > 0 ? "rule.targetUpTo" : "rule.targetDownTo",
            ["change": change, "limit": number(limit)])
        } ?? change)
    case nil: break
    }
    if let message = rule.message {
      effects.append(
        rule.contact.map { text("rule.messageTo", ["name": $0, "message": message]) }
          ?? text("rule.message", ["message": message]))
    }
    return text("rule.is", ["cause": cause, "effect": list(effects)])
  }

  private func length(of span: Rule.Span) -> String {
    switch span {
    case .days(let days): text("schedule.length.days", count: days)
    case .seconds(let seconds): length(Double(seconds))
    }
  }

  /// The quantity or device that is silent.
  package func name(of source: Rule.Source) -> String {
    switch source {
    case .quantity(let quantity): title(of: quantity)
    case .device(let device): device.text
    }
  }

  /// Which values a rule or threshold matches: `at least 90°`.
  package func condition(
    _ condition: Threshold.Condition, _ number: (Double) -> String
  ) -> String {
    switch condition {
    case .above(let limit): text("rule.above", ["value": number(limit)])
    case .atLeast(let limit): text("rule.atLeast", ["value": number(limit)])
    case .below(let limit): text("rule.below", ["value": number(limit)])
    case .atMost(let limit): text("rule.atMost", ["value": number(limit)])
    case .equal(let limit): text("rule.equal", ["value": number(limit)])
    case .between(let lower, let upper, _):
      text("rule.between", ["lower": number(lower), "upper": number(upper)])
    }
  }

  /// A length in the largest unit that divides it: `1 h`, `90 min`.
  package func length(_ seconds: Double) -> String {
    let whole = Int(saturating: min(seconds, 1e9).rounded())
    if whole.isMultiple(of: 86_400) { return text("schedule.length.days", count: whole / 86_400) }
    if whole.isMultiple(of: 3600) { return text("schedule.length.hours", count: whole / 3600) }
    if whole.isMultiple(of: 60) { return text("schedule.length.minutes", count: whole / 60) }
    return text("schedule.length.seconds", count: whole)
  }
}
