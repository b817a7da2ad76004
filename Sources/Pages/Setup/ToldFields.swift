import Care
import Localization

/// Who is told of what about a person, as a form asks it: some rules of `notify`.
struct ToldFields {
  /// Those who can be told: contacts and people, by id.
  let people: [Told]
  /// The rules before.
  let original: [NotifyRule]

  /// Somebody who can be told.
  struct Told: Hashable, Sendable {
    var id: String
    var name: String
  }

  /// The names of the rules' fields.
  static let names = ["told1", "told2", "told3", "told4"]
  /// The rules that the form cannot show are as they are.
  static let keep = "told"

  /// Whether a form can show rules.
  static func shows(_ rules: [NotifyRule]) -> Bool {
    rules.count <= names.count
      && rules.allSatisfy { $0.after.truncatingRemainder(dividingBy: 60) == 0 }
  }

  /// The rules of a form; `nil` for those of before, also where it does not ask for them.
  func rules(_ fields: FormFields) throws(DraftFlaw) -> [NotifyRule]? {
    guard fields[Self.keep] != "keep", Self.names.contains(where: fields.has) else { return nil }
    var rules: [NotifyRule] = []
    for name in Self.names {
      guard let text = fields[name] else { continue }
      guard let kind = NotifyRule.Kind(rawValue: text) else { throw DraftFlaw(name, "choose") }
      let known = Set(people.map(\.id) + original.flatMap(\.to))
      let to = fields.all(name + ".to").filter(known.contains)
      guard (1...NotifyRule.mostPeople).contains(to.count) else {
        throw DraftFlaw(name + ".to", "choose")
      }
      let minutes = try fields.whole(
        name + ".after", in: 0...Int(saturating: NotifyRule.longest / 60), default: 0)
      let rule = NotifyRule(
        kind, to: to, after: Double(minutes) * 60, isUrgent: fields[name + ".urgent"] != nil,
        showsValue: fields[name + ".value"] != nil)
      if !rules.contains(rule) { rules.append(rule) }
    }
    return rules
  }

  /// The fields of rules.
  static func set(_ rules: [NotifyRule], in fields: inout FormFields) {
    guard shows(rules) else { return fields[keep] = "keep" }
    for (name, rule) in zip(names, rules) {
      fields[name] = rule.kind.rawValue
      fields.set(name + ".to", rule.to)
      fields[name + ".after"] = rule.after > 0 ? String(Int(saturating: rule.after / 60)) : nil
      fields[name + ".urgent"] = rule.isUrgent ? "1" : nil
      fields[name + ".value"] = rule.showsValue ? "1" : nil
    }
  }

  /// The inputs: those of the rules there are, and of one more.
  func inputs(_ fields: FormFields, _ make: InputMaker) -> [EventForm.Field] {
    let words = make.words
    let used = Self.names.lastIndex { fields[$0] != nil } ?? -1
    let kinds = NotifyRule.Kind.allCases.map {
      ($0.rawValue, words.text("told.kind.\($0.rawValue)"))
    }
    let keep =
      fields[Self.keep] == "keep"
      ? [
        make.choice(
          Self.keep, label: "taskForm.keepLabel",
          [("keep", words.text("taskForm.asItIs")), ("new", words.text("taskForm.anew"))])
      ] : []
    return keep
      + Self.names.prefix(used + 2).flatMap { name in
        let choices = fields.all(name + ".to").filter { id in !people.contains { $0.id == id } }
        return [
          make.menu(name, label: "told.of", [("", words.text("told.nobody"))] + kinds)
        ]
          + [
            make.choices(
              name + ".to", label: "told.to",
              people.map { ($0.id, $0.name) } + choices.map { ($0, $0) }),
            make.line(
              name + ".after", label: "told.after", hint: "told.afterHint", kind: "number",
              css: "short"),
            make.flag(name + ".urgent", label: "told.urgent"),
            make.flag(name + ".value", label: "told.value"),
          ].map { make.when(name, is: kinds.map(\.0), $0) }
      }
  }

  /// The rules in words, a line each.
  func lines(_ rules: [NotifyRule], _ words: Language) -> [String] {
    rules.map { rule in
      let names = rule.to.map { id in people.first { $0.id == id }?.name ?? id }
      let told = words.text(
        "told.line",
        ["of": words.text("told.kind.\(rule.kind.rawValue)"), "names": words.list(names)])
      let minutes = Int(saturating: rule.after / 60)
      let parts = [
        told, minutes > 0 ? words.text("told.later", count: minutes) : nil,
        rule.isUrgent ? words.text("told.rings") : nil,
      ]
      return parts.compactMap(\.self).joined(separator: words.text("list.comma"))
    }
  }
}
