import Assessments
import Care
import Foundation
import Localization

/// The questions about a task.
struct TaskWizard: Wizard {
  let draft: TaskDraft
  let people: [Patient]
  let viewer: Viewer

  var fields: FormFields { draft.fields }
  private var words: Language { viewer.language }
  private var answer: AnswerKind? { fields["answer"].flatMap(AnswerKind.init) }
  private var every: ScheduleKind? { fields["every"].flatMap(ScheduleKind.init) }

  var screens: [String] {
    var screens: [String] = []
    if draft.original == nil, people.count > 1 { screens.append("who") }
    screens += ["what", "often"]
    if every != .keep { screens.append("when") }
    screens.append("answer")
    if [.sensor, .assessment, .survey].contains(answer) { screens.append("detail") }
    if !assessmentKeys.isEmpty { screens.append("keys") }
    if !targetChoices.isEmpty, fields["targets"] != "keep" || answer != .keep {
      screens.append("goal")
    }
    if !isRead { screens.append("remind") }
    screens.append("look")
    // Few tasks have limits and rules: they are asked for from the review alone.
    let isReviewed = fields["reviewed"] != nil || fields["screen"] == WizardStep.review
    if isReviewed, !targetChoices.isEmpty { screens += ["limits", "rules"] }
    return screens + [WizardStep.review]
  }

  func follower(of screen: String) -> String? {
    switch screen {
    case "often": screens.contains("when") ? "when" : nil
    case "answer": ["detail", "goal"].first(where: screens.contains)
    case "detail": ["keys", "goal"].first(where: screens.contains)
    case "keys": ["goal"].first(where: screens.contains)
    default: nil
    }
  }

  /// The field that asks for one more question of a survey.
  static let more = "more"

  func isRepeated(_ screen: String) -> Bool {
    screen == "detail" && answer == .survey && fields[Self.more] != nil
      && questionCount < TaskDraft.mostQuestions
  }

  /// How many questions of a survey have a title.
  private var questionCount: Int {
    (1...TaskDraft.mostQuestions).filter { fields["q\($0).title"] != nil }.count
  }

  private var assessmentKeys: [ActiveTaskForm.Key] {
    answer == .assessment ? draft.assessment?.keys ?? [] : []
  }

  /// Whether the task is only to read, so that nothing reminds of it.
  private var isRead: Bool {
    answer == .read || answer == .keep && draft.original?.kind == .readOnly
  }

  /// The number of screens follows from what completes the task, and from its schedule.
  var isCountKnown: Bool {
    every != nil && answer != nil && (try? draft.answered(patient: "")) != nil
  }

  private var targetChoices: [TaskDraft.TargetChoice] {
    guard let task = try? draft.answered(patient: "") else { return [] }
    return TaskDraft.targetChoices(of: task)
  }

  // MARK: Checks

  func check(_ screen: String) throws(DraftFlaw) {
    switch screen {
    case "who":
      try fields.checkPerson(among: people)
    case "what":
      _ = try draft.title()
      guard (fields["instructions"]?.count ?? 0) <= TaskDraft.longest.instructions else {
        throw DraftFlaw(
          "instructions", "tooLong", ["most": String(TaskDraft.longest.instructions)])
      }
    case "often": guard every != nil else { throw DraftFlaw("every", "choose") }
    case "when": _ = try draft.schedule(targets: [])
    case "answer": guard answer != nil else { throw DraftFlaw("answer", "choose") }
    case "detail" where answer == .assessment:
      guard draft.assessment != nil else { throw DraftFlaw("assessment", "choose") }
    case "detail", "keys": _ = try draft.answered(patient: "")
    case "goal": _ = try draft.targets(of: try draft.answered(patient: ""))
    case "limits": _ = try draft.thresholds(of: try draft.answered(patient: ""))
    case "rules": _ = try draft.rules(of: try draft.answered(patient: ""))
    case "remind":
      _ = try draft.reminder()
      if let schedule = try? draft.schedule(targets: []) {
        _ = try draft.fallback(in: schedule)
      }
    default: break
    }
  }

  func screen(of flaw: DraftFlaw) -> String {
    let screens = screens
    let found = screens.first { screen in
      inputs(of: screen, flaw: nil).contains { $0.name == flaw.field }
    }
    return found ?? WizardStep.review
  }

  // MARK: Words

  func heading(of screen: String) -> (title: String, hint: String?) {
    (
      words.text("taskForm.screen." + screen),
      words.optionalText("taskForm.hint." + screen)
    )
  }

  func summary(of screen: String) -> [String] {
    switch screen {
    case "who": return people.filter { $0.id == fields["patient"] }.map(words.fullName(of:))
    case "what":
      return [fields["title"], fields["text"], fields["instructions"]].compactMap(\.self)
    case "look":
      let parts = [
        fields["group"],
        fields["style"].map { words.text("taskForm.style." + $0) },
        fields["optional"] == nil ? nil : words.text("setup.optional"),
      ].compactMap(\.self)
      return parts.isEmpty ? [words.text("taskForm.usual")] : parts
    case "often": return every.map { [words.text("taskForm.every." + $0.rawValue)] } ?? []
    case "when":
      guard let schedule = try? draft.schedule(targets: []) else { return [] }
      return words.lines(of: schedule, viewer)
    case "answer": return answer.map { [words.text("taskForm.answer." + $0.rawValue)] } ?? []
    case "detail": return detail
    case "keys":
      let task = (try? draft.answered(patient: ""))?.activeTask
      let lines = task.map { words.arguments(of: $0) } ?? []
      return lines.isEmpty ? [words.text("taskForm.usual")] : lines
    case "goal":
      let goals = TaskDraft.goals.compactMap { name in
        amount(name).map {
          fields["\(name).atMost"] == nil ? $0 : words.text("goal.atMost", ["goal": $0])
        }
      }
      return goals.isEmpty ? [words.text("taskForm.noGoal")] : goals
    case "limits":
      guard fields["limits"] != "keep" else { return [words.text("taskForm.asItIs")] }
      let limits = TaskDraft.limits.compactMap { name in
        amount(name).map { value in
          words.text(
            fields["\(name).below"] == nil ? "taskForm.limitFrom" : "taskForm.limitUpTo",
            ["value": value, "says": fields["\(name).says"] ?? ""])
        }
      }
      return limits.isEmpty ? [words.text("taskForm.none")] : limits
    case "rules":
      if fields["rules"] == "keep" { return rules }
      let task = try? draft.answered(patient: "")
      let rules = task.flatMap { task in
        (try? draft.rules(of: task)).flatMap(\.self)?.map { words.rule($0, of: task) }
      }
      return rules.flatMap { $0.isEmpty ? nil : $0 } ?? [words.text("taskForm.none")]
    case "remind": return reminders
    default: return []
    }
  }

  private var detail: [String] {
    if let form = draft.assessment, answer == .assessment {
      return [words.title(of: form.type)]
    }
    guard let task = try? draft.answered(patient: "") else { return [] }
    return task.linkages.map { words.title(of: $0.quantity) }
      + task.survey.map { $0.title ?? $0.kind }
  }

  private var reminders: [String] {
    guard let schedule = try? draft.schedule(targets: []) else { return [] }
    let reminder = try? draft.reminder()
    let fallback = try? draft.fallback(in: schedule)
    let lines = [
      reminder.map {
        words.text("taskForm.reminderAt", ["time": words.moment($0.offset, in: schedule)])
      },
      fallback.map {
        words.text("taskForm.fallbackAt", ["time": words.moment($0.after, in: schedule)])
      },
    ].compactMap(\.self)
    return lines.isEmpty ? [words.text("taskForm.noReminder")] : lines
  }

  /// A number of the form with the unit of its kind; `nil` for an empty one.
  private func amount(_ name: String) -> String? {
    let choices = targetChoices
    let choice = choices.first { $0.kind == fields["\(name).kind"] } ?? choices.first
    let symbol = choice?.unit.flatMap { $0 == .one ? nil : words.symbol(of: $0) }
    return fields[name].map { [$0, symbol].compactMap(\.self).joined(separator: " ") }
  }

  /// The rules of before.
  private var rules: [String] {
    guard let task = draft.original else { return [] }
    return task.rules.map { words.rule($0, of: task) }
  }

  // MARK: Inputs

  func inputs(of screen: String, flaw: DraftFlaw?) -> [EventForm.Field] {
    let make = InputMaker(fields: fields, words: words, flaw: flaw)
    switch screen {
    case "who":
      return [make.person(people)]
    case "what":
      return [
        make.line("title", label: "taskForm.title", isRequired: true),
        make.line("text", label: "taskForm.text", hint: "taskForm.textHint"),
        make.area("instructions", label: "taskForm.instructions"),
      ]
    case "look":
      return [
        make.line("group", label: "taskForm.group", hint: "taskForm.groupHint"),
        make.menu("glyph", label: "taskForm.glyph", glyphs),
        make.menu("style", label: "taskForm.card", styles),
        make.flag("optional", label: "taskForm.optional"),
      ]
    case "often":
      return [
        make.choice(
          "every", label: "taskForm.everyLabel",
          ScheduleKind.allCases.filter { $0 != .keep || draft.original != nil }
            .map { ($0.rawValue, words.text("taskForm.every." + $0.rawValue)) })
      ]
    case "when": return whenInputs(make)
    case "answer":
      return [
        make.choice(
          "answer", label: "taskForm.answerLabel",
          AnswerKind.allCases.filter { $0 != .keep || draft.original != nil }
            .map { ($0.rawValue, words.text("taskForm.answer." + $0.rawValue)) })
      ]
    case "detail": return detailInputs(make)
    case "keys": return assessmentKeys.map { keyInput($0, make) }
    case "goal": return goalInputs(make)
    case "remind": return reminderInputs(make)
    case "limits": return limitInputs(make)
    case "rules": return ruleInputs(make)
    default: return []
    }
  }

  private var glyphs: [(String, String)] {
    var choices = [("", words.text("taskForm.usual"))]
    if fields["glyph"] == "keep" { choices.append(("keep", words.text("taskForm.ownGlyph"))) }
    for glyph in Glyph.Standard.allCases {
      choices.append((glyph.rawValue, words.text("glyph." + glyph.rawValue)))
    }
    choices += TaskLook.ownGlyphs.map { ($0, words.text("glyph.\($0)")) }
    return choices
  }

  private var styles: [(String, String)] {
    var choices = [("", words.text("taskForm.usual"))]
    for style in CardStyle.allCases {
      choices.append((style.rawValue, words.text("taskForm.style." + style.rawValue)))
    }
    return choices
  }

  private func whenInputs(_ make: InputMaker) -> [EventForm.Field] {
    guard let every else { return [] }
    var inputs: [EventForm.Field] = []
    let today = viewer.now.day(in: draft.zone)
    inputs.append(
      make.line("start", label: "taskForm.start", kind: "date", default: today, isRequired: true))
    switch every {
    case .weekly:
      inputs.append(
        make.choices(
          "weekday", label: "taskForm.weekdays",
          words.weekdays.map {
            (String($0), words.text("date.weekday.\($0)"))
          }))
      inputs.append(
        make.line(
          "step", label: "taskForm.stepWeeks", kind: "number", default: "1", css: "short"))
    case .days:
      inputs.append(
        make.line("step", label: "taskForm.stepDays", kind: "number", default: "2", css: "short"))
    case .hours:
      inputs.append(
        make.line("step", label: "taskForm.stepHours", kind: "number", default: "6", css: "short"))
    case .monthly:
      inputs.append(
        make.line("day", label: "taskForm.dayOfMonth", kind: "number", default: "1", css: "short"))
      inputs.append(
        make.line(
          "step", label: "taskForm.stepMonths", kind: "number", default: "1", css: "short"))
    case .phases:
      for phase in 1...ScheduleDraft.mostPhases {
        let number = ["number": String(phase)]
        inputs.append(
          make.line(
            "phase\(phase).step", label: "taskForm.phaseStep", values: number, kind: "number",
            default: phase == 1 ? "1" : nil, css: "short"))
        inputs.append(
          make.menu(
            "phase\(phase).unit", label: "taskForm.phaseUnit", values: number,
            ["days", "weeks"].map { ($0, words.text("taskForm.unit." + $0)) }))
        inputs.append(
          make.line(
            "phase\(phase).to", label: "taskForm.phaseTo", values: number, kind: "date"))
      }
    case .keep, .daily, .several: break
    }
    if every == .several {
      let defaults = ["08:00", "12:00", "20:00"]
      let isNew = !fields.has("time1")
      for place in 1...ScheduleDraft.mostTimes {
        let number = ["number": String(place)]
        inputs.append(
          make.line(
            "time\(place)", label: "taskForm.timeNumber", values: number,
            hint: draft.original == nil && place == 1 ? "taskForm.timesHint" : nil, kind: "time",
            default: isNew && place <= defaults.count ? defaults[place - 1] : nil))
        inputs.append(
          make.line(
            "name\(place)", label: "taskForm.timeName", values: number))
      }
    } else {
      inputs.append(
        make.line(
          "time", label: every == .hours ? "taskForm.firstTime" : "taskForm.time",
          hint: draft.original == nil ? "taskForm.timeHint" : nil, kind: "time",
          default: "08:00"))
    }
    if every.canBeAllDay {
      inputs.append(
        make.choice(
          "length", label: "taskForm.lengthLabel",
          ["timed", "allDay"].map { ($0, words.text("taskForm.length." + $0)) },
          default: "timed"))
    }
    let minutes = make.line(
      "minutes", label: "taskForm.minutes", kind: "number", default: "60", css: "short",
      suffix: words.text("taskForm.minutesUnit"))
    inputs.append(
      every.canBeAllDay ? make.when("length", is: ["", "timed"], minutes) : minutes)
    inputs.append(
      make.choice(
        "until", label: "taskForm.until",
        ["never", "date", "count"].map { ($0, words.text("taskForm.untilChoice." + $0)) },
        default: "never"))
    inputs.append(
      make.when("until", is: ["date"], make.line("end", label: "taskForm.end", kind: "date")))
    inputs.append(
      make.when(
        "until", is: ["count"],
        make.line("count", label: "taskForm.count", kind: "number", css: "short")))
    return inputs
  }

  private func keyInput(_ key: ActiveTaskForm.Key, _ make: InputMaker) -> EventForm.Field {
    let label = "taskForm.key." + key.rawValue
    switch key.values {
    case .words(let known):
      let choices = known.map { ($0, words.optionalText("body." + $0) ?? $0) }
      return make.menu(key.rawValue, label: label, [("", words.text("taskForm.none"))] + choices)
    case .number(_, let unit):
      return make.line(
        key.rawValue, label: label, kind: "text", css: "short", suffix: unit.symbol)
    case .count(_, let unit):
      return make.line(
        key.rawValue, label: label, kind: "number", css: "short",
        suffix: unit == .one ? nil : words.symbol(of: unit))
    }
  }

  private func detailInputs(_ make: InputMaker) -> [EventForm.Field] {
    switch answer {
    case .sensor:
      var quantities = TaskDraft.quantities
      if let own = draft.original?.linkage?.quantity, !quantities.contains(own) {
        quantities.append(own)
      }
      var choices = quantities.map { ($0.rawValue, words.title(of: $0)) }
      choices.insert((TaskDraft.pressure, words.text("taskForm.pressure")), at: 2)
      return [make.choice("quantity", label: "taskForm.quantity", choices)]
    case .assessment:
      return [
        make.choice(
          "assessment", label: "taskForm.assessment",
          AssessmentList.all.map { ($0.type.rawValue, words.title(of: $0.type)) })
      ]
    case .survey:
      // The questions so far, and one more if it was asked for.
      let isMore = fields[Self.more] != nil
      let count = min(max(questionCount + (isMore ? 1 : 0), 1), TaskDraft.mostQuestions)
      return (1...count).flatMap { questionInputs($0, make) }
        + (count < TaskDraft.mostQuestions
          ? [make.flag(Self.more, label: "taskForm.more", isChosen: false)] : [])
    default: return []
    }
  }

  private func reminderInputs(_ make: InputMaker) -> [EventForm.Field] {
    let asksTime = draft.isOfDays || ["reminder", "fallback"].contains { fields[$0] == "at" }
    func choices(_ name: String, _ choices: [String]) -> EventForm.Field {
      make.choice(
        name, label: "taskForm." + name,
        ((fields[name] == "keep" ? ["keep"] : []) + choices).map {
          ($0, words.text("taskForm.remind." + $0))
        }, default: "none")
    }
    func amount(_ name: String) -> [EventForm.Field] {
      [
        make.line(
          "\(name).amount", label: "taskForm.\(name)Amount", kind: "number", css: "short"),
        make.menu(
          "\(name).unit", label: "taskForm.\(name)Unit",
          TaskDraft.momentUnits.map { ($0.0, words.text("taskForm.momentUnit." + $0.0)) }),
      ].map { make.when(name, is: ["before", "after"], $0) }
        + (asksTime
          ? [
            make.when(
              name, is: ["at"],
              make.line("\(name).time", label: "taskForm.\(name)Time", kind: "time", css: "short"))
          ] : [])
    }
    let times = asksTime ? ["at"] : []
    var inputs =
      [choices("reminder", ["none"] + times + ["before", "after"])] + amount("reminder")
    inputs += [choices("fallback", ["none"] + times + ["after"])] + amount("fallback")
    return inputs
  }

  private func questionInputs(_ place: Int, _ make: InputMaker) -> [EventForm.Field] {
    let name = "q\(place)"
    let number = ["number": String(place)]
    let numbers = [SurveyQuestion.AnswerType.scale, .number].map(\.rawValue)
    func bound(_ property: String, _ label: String, mode: String? = nil) -> EventForm.Field {
      make.when(
        "\(name).type", is: numbers,
        make.line(
          "\(name).\(property)", label: label, values: number, css: "short", mode: mode))
    }
    return [
      make.line(
        "\(name).title", label: "taskForm.question", values: number,
        hint: place > 1 ? "taskForm.questionHint" : nil),
      make.menu(
        "\(name).type", label: "taskForm.questionType", values: number,
        [("", words.text("taskForm.chooseType"))]
          + TaskDraft.questionTypes.map {
            ($0.rawValue, words.text("taskForm.type." + $0.rawValue))
          }),
      bound("minimum", "taskForm.minimum", mode: "decimal"),
      bound("maximum", "taskForm.maximum", mode: "decimal"),
      bound("unit", "taskForm.unitLabel"),
    ]
      + [("low", "taskForm.low"), ("high", "taskForm.high")].map { end, label in
        make.when(
          "\(name).type", is: [SurveyQuestion.AnswerType.scale.rawValue],
          make.line("\(name).\(end)", label: label, values: number))
      } + [
        make.when(
          "\(name).type", is: [SurveyQuestion.AnswerType.choice, .choices].map(\.rawValue),
          make.area("\(name).choices", label: "taskForm.choices", values: number, isList: true)),
        make.flag("\(name).optional", label: "taskForm.questionOptional", values: number),
      ]
  }

  private func goalInputs(_ make: InputMaker) -> [EventForm.Field] {
    let names = targetChoices.count > 1 ? TaskDraft.goals[...] : TaskDraft.goals.prefix(1)
    return names.flatMap { name in
      numberInputs(
        name, label: name == "target" ? "taskForm.goal" : "taskForm.secondGoal", make)
        + [make.flag("\(name).atMost", label: "taskForm.atMost")]
    }
  }

  /// A number, and of which of the task's values it is where there are several.
  private func numberInputs(
    _ name: String, label: String, values: [String: String] = [:], _ make: InputMaker
  ) -> [EventForm.Field] {
    let choices = targetChoices
    let symbol = choices.count == 1 ? choices.first?.unit.map(words.symbol) : nil
    let number = make.line(
      name, label: label, values: values, hint: "taskForm.goalHint", css: "short",
      mode: "decimal", suffix: symbol == "1" ? nil : symbol)
    guard choices.count > 1 else { return [number] }
    let task = (try? draft.answered(patient: ""))
    return [
      number,
      make.menu(
        "\(name).kind", label: "taskForm.goalKind",
        [("", words.text("taskForm.chooseKind"))]
          + choices.map { choice in
            let name = choice.kind.flatMap { kind in
              task.map { words.name(ofKind: kind, in: $0) }
            }
            let unit = choice.unit.flatMap {
              ["", "1"].contains($0.symbol) ? nil : words.symbol(of: $0)
            }
            let parts = [name ?? choice.kind, unit.map { "(\($0))" }]
            return (choice.kind ?? "", parts.compactMap(\.self).joined(separator: " "))
          }),
    ]
  }

  /// The parts that stay as they are, unless the person wants the form's own.
  private func keep(_ name: String, _ make: InputMaker) -> [EventForm.Field] {
    guard fields[name] == "keep" else { return [] }
    return [
      make.choice(
        name, label: "taskForm.keepLabel",
        [("keep", words.text("taskForm.asItIs")), ("new", words.text("taskForm.anew"))])
    ]
  }

  private func limitInputs(_ make: InputMaker) -> [EventForm.Field] {
    let used = TaskDraft.limits.lastIndex { fields[$0] != nil } ?? -1
    return keep("limits", make)
      + TaskDraft.limits.prefix(used + 2).enumerated().flatMap { place, name in
        numberInputs(
          name, label: "taskForm.limit", values: ["number": String(place + 1)], make)
          + [
            make.flag("\(name).below", label: "taskForm.limitBelow"),
            make.line("\(name).says", label: "taskForm.limitSays", hint: "taskForm.limitSaysHint"),
            make.flag("\(name).alerts", label: "taskForm.limitAlerts"),
          ]
      }
  }

  private func ruleInputs(_ make: InputMaker) -> [EventForm.Field] {
    keep("rules", make)
      + rules.enumerated().map { place, rule in
        make.remark(
          "rule\(place + 1)", label: "taskForm.rule", values: ["number": String(place + 1)], rule)
      }
      + [
        make.line(
          "rule.count", label: "taskForm.ruleCount", kind: "number", default: "3", css: "short")
      ]
      + numberInputs("rule.value", label: "taskForm.ruleValue", make)
      + [
        make.flag("rule.below", label: "taskForm.ruleBelow"),
        make.line("rule.target", label: "taskForm.ruleTarget", css: "short", mode: "decimal"),
        make.line("rule.message", label: "taskForm.ruleMessage"),
      ]
  }
}
