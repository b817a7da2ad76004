import Assessments
import Care
import Foundation
import Localization

/// The form that answers an event.
struct EventForm {
  let address: String
  let back: String
  let heading: String
  let replaces: String?
  let fields: [Field]
  /// Whether files are part of it.
  let hasFiles: Bool
  let at: AtField
  let button: String

  /// One question or value, with exactly one of the inputs.
  struct Field {
    let name: String
    let inputID: String
    let label: String
    let hint: String?
    let error: String?
    let options: Options?
    let line: LineInput?
    let area: AreaInput?
    var file: FileInput?
    /// Something to read.
    var remark: String?
    var menu: Menu?
    var condition: Condition?

    /// The answers of which one is chosen, or any.
    var choices: [MenuItem] {
      menu?.menuList
        ?? options.map { options in
          options.list.map {
            MenuItem(value: $0.value, caption: $0.caption, isChosen: $0.isChosen)
          }
        } ?? []
    }

    /// Whether any of the answers can be chosen.
    var isMultiple: Bool { options?.kind == "checkbox" }

    /// The only answer: chosen, or not.
    var flag: MenuItem? { isMultiple && choices.count == 1 ? choices.first : nil }
  }

  /// When an input is of use: another one has one of these answers.
  struct Condition: Hashable {
    let name: String
    let values: [String]
    /// The answers as the page's script reads them: stored, since templates see nothing else.
    let list: String

    init(name: String, values: [String]) {
      self.name = name
      self.values = values
      list = values.joined(separator: " ")
    }

    func holds(in fields: FormFields) -> Bool { values.contains(fields[name] ?? "") }
  }

  /// A list that opens.
  struct Menu { let menuList: [MenuItem] }

  struct MenuItem {
    let value: String
    let caption: String
    let isChosen: Bool
  }

  struct Options {
    let css: String
    let kind: String
    let list: [Option]
    let low: String?
    let high: String?
  }

  struct Option {
    let optionID: String
    let value: String
    let caption: String
    let isChosen: Bool
    let isRequired: Bool
  }

  struct LineInput {
    let kind: String
    let mode: String?
    let css: String
    let value: String
    let suffix: String?
    let isRequired: Bool
    let unitName: String?
    let units: UnitChoice?
    let unitCode: String?
  }

  struct UnitChoice { let unitList: [UnitOption] }

  struct UnitOption {
    let code: String
    let symbol: String
    let isChosen: Bool
  }

  struct AreaInput {
    let value: String
    /// Whether each line is an item of a list.
    var isList = false
  }

  /// A file that a phone can take with its camera.
  struct FileInput {
    /// The field's name, unlike those of values.
    let fileName: String
    /// The media types.
    let accept: String
    let isRequired: Bool
    /// A description of the file that is there already: `picture, 2.1 MB`.
    let present: String?
  }

  /// When it was done.
  struct AtField {
    let value: String
    let most: String
    let error: String?
  }
}

// MARK: - Making the form

extension EventForm {
  /// Makes the form of an event with what it has, or with a refused form's fields.
  init(
    _ event: Event, posting: EventPage.Posting, setting: CardSetting,
    entered: [String: [String]], refusal: Notice.Refusal?
  ) {
    let words = setting.viewer.language
    let maker = Maker(
      event: event, words: words, units: setting.units(of: event), entered: entered,
      refusal: refusal)
    address = posting.address
    back = posting.back
    let isAgain = event.outcome != nil
    let adds = event.task.planned.addsUp
    heading = words.text(
      !isAgain ? "event.record" : adds ? "event.recordMore" : "event.recordAgain")
    replaces = isAgain ? words.text(adds ? "event.adds" : "event.replaces") : nil
    fields = maker.fields
    hasFiles = fields.contains { $0.file != nil }
    button = words.text(fields.isEmpty ? "event.done" : "event.save")
    let zone = setting.viewer.timeZone
    at = AtField(
      value: entered["at"]?.first ?? "",
      most: String(LocalDateTime(setting.viewer.now, in: zone).description.prefix(16)),
      error: refusal?.field == "at" ? words.refusal(refusal?.code ?? "") : nil)
  }

  /// Makes the fields of one event.
  private struct Maker {
    let event: Event
    let words: Language
    let units: PreferredUnits?
    let entered: [String: [String]]
    let refusal: Notice.Refusal?

    var fields: [Field] {
      let values = valueFields
      return values
        + event.task.survey.enumerated().map { place, question in
          field(of: question, place: place + values.count)
        }
    }

    /// The linked quantities, the result of an active task, or the number of a target.
    private var valueFields: [Field] {
      let task = event.task.planned
      if !task.linkages.isEmpty {
        return task.linkages.enumerated().map { place, linkage in
          valueField(
            kind: task.valueKind(of: linkage), label: words.title(of: linkage.quantity),
            quantity: linkage.quantity, unit: linkage.unit, place: place)
        }
      }
      if task.activeTask != nil {
        let figures = task.figures.filter { $0.quantity != nil }.prefix(1)
        return figures.map { figure in
          valueField(
            kind: figure.kind, label: words.name(ofKind: figure.kind, in: task),
            quantity: figure.quantity, unit: figure.unit ?? .one, place: 0)
        }
      }
      guard task.survey.isEmpty else { return [] }
      let target = event.targets.first { $0.value.number != nil }
      let isAssessment = task.kind == .assessment
      guard target != nil || isAssessment else { return [] }
      return [
        valueField(
          kind: target?.kind, label: words.text("event.value"), quantity: nil,
          unit: target?.unit ?? .one, place: 0)
      ]
    }

    private func valueField(
      kind: String?, label: String, quantity: Quantity?, unit: UnitOfMeasure, place: Int
    ) -> Field {
      let name = kind.map { "value." + $0 } ?? "value"
      let read = quantity.flatMap { units == nil ? nil : $0.unit(for: units) } ?? unit
      // Stones are read with pounds and typed in pounds: 10.10 is no weight of 10 st 10 lb.
      let shown = read == .stone ? .pound : read
      var choices: [UnitOfMeasure] = []
      let others = [shown, unit]
      for choice in others where !choices.contains(choice) { choices.append(choice) }
      let wished = entered["unit"]?.first
      let hasChoice = choices.count > 1 && event.task.linkages.count < 2
      let given = entered.isEmpty ? self.given(kind, in: shown, of: quantity) : nil
      return Field(
        name: name, inputID: "field-\(place)", label: label, hint: nil,
        error: error(kind ?? "value") ?? (kind == nil ? nil : error("value")), options: nil,
        line: LineInput(
          kind: "text", mode: "decimal", css: "short", value: entered[name]?.first ?? given ?? "",
          suffix: hasChoice || shown.symbol.isEmpty ? nil : words.symbol(of: shown),
          isRequired: false, unitName: place == 0 ? "unit" : nil,
          units: hasChoice
            ? UnitChoice(
              unitList: choices.map {
                UnitOption(
                  code: $0.code, symbol: words.symbol(of: $0),
                  isChosen: $0.code == wished ?? shown.code)
              }) : nil,
          unitCode: hasChoice ? nil : shown.code),
        area: nil)
    }

    /// The value that a person gave and that another would replace; a sensor's is not typed again.
    private func given(_ kind: String?, in unit: UnitOfMeasure, of quantity: Quantity?) -> String? {
      guard !event.task.planned.addsUp else { return nil }
      let value = event.outcome?.values.last { $0.kind == kind && $0.provenance == .manual }
      guard let value, let number = value.value.number else { return nil }
      guard let quantity else { return number.plainText }
      return (value.unit ?? unit).convert(number, to: unit)?
        .plainText(digits: quantity.fractionDigits(in: unit))
    }

    private func error(_ field: String) -> String? {
      refusal?.field == field ? words.refusal(refusal?.code ?? "") : nil
    }

    // MARK: Questions

    private func field(of question: SurveyQuestion, place: Int) -> Field {
      let name = "value." + question.kind
      let inputID = "field-\(place)"
      let title = question.title ?? question.kind
      let given = entered[name] ?? answers(question)
      var options: Options?
      var line: LineInput?
      var area: AreaInput?
      var file: FileInput?
      var hint: String?
      switch question.type {
      case .scale:
        options = scale(question, given: given, inputID: inputID)
      case .boolean:
        options = Options(
          css: "scale", kind: "radio",
          list: [("true", "survey.yes"), ("false", "survey.no")].enumerated().map {
            number, answer in
            Option(
              optionID: "\(inputID)-\(number)", value: answer.0, caption: words.text(answer.1),
              isChosen: given.contains(answer.0), isRequired: !question.isOptional)
          }, low: nil, high: nil)
      case .choice, .choices:
        let isOne = question.type == .choice
        hint = isOne ? nil : words.text("event.any")
        options = Options(
          css: "", kind: isOne ? "radio" : "checkbox",
          list: question.choices.enumerated().map { number, choice in
            Option(
              optionID: "\(inputID)-\(number)", value: choice, caption: choice,
              isChosen: given.contains(choice), isRequired: isOne && !question.isOptional)
          }, low: nil, high: nil)
      case .number:
        hint = limits(question)
        line = input("text", mode: "decimal", css: "short", given, question)
      case .text: area = AreaInput(value: given.first ?? "")
      case .date: line = input("date", css: "", given, question)
      case .time: line = input("time", css: "", given, question)
      case .photo, .video:
        file = self.file(question)
        hint = words.text("event." + question.type.rawValue)
      }
      return Field(
        name: name, inputID: inputID,
        label: question.isOptional ? words.text("event.optional", ["question": title]) : title,
        hint: hint, error: error(question.kind), options: options, line: line, area: area,
        file: file)
    }

    private func input(
      _ kind: String, mode: String? = nil, css: String, _ given: [String],
      _ question: SurveyQuestion
    ) -> LineInput {
      LineInput(
        kind: kind, mode: mode, css: css, value: given.first ?? "",
        suffix: question.unit.flatMap { $0.symbol.isEmpty ? nil : words.symbol(of: $0) },
        isRequired: !question.isOptional, unitName: nil, units: nil, unitCode: nil)
    }

    private func file(_ question: SurveyQuestion) -> FileInput {
      let present = (event.outcome?.values ?? []).lazy.filter { $0.kind == question.kind }
        .compactMap { answer in
          if case .attachment(let attachment) = answer.value { attachment } else { nil }
        }.first
      let isPhoto = question.type == .photo
      return FileInput(
        fileName: "file." + question.kind, accept: isPhoto ? "image/*" : "video/*",
        isRequired: !question.isOptional && present == nil,
        present: present.map { words.text("event.present", ["file": words.fileText($0)]) })
    }

    /// The answers of a scale, of which there are at most 14.
    private func scale(
      _ question: SurveyQuestion, given: [String], inputID: String
    ) -> Options {
      let (low, high, step) = (question.minimum ?? 0, question.maximum ?? 10, question.step ?? 1)
      let numbers = Array(
        stride(from: low, through: high, by: step).prefix(SurveyQuestion.scaleSteps.upperBound + 1))
      return Options(
        css: "scale", kind: "radio",
        list: numbers.enumerated().map { place, number in
          Option(
            optionID: "\(inputID)-\(place)", value: number.plainText,
            caption: words.figure(number.plainText),
            isChosen: given.contains(number.plainText), isRequired: !question.isOptional)
        },
        low: question.anchors.first.map { words.anchor(low, $0) }
          ?? question.unit.map(words.symbol).flatMap { $0.isEmpty ? nil : $0 },
        high: question.anchors.last.map { words.anchor(high, $0) })
    }

    private func limits(_ question: SurveyQuestion) -> String? {
      let unit = question.unit.map { $0.symbol.isEmpty ? "" : " " + words.symbol(of: $0) } ?? ""
      switch (question.minimum, question.maximum) {
      case (let least?, let most?):
        return words.text(
          "event.between",
          [
            "minimum": words.figure(least.plainText), "maximum": words.figure(most.plainText),
            "unit": unit,
          ])
      case (let least?, nil):
        return words.text(
          "event.atLeast", ["minimum": words.figure(least.plainText), "unit": unit])
      case (nil, let most?):
        return words.text("event.atMost", ["maximum": words.figure(most.plainText), "unit": unit])
      case (nil, nil): return nil
      }
    }

    /// The current answers as a form has them.
    private func answers(_ question: SurveyQuestion) -> [String] {
      (event.outcome?.values ?? []).filter { $0.kind == question.kind }.compactMap { answer in
        switch answer.value {
        case .integer(let number): String(number)
        case .double(let number): number.plainText
        case .boolean(let flag): flag ? "true" : "false"
        case .text(let text): text
        case .date(let date): date.day(in: event.occurrence.element.timeZone)
        case .binary, .attachment: nil
        }
      }
    }
  }
}

extension Language {
  /// The word for an end of a scale: `0: no pain`.
  fileprivate func anchor(_ number: Double, _ text: String) -> String {
    self.text("event.anchor", ["number": figure(number.plainText), "text": text])
  }
}
