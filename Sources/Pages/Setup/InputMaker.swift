import Care
import Localization

/// Makes the inputs of a form from its fields, with what is wrong with one of them.
struct InputMaker {
  let fields: FormFields
  let words: Language
  let flaw: DraftFlaw?

  /// An input that is of use only if another one has one of some answers.
  func when(
    _ name: String, is values: [String], _ input: EventForm.Field
  ) -> EventForm.Field {
    var input = input
    input.condition = EventForm.Condition(name: name, values: values)
    return input
  }

  private func field(
    _ name: String, label: String, values: [String: String], hint: String?,
    options: EventForm.Options? = nil, line: EventForm.LineInput? = nil,
    area: EventForm.AreaInput? = nil, menu: EventForm.Menu? = nil
  ) -> EventForm.Field {
    EventForm.Field(
      name: name, inputID: "field-" + name.replacing(".", with: "-"),
      label: words.text(label, values), hint: hint.map { words.text($0) },
      error: flaw?.field == name ? flaw?.text(words) : nil, options: options, line: line,
      area: area, menu: menu)
  }

  /// A line of text, a number, a date or a time.
  func line(
    _ name: String, label: String, values: [String: String] = [:], hint: String? = nil,
    kind: String = "text", default value: String? = nil, css: String = "", mode: String? = nil,
    suffix: String? = nil, isRequired: Bool = false
  ) -> EventForm.Field {
    let shown = fields[name] ?? (fields.has(name) ? "" : value ?? "")
    // A number field would refuse a decimal comma and hide what it refuses.
    let isNumber = kind == "number"
    return field(
      name, label: label, values: values, hint: hint,
      line: EventForm.LineInput(
        kind: isNumber ? "text" : kind, mode: isNumber ? "numeric" : mode, css: css, value: shown,
        suffix: suffix, isRequired: isRequired, unitName: nil, units: nil, unitCode: nil))
  }

  /// Several lines of text, or a list of items, one a line.
  func area(
    _ name: String, label: String, values: [String: String] = [:], hint: String? = nil,
    isList: Bool = false
  ) -> EventForm.Field {
    field(
      name, label: label, values: values, hint: hint,
      area: EventForm.AreaInput(value: fields[name] ?? "", isList: isList))
  }

  /// One of some answers, all of them in view.
  func choice(
    _ name: String, label: String, _ choices: [(String, String)],
    default value: String? = nil
  ) -> EventForm.Field {
    options(name, label, choices, kind: "radio", chosen: [fields[name] ?? value ?? ""])
  }

  /// One of the people.
  func person(_ people: [Patient]) -> EventForm.Field {
    choice("patient", label: "taskForm.patient", people.map { ($0.id, words.fullName(of: $0)) })
  }

  /// Any of some answers.
  func choices(
    _ name: String, label: String, _ choices: [(String, String)]
  ) -> EventForm.Field {
    options(name, label, choices, kind: "checkbox", chosen: fields.all(name))
  }

  /// Yes, or nothing.
  func flag(
    _ name: String, label: String, values: [String: String] = [:], isChosen: Bool? = nil
  ) -> EventForm.Field {
    field(
      name, label: "wizard.also", values: [:], hint: nil,
      options: EventForm.Options(
        css: "", kind: "checkbox",
        list: [
          EventForm.Option(
            optionID: "field-" + name.replacing(".", with: "-"), value: "1",
            caption: words.text(label, values), isChosen: isChosen ?? (fields[name] != nil),
            isRequired: false)
        ], low: nil, high: nil))
  }

  /// Something to read.
  func remark(
    _ name: String, label: String, values: [String: String] = [:], _ text: String
  ) -> EventForm.Field {
    EventForm.Field(
      name: name, inputID: "field-" + name.replacing(".", with: "-"),
      label: words.text(label, values), hint: nil, error: nil, options: nil, line: nil, area: nil,
      remark: text)
  }

  private func options(
    _ name: String, _ label: String, _ choices: [(String, String)], kind: String,
    chosen: [String]
  ) -> EventForm.Field {
    field(
      name, label: label, values: [:], hint: nil,
      options: EventForm.Options(
        css: "", kind: kind,
        list: choices.enumerated().map { place, choice in
          EventForm.Option(
            optionID: "field-\(name.replacing(".", with: "-"))-\(place)", value: choice.0,
            caption: choice.1, isChosen: chosen.contains(choice.0), isRequired: false)
        }, low: nil, high: nil))
  }

  /// One of many answers, in a list that opens.
  func menu(
    _ name: String, label: String, values: [String: String] = [:],
    _ choices: [(String, String)]
  ) -> EventForm.Field {
    let chosen = fields[name] ?? ""
    return field(
      name, label: label, values: values, hint: nil,
      menu: EventForm.Menu(
        menuList: choices.map {
          EventForm.MenuItem(
            value: $0.0, caption: $0.1, isChosen: $0.0 == chosen)
        }))
  }
}
