import Care
import Foundation
import Localization

/// The words for what a plan made happen.
struct FiringWords {
  private let tasks: [TaskReference: CareTask]
  private let contacts: [String: String]
  private var zone: TimeZone
  /// The zones of people, by id.
  private let zones: [String: TimeZone]
  private let units: [String: PreferredUnits]

  /// Reads the names of tasks and contacts.
  init(_ reader: any StoreReader, now: Date) throws {
    var tasks: [TaskReference: CareTask] = [:]
    for history in try reader.histories(patient: nil) {
      guard let task = history.current(at: now) else { continue }
      tasks[TaskReference(patient: task.patient, task: task.id)] = task
    }
    self.tasks = tasks
    contacts = Dictionary(
      try reader.things(Contact.self).map { ($0.id, $0.fullName) },
      uniquingKeysWith: { first, _ in first })
    zone = try reader.zone()
    zones = try Dictionary(
      reader.patients().map { ($0.id, try reader.zone(of: $0.id, at: now)) },
      uniquingKeysWith: { first, _ in first })
    units = try reader.preferredUnits()
  }

  /// The firing, its reason, and the message of the plan's author.
  func text(of firing: Firing) -> String {
    var words = self
    // A person's times are in the person's zone.
    words.zone = zones[firing.event.patient] ?? zone
    return words.localText(of: firing)
  }

  private func localText(of firing: Firing) -> String {
    let task = tasks[TaskReference(patient: firing.event.patient, task: firing.event.task)]
    let title = task?.title ?? firing.event.task
    let time = day(firing.due) + " " + clock(firing.due)
    switch firing.kind {
    case .reminder: return "Reminder at \(time): \(title)."
    case .fallback:
      return "\(title): no value has come by \(time). Enter it, or measure now."
    case .snooze:
      return LocalizedText("snooze.firing", ["title": "\(title)", "time": "\(time)"]).message
    case .alert:
      let values = list(of: firing, task: task)
      return "Alert: \(title), \(values): \(firing.threshold?.says ?? "")."
    case .rule:
      let note = [
        firing.rule?.message,
        firing.rule?.contact.map { "To \(contacts[$0] ?? $0)." },
        firing.undoneDate.map { "Taken back \(day($0))." },
      ].compactMap(\.self)
      return ([reason(of: firing, title: title, task: task)] + note).joined(separator: " ")
    }
  }

  /// The line of the log about a firing: no value, and no word of the plan's author, which may name one.
  func logText(of firing: Firing) -> String {
    let task = tasks[TaskReference(patient: firing.event.patient, task: firing.event.task)]
    let title = task?.title ?? firing.event.task
    return switch firing.kind {
    case .reminder, .fallback, .snooze: text(of: firing)
    case .alert: "Alert: \(title)."
    case .rule: "A rule of the plan took effect: \(title)."
    }
  }

  /// The results and the target: `Bend the knee, range: 92° and 91°. The target is 100° from …`.
  private func reason(of firing: Firing, title: String, task: CareTask?) -> String {
    let values = list(of: firing, task: task)
    let kind = firing.rule?.kind.map { ", \($0)" } ?? ""
    let start = "\(title)\(kind): \(values)."
    guard let target = firing.target else { return start }
    let value = number(target.to, target.unit, task, firing)
    return "\(start) The target is \(value) from \(day(target.effectiveDate))."
  }

  private func list(of firing: Firing, task: CareTask?) -> String {
    let values = firing.results.map { number($0.value, $0.unit, task, firing) }
    guard let last = values.last, values.count > 1 else { return values.first ?? "" }
    return values.dropLast().joined(separator: ", ") + " and " + last
  }

  private func number(
    _ value: Double, _ unit: UnitOfMeasure?, _ task: CareTask?, _ firing: Firing
  ) -> String {
    if let linkage = task?.linkages.first, let unit, linkage.unit.dimension == unit.dimension {
      return linkage.quantity.text(value, in: unit, for: units[firing.event.patient])
    }
    return unit?.text(value.plainText) ?? value.plainText
  }

  private func day(_ date: Date) -> String { String(date.rfc3339(in: zone).prefix(10)) }

  private func clock(_ date: Date) -> String {
    String(date.rfc3339(in: zone).dropFirst(11).prefix(5))
  }
}

extension Contact {
  /// The name, or the id of a contact without one.
  fileprivate var fullName: String {
    name.full ?? title ?? id
  }
}

extension Rule {
  /// The rule in words: `after 3 results of range at least 90°: target 100°`.
  var words: String {
    func text(_ number: Double) -> String { unit?.text(number.plainText) ?? number.plainText }
    let what = kind ?? "the value"
    let cause: String
    switch trigger {
    case .results(let count, let among, let condition):
      let of = among == count ? "\(count) in a row" : "\(count) of the last \(among)"
      cause = "\(of) of \(what) \(condition.words(text))"
    case .change(let amount, let span):
      let verb = amount > 0 ? "rises" : "falls"
      cause = "\(what) \(verb) by \(text(abs(amount))) within \(span.text)"
    }
    var effects: [String] = []
    switch target?.amount {
    case .to(let value): effects.append("target \(text(value))")
    case .by(let value):
      let sign = value > 0 ? "+" : "-"
      let limit = target?.limit.map { ", \(value > 0 ? "at most" : "at least") \(text($0))" } ?? ""
      effects.append("target \(sign)\(text(abs(value)))\(limit)")
    case nil: break
    }
    if let message {
      effects.append((contact.map { "message to \($0): " } ?? "message: ") + message)
    }
    return "\(cause): \(effects.joined(separator: "; "))"
  }
}

extension Threshold.Condition {
  /// `at least 90°`.
  fileprivate func words(_ text: (Double) -> String) -> String {
    switch self {
    case .above(let limit): "above \(text(limit))"
    case .atLeast(let limit): "at least \(text(limit))"
    case .below(let limit): "below \(text(limit))"
    case .atMost(let limit): "at most \(text(limit))"
    case .equal(let limit): "equal to \(text(limit))"
    case .between(let lower, let upper, _): "between \(text(lower)) and \(text(upper))"
    }
  }
}
