import Care
import Foundation
import StrictYAML

// MARK: - Reminders and fallbacks

extension PlanReader {
  /// A reminder: `{before: 15m}`, `{after: 8h}`, or several of them with `every` and `times`, which must come before the event is over.
  func reminder(_ node: YAMLNode?, in schedule: Schedule) throws(YAMLError) -> Reminder? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let before = reader.optional("before")
    let after = reader.optional("after")
    let every = reader.optional("every")
    let times = reader.optional("times")
    try reader.finish()
    guard (every == nil) == (times == nil) else {
      throw node.error("several reminders have both: {before: 15m, every: 10m, times: 3}")
    }
    guard (before == nil) != (after == nil), let given = before ?? after else {
      throw node.error("a reminder has one of before, after: {before: 15m}")
    }
    let seconds = try given.seconds()
    guard seconds <= Reminder.longest else {
      throw given.error("a reminder is at most a week from its event")
    }
    let lengths = schedule.elements.map { element in
      if case .seconds(let length) = element.duration { max(length, 1) } else { 86_400.0 }
    }
    guard before != nil || lengths.allSatisfy({ seconds < $0 }) else {
      throw given.error(
        "the event is over by then, and nobody is reminded of what is over; give a shorter time, or"
          + " the event a longer ‘duration’")
    }
    var reminder = Reminder(offset: before == nil ? seconds : -seconds)
    guard let every, let times else { return reminder }
    (reminder.every, reminder.times) = (try every.seconds(), try times.integer(in: 1...20))
    guard reminder.every >= 60 else { throw every.error("reminders are at least a minute apart") }
    let last = reminder.offset + Double(reminder.times - 1) * reminder.every
    guard lengths.allSatisfy({ last < $0 }) else {
      throw times.error(
        "the event is over before the last reminder; give fewer ‘times’, or a shorter ‘every’")
    }
    return reminder
  }

  /// A fallback: `{after: 2h}`, which must come before the event and its day are over.
  func fallback(_ node: YAMLNode?, in schedule: Schedule) throws(YAMLError) -> Fallback? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let after = try reader.required("after")
    try reader.finish()
    let seconds = try after.seconds()
    guard seconds > 0 else { throw after.error("a fallback comes after the event's start") }
    let day: TimeInterval = 86_400
    let longest = schedule.elements.map { element in
      if case .seconds(let length) = element.duration { max(length, day) } else { day }
    }
    guard longest.allSatisfy({ seconds < $0 }) else {
      throw after.error("the event and its day are over by then; give a shorter time")
    }
    return Fallback(after: seconds)
  }
}

extension YAMLNode {
  /// A duration in seconds: `15m`, `1h30m`.
  fileprivate func seconds() throws(YAMLError) -> TimeInterval {
    guard case .seconds(let seconds) = try duration() else {
      throw error("expected a time such as 15m or 2h")
    }
    return seconds
  }
}

// MARK: - Rules

extension PlanReader {
  /// The rules of a task, which is complete but for them.
  func rules(_ node: YAMLNode?, of task: PlannedTask) throws(YAMLError) -> [Rule] {
    try list(node, twice: { _ in "this rule is given twice" }, isSame: ==) {
      node throws(YAMLError) in
      try rule(node, of: task)
    }
  }

  private func rule(_ node: YAMLNode, of task: PlannedTask) throws(YAMLError) -> Rule {
    var reader = try node.mapping()
    let of = reader.optional("of")
    let isOfAbsence = reader.optional("missed") != nil || reader.optional("silent") != nil
    let then = reader.optional("then")
    let value =
      isOfAbsence && of == nil && then.map { !$0.hasKey("target") && !$0.hasKey("by") } ?? true
      ? RuleValue() : try value(of, or: reader.location, of: task)
    let unitNode = reader.optional("unit")
    let unit = try unitNode?.unit() ?? value.unit
    if let unitNode, let own = value.unit, let unit, own.dimension != unit.dimension {
      throw unitNode.error(
        "the values are \(own.given), which cannot be given in \(unit.name)")
    }
    let message = try reader.optional("message")?.string()
    var rule = Rule(
      kind: value.kind, unit: unit, trigger: try trigger(&reader, of: task, unit: unit),
      message: message)
    try reader.finish()
    try read(then, into: &rule, of: task)
    guard rule.target != nil || message != nil else {
      throw (then?.location ?? reader.location).error(
        "a rule changes a target or says something: give ‘then’ with ‘target’ or ‘by’, or ‘message’"
      )
    }
    return rule
  }

  /// The kind of the values that a rule reads, and their unit.
  private func value(
    _ node: YAMLNode?, or location: YAMLLocation, of task: PlannedTask
  ) throws(YAMLError) -> RuleValue {
    let known = values(of: task)
    guard let node else {
      if known.isEmpty { return RuleValue() }
      guard let only = known.first, known.count == 1 else {
        throw location.error(
          "the task has several values; say which with ‘of’: "
            + known.map(\.name).joined(separator: ", "))
      }
      return only
    }
    let name = try node.identifier()
    guard var value = known.first(where: { $0.name == name }) else {
      throw node.error(
        "the task has no value ‘\(name)’"
          + (known.isEmpty
            ? " that is measured or asked for"
            : "; it has \(known.map(\.name).joined(separator: ", "))"),
        meant: Spelling.Suggestion(for: name, among: known.map(\.name)))
    }
    if known.count > 1 { value.kind = name }
    return value
  }

  /// The numbers that events of a task have.
  private func values(of task: PlannedTask) -> [RuleValue] {
    var values: [RuleValue] = []
    if let type = task.activeTask?.type, let form = activeTasks.first(where: { $0.type == type }) {
      values += form.figures.map { RuleValue(kind: $0.kind, name: $0.kind, unit: $0.unit) }
    }
    for linkage in task.linkages {
      let kind = task.valueKind(of: linkage)
      values.append(
        RuleValue(kind: kind, name: kind ?? linkage.quantity.rawValue, unit: linkage.unit))
    }
    for question in task.survey where question.type == .scale || question.type == .number {
      values.append(RuleValue(kind: question.kind, name: question.kind, unit: question.unit))
    }
    return values
  }

  private func trigger(
    _ reader: inout MappingReader, of task: PlannedTask, unit: UnitOfMeasure?
  ) throws(YAMLError) -> Rule.Trigger {
    let (after, ofLast) = (reader.optional("after"), reader.optional("ofLast"))
    let (rises, falls) = (reader.optional("rises"), reader.optional("falls"))
    let within = reader.optional("within")
    let (missed, silent) = (reader.optional("missed"), reader.optional("silent"))
    let median = reader.optional("median")
    let triggers = [after, rises, falls, missed, silent, median].compactMap(\.self)
    guard let first = triggers.first, triggers.count == 1 else {
      throw reader.location.error("a rule has one of after, rises, falls, median, missed, silent")
    }
    if let missed { return .missed(try missed.integer(in: 1...Rule.mostResults)) }
    if let silent { return try self.silent(silent, &reader, of: task) }
    if let median { return try self.median(median, unit: unit) }
    if let after {
      if let within { throw within.error("only ‘rises’ and ‘falls’ have ‘within’") }
      let count = try after.integer(in: 1...Rule.mostResults)
      let among = try ofLast?.integer(in: count...Rule.mostResults) ?? count
      return .results(
        count, ofLast: among,
        try condition(&reader, of: "a rule that counts results", in: unit))
    }
    if let ofLast { throw ofLast.error("only ‘after’ has ‘ofLast’") }
    let amount = try first.difference(in: unit)
    guard amount > 0 else { throw first.error("give how much it changes, more than 0") }
    guard let within else {
      throw reader.location.error("say how far apart the two results are at most: ‘within: 1d’")
    }
    return .change(by: falls == nil ? amount : -amount, within: try within.span())
  }

  /// The silence of a quantity or a device; without one that of the task's only quantity.
  private func silent(
    _ node: YAMLNode, _ reader: inout MappingReader, of task: PlannedTask
  ) throws(YAMLError) -> Rule.Trigger {
    let span = try node.span()
    let (quantity, device) = (reader.optional("quantity"), reader.optional("device"))
    if let quantity, device != nil {
      throw quantity.error("give ‘quantity’ or ‘device’, not both")
    }
    if let device { return .silent(span, of: .device(try device.deviceID())) }
    if let quantity { return .silent(span, of: .quantity(try quantity.quantity())) }
    guard let own = task.linkage?.quantity else {
      throw node.error("say what is silent: quantity: bodyMass, or device: ADDRESS")
    }
    return .silent(span, of: .quantity(own))
  }

  /// A change against the median of some days: `{days: 7, rises: 1.4 kg}`.
  private func median(
    _ node: YAMLNode, unit: UnitOfMeasure?
  ) throws(YAMLError) -> Rule.Trigger {
    var reader = try node.mapping()
    let days = try reader.required("days").integer(in: Rule.medianDays)
    let (rises, falls) = (reader.optional("rises"), reader.optional("falls"))
    try reader.finish()
    guard (rises == nil) != (falls == nil), let given = rises ?? falls else {
      throw node.error("a median has one of rises, falls: {days: 7, rises: 1.4 kg}")
    }
    let amount = try given.difference(in: unit)
    guard amount > 0 else { throw given.error("give how much it changes, more than 0") }
    return .median(days: days, by: falls == nil ? amount : -amount)
  }

  /// Reads the effects of a rule.
  private func read(
    _ node: YAMLNode?, into rule: inout Rule, of task: PlannedTask
  ) throws(YAMLError) {
    guard let node else { return }
    var reader = try node.mapping()
    let (target, by) = (reader.optional("target"), reader.optional("by"))
    let (atMost, atLeast) = (reader.optional("atMost"), reader.optional("atLeast"))
    let contact = reader.optional("contact")
    try reader.finish()
    if let target {
      if let by { throw by.error("give ‘target’ or ‘by’, not both") }
      rule.target = Rule.TargetChange(.to(try target.number()))
    } else if let by {
      let amount = try by.number()
      guard amount != 0 else { throw by.error("a target that changes by 0 stays the same") }
      rule.target = Rule.TargetChange(
        .by(amount), limit: try (amount > 0 ? atMost : atLeast)?.number())
    }
    let superfluous = by == nil ? atMost ?? atLeast : (try by?.number() ?? 0) > 0 ? atLeast : atMost
    if let superfluous {
      throw superfluous.error(
        "‘by’ has a limit in its own direction: ‘atMost’ where it is more than 0, else ‘atLeast’")
    }
    if rule.target != nil { try checkTarget(of: rule, task, at: node) }
    if let contact {
      let id = try contact.string()
      let known = knownContacts.filter { $0.patient == nil || $0.patient == task.patient }
        .map(\.id)
      guard known.contains(id) else {
        throw contact.error(
          "there is no contact ‘\(id)’ of patient ‘\(task.patient)’ in this plan",
          meant: Spelling.Suggestion(for: id, among: known))
      }
      guard rule.message != nil else {
        throw contact.error("a message to a contact needs its text: give ‘message’")
      }
      rule.contact = id
    }
  }

  /// Refuses a rule that would change a target that the schedule does not have.
  private func checkTarget(
    of rule: Rule, _ task: PlannedTask, at node: YAMLNode
  ) throws(YAMLError) {
    let targets = task.schedule.elements.flatMap(\.targets).filter { task.isTarget($0, of: rule) }
    guard !targets.isEmpty else {
      let name = rule.kind.map { " of ‘\($0)’" } ?? ""
      throw node.error("the schedule has no target\(name) that the rule could change")
    }
    for target in targets {
      guard let own = target.unit, let unit = rule.unit, own.dimension != unit.dimension else {
        continue
      }
      throw node.error("the target is \(own.given), which cannot be given in \(unit.name)")
    }
  }
}

extension YAMLNode {
  /// How far apart two results are, or how long something is silent.
  fileprivate func span() throws(YAMLError) -> Rule.Span {
    let text = try string()
    guard let span = Rule.Span(text) else {
      throw error("‘\(text)’ is no span; write 2d, 36h, 90m or 30s")
    }
    return span
  }

  /// A difference in a rule's unit: a number, or one with a unit of its own (`3 lb`).
  fileprivate func difference(in unit: UnitOfMeasure?) throws(YAMLError) -> Double {
    try amount(in: unit, isDifference: true)
  }

  /// A limit of values in `unit`: a number, or one with a unit of its own such as `64 kg`.
  func limit(in unit: UnitOfMeasure?) throws(YAMLError) -> Double {
    try amount(in: unit, isDifference: false)
  }

  private func amount(
    in unit: UnitOfMeasure?, isDifference: Bool
  ) throws(YAMLError) -> Double {
    let text = try scalar().text
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let number = YAMLNode.number(String(parts[0])) else {
      return try self.number()
    }
    let name = String(parts[1])
    guard let own = UnitOfMeasure(name) else { throw error("there is no unit ‘\(name)’") }
    guard let unit, let value = own.convert(number, to: unit), let zero = own.convert(0, to: unit)
    else {
      throw error(
        "‘\(text)’ is \(own.measuredIn)" + (unit.map { ", and the values \($0.measuredIn)" } ?? ""))
    }
    return isDifference ? value - zero : value
  }

  fileprivate func hasKey(_ key: String) -> Bool {
    guard case .mapping(let pairs) = content else { return false }
    return pairs.contains { $0.key == key }
  }
}

/// A number that a rule can read.
private struct RuleValue {
  /// The kind of the values; `nil` for the values of the only linkage.
  var kind: String?
  /// Its name in a plan.
  var name = ""
  var unit: UnitOfMeasure?
}
