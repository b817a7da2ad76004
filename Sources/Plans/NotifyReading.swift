import Care
import Foundation
import StrictYAML

extension PlanReader {
  /// Whom a plan, a person or a task tells of what.
  func notify(_ node: YAMLNode?) throws(YAMLError) -> [NotifyRule] {
    try list(
      node, twice: { _ in "this is given twice" }, isSame: ==, read: notifyRule)
  }

  /// `{for: alert, to: [nora], after: 30m, urgent: true, shows: value}`.
  private func notifyRule(_ node: YAMLNode) throws(YAMLError) -> NotifyRule {
    var reader = try node.mapping()
    let kind: NotifyRule.Kind = try reader.required("for").choice()
    let people = try reader.required("to")
    let after = reader.optional("after")
    let shows = reader.optional("shows")
    var rule = NotifyRule(kind, to: try texts(people))
    rule.isUrgent = try reader.optional("urgent")?.boolean() ?? false
    try reader.finish(meant: ["of": "for", "who": "to", "delay": "after", "show": "shows"])
    guard (1...NotifyRule.mostPeople).contains(rule.to.count) else {
      throw people.error("name 1 to \(NotifyRule.mostPeople) people")
    }
    if let after {
      guard case .seconds(let seconds) = try after.duration(), seconds <= NotifyRule.longest else {
        throw after.error("expected a time up to a week such as 30m or 2h")
      }
      rule.after = seconds
    }
    if let shows {
      guard try shows.string() == "value" else {
        throw shows.error("‘shows’ is ‘value’, or is left out")
      }
      rule.showsValue = true
    }
    return rule
  }

  /// Those of a task, which must name people of this plan.
  func notify(
    _ node: YAMLNode?, of patient: String, of patients: [Patient]
  ) throws(YAMLError) -> [NotifyRule] {
    let rules = try notify(node)
    guard let node else { return [] }
    for (index, rule) in rules.enumerated() where rule.kind == .question || rule.kind == .machine {
      throw (node.nodes(on: PlanPath() / index / "for").last ?? node).error(
        "a \(rule.kind.rawValue) belongs to no task: give it under ‘notify’ of the plan or of the"
          + " patient")
    }
    try require(rules, at: node, of: patient, of: patients)
    return rules
  }

  /// Those of the whole plan, for each person who has none, and the names of all of them.
  func readNotify(
    _ node: YAMLNode?, people: YAMLNode?, for patients: inout [Patient]
  ) throws(YAMLError) {
    let common = try notify(node)
    for index in patients.indices {
      let own = people?.nodes(on: PlanPath() / index / "notify").last
      if patients[index].notify.isEmpty { patients[index].notify = common }
      guard let place = own ?? node else { continue }
      try require(patients[index].notify, at: place, of: patients[index].id, of: patients)
    }
  }

  /// Refuses names of nobody in this plan; a part of a plan may name people of the store.
  private func require(
    _ rules: [NotifyRule], at node: YAMLNode, of patient: String, of patients: [Patient]
  ) throws(YAMLError) {
    guard !isPart else { return }
    let known =
      knownContacts.filter { $0.patient == nil || $0.patient == patient }.map(\.id)
      + patients.map(\.id)
    for (index, rule) in rules.enumerated() {
      for (place, id) in rule.to.enumerated() where !known.contains(id) {
        throw (node.nodes(on: PlanPath() / index / "to" / place).last ?? node).error(
          "there is no contact and no patient ‘\(id)’ in this plan",
          meant: Spelling.Suggestion(for: id, among: known))
      }
    }
  }
}
