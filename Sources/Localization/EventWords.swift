import Assessments
package import Care
package import Foundation

// How an event and its outcome read, on the page and in the terminal.

// MARK: - Values

/// The values of an event's outcome in the order in which they matter.
package struct ShownValues {
  /// The value that counts, with its unit; `nil` if there is none.
  package var text: String?
  /// The least and the most of many values, of which the text is the mean: `98–109`.
  package var range: String?
  /// The values of which the text is made.
  package var values: [OutcomeValue] = []
  /// The other figures, and the answers.
  package var others: [OutcomeValue] = []
  /// Whether the text is one figure, which can be compared with a target.
  package var isComparable = false

  /// Reads what `event` came to, for a person with this language and these units.
  package init(of event: Event, in words: Language, for units: PreferredUnits?) {
    let task = event.task.planned
    let all = event.outcome?.values.filter { !$0.isPlainTrue } ?? []
    let questions = Set(task.survey.map(\.kind))
    let answers = all.filter { $0.kind.map(questions.contains) ?? false }
    let measured = all.filter { !($0.kind.map(questions.contains) ?? false) }
    others = answers
    guard let last = measured.last else { return }
    if let series = ValueSeries(measured, of: event) {
      let texts = series.texts(for: units)
      (text, range, values) = (texts.mean, "\(texts.least)–\(texts.most)", measured)
    } else if task.activeTask != nil {
      let first = measured[0]
      (text, values, isComparable) = (event.comparedText(first, for: units), [first], true)
      others = Array(measured.dropFirst()) + answers
    } else if task.linkages.count > 1 {
      values = task.linkages.compactMap { linkage in
        measured.last { task.isValue($0, of: linkage) }
      }
      // A part alone would read as the whole.
      let isWhole = values.count == task.linkages.count
      text = Self.joined(
        values.compactMap { value in
          event.numberText(value, for: units).map { text in
            guard !isWhole, let quantity = task.quantity(of: value) else { return text }
            return words.text("event.named", ["name": words.title(of: quantity), "value": text])
          }
        })
    } else if task.linkage?.type != .discrete, measured.count > 1,
      measured.allSatisfy({ $0.value.number != nil && $0.kind == last.kind })
    {
      text = event.amountText(event.progress.value, for: units)
      (values, isComparable) = (measured, true)
    } else {
      text = event.comparedText(last, for: units) ?? last.value.plainText
      (values, isComparable) = ([last], true)
      others = measured.filter { $0.kind != last.kind } + answers
    }
  }

  /// `128/82 mmHg` for two numbers of one unit, else the numbers one after another.
  private static func joined(_ texts: [String]) -> String? {
    let split = texts.map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    let units = Set(split.map { $0.count > 1 ? $0[1] : "" })
    guard let unit = units.first, units.count == 1 else { return texts.joined(separator: ", ") }
    let numbers = split.compactMap(\.first).joined(separator: "/")
    return texts.isEmpty ? nil : unit.isEmpty ? numbers : numbers + " " + unit
  }
}

extension OutcomeValue {
  /// Whether it only says that something was done.
  fileprivate var isPlainTrue: Bool { value == .boolean(true) && kind == nil }
}

extension Value {
  /// A text or number as it is; `nil` for bytes and truths.
  fileprivate var plainText: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .double(let number): number.plainText
    case .boolean, .binary, .attachment, .date: nil
    }
  }
}

// MARK: - Amounts and targets

extension Event {
  /// A number in the unit of its targets or linkage, as the person reads it.
  package func amountText(_ number: Double, for units: PreferredUnits?) -> String {
    let unit = goalUnit
    if let quantity = task.linkage?.quantity {
      return quantity.text(number, in: unit ?? quantity.unit, for: units)
    }
    return unit.map { $0.text(number.plainText) } ?? number.plainText
  }

  /// The unit in which progress counts.
  private var goalUnit: UnitOfMeasure? {
    targets.first { $0.value.number != nil }?.unit ?? task.linkage?.unit
      ?? outcome?.values.first { $0.value.number != nil }?.unit
  }

  /// A result as the person reads it, with further digits where rounding would hide that it misses
  /// its target: `12.04 s`, not `12 s`, of at most 12 s.
  fileprivate func comparedText(_ value: OutcomeValue, for units: PreferredUnits?) -> String? {
    let text = numberText(value, for: units)
    let limits = targets.compactMap(\.value.number).map { amountText($0, for: units) }
    guard !progress.isCompleted, let text, limits.contains(text), let number = value.value.number
    else { return text }
    return value.unit.map { $0.text(number.plainText) } ?? number.plainText
  }

  /// Its target in words; `nil` without a number to reach.
  ///
  /// - Parameters:
  ///   - words: The language.
  ///   - units: The units of the person who reads it.
  ///   - style: Whether it stands alone, or after a value: `of 6000`, `of 60° to 80°`.
  ///   - isGrouped: Whether a narrow space stands between the thousands.
  /// - Returns: The words.
  package func targetText(
    _ words: Language, for units: PreferredUnits?, _ style: TargetStyle = .alone,
    isGrouped: Bool = false
  ) -> String? {
    func figure(_ number: Double) -> String {
      let text = amountText(number, for: units)
      return words.figure(isGrouped ? text.groupingDigits : text)
    }
    let targets = self.targets.filter { $0.value.number != nil }
    guard let first = targets.first, let number = first.value.number else { return nil }
    let goal = figure(number)
    if first.isAtMost { return words.text(style.rawValue + ".atMost", ["goal": goal]) }
    let limit = targets.first { $0.isAtMost && $0.kind == first.kind }?.value.number
    guard let limit else { return words.text(style.rawValue + ".atLeast", ["goal": goal]) }
    return words.text(style.rawValue + ".between", ["goal": goal, "limit": figure(limit)])
  }

  /// How a target is worded; the group of its texts.
  package enum TargetStyle: String {
    /// By itself: `Goal: at most 12 s`.
    case alone = "goal"
    /// After the value that is compared with it: `of at most 12 s`.
    case ofValue
  }
}

extension String {
  /// The text with a narrow space between the thousands of a leading number: `3 214`.
  package var groupingDigits: String {
    let sign = prefix { "-\u{2212}".contains($0) }
    let digits = dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber }
    guard digits.count > 3 else { return self }
    var grouped = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { grouped += "\u{202F}" }
      grouped.append(digit)
    }
    return sign + grouped + dropFirst(sign.count + digits.count)
  }
}

// MARK: - Outcomes

extension Language {
  /// How an event stands: `done`, `not recorded`.
  package func name(of state: EventState) -> String {
    text("event.state" + state.rawValue.prefix(1).uppercased() + state.rawValue.dropFirst())
  }

  /// That a person said that an event was not done or was left out, with the reason:
  /// `not done (headache)`.
  package func declined(_ event: Event) -> String {
    let state = name(of: event.outcome?.answer.state == .skipped ? .skipped : .notDone)
    return giving(event.outcome?.answer.reason, to: state)
  }

  /// The result of an event in a line: `81.95 kg`, `⌀ 102 /min (98–109)`, `78° of 90° at 07:05`,
  /// `not done (headache)`; `nil` without an outcome.
  package func result(
    of event: Event, for units: PreferredUnits?, in timeZone: TimeZone
  ) -> String? {
    guard let outcome = event.outcome else { return nil }
    guard outcome.answer.state == .done else { return declined(event) }
    let result = values(of: event, for: units) ?? name(of: .done)
    let timed = outcome.answer.at.map {
      text("event.resultAt", ["result": result, "time": time($0, in: timeZone)])
    }
    return giving(outcome.answer.reason, to: timed ?? result)
  }

  private func giving(_ reason: String?, to result: String) -> String {
    reason.map { text("event.withReason", ["result": result, "reason": $0]) } ?? result
  }

  /// The progress of an event in a line: `0 of 6000`, `22 of 30`, `63.9 kg, done`, `open`.
  package func progress(of event: Event, for units: PreferredUnits?) -> String {
    let isDone = event.progress.isCompleted
    guard event.outcome?.answer.state == .done, let values = values(of: event, for: units) else {
      guard !isDone else { return name(of: .done) }
      return event.targetText(self, for: units, .ofValue).map {
        text("event.withGoal", ["value": "0", "goal": $0])
      } ?? name(of: .open)
    }
    return isDone ? text("event.withState", ["result": values, "state": name(of: .done)]) : values
  }

  /// The progress that an event has made: `22 of 30`, `30 of 30, done`, `open`.
  package func progress(
    _ progress: EventProgress, of event: Event, for units: PreferredUnits?
  ) -> String {
    let state = name(of: progress.isCompleted ? .done : .open)
    guard progress.goal != nil, let goal = event.targetText(self, for: units, .ofValue) else {
      return state
    }
    let value = figure(event.amountText(progress.value, for: units))
    let result = text("event.withGoal", ["value": value, "goal": goal])
    return progress.isCompleted
      ? text("event.withState", ["result": result, "state": state]) : result
  }

  /// The values of an event's outcome in a line; `nil` if there are none.
  private func values(of event: Event, for units: PreferredUnits?) -> String? {
    let shown = ShownValues(of: event, in: self, for: units)
    var parts: [String] = []
    if let figure = figure(of: shown) {
      if let range = shown.range {
        parts.append(text("event.withReason", ["result": figure, "reason": self.figure(range)]))
      } else if shown.isComparable, let goal = event.targetText(self, for: units, .ofValue) {
        parts.append(text("event.withGoal", ["value": figure, "goal": goal]))
      } else {
        parts.append(figure)
      }
    }
    // The first value of an assessment is its result.
    if event.task.activeTask == nil {
      parts += shown.others.compactMap { value in
        answerText(value, of: event, units: units).map {
          text(
            "event.named", ["name": name(ofKind: value.kind, in: event.task.planned), "value": $0])
        }
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: text("list.comma"))
  }

  /// The value that counts, without its target: `81.95 kg`, `⌀ 102 /min`; `nil` if there is none.
  package func figure(of shown: ShownValues) -> String? {
    shown.text.map { (shown.range == nil ? "" : "⌀ ") + figure($0) }
  }

  /// The name of a value's kind: the question's, the linkage's, the figure's.
  package func name(ofKind kind: String?, in task: PlannedTask) -> String {
    guard let kind else { return task.linkage.map { title(of: $0.quantity) } ?? task.title }
    if let question = task.survey.first(where: { $0.kind == kind }) {
      return question.title ?? kind
    }
    if let linkage = task.linkages.first(where: { task.valueKind(of: $0) == kind }) {
      return title(of: linkage.quantity)
    }
    return optionalText("figure." + kind)
      ?? Quantity(rawValue: kind).map { title(of: $0) } ?? kind
  }

  /// A value of an outcome in words; `nil` for bytes.
  package func answerText(
    _ value: OutcomeValue, of event: Event, units: PreferredUnits?
  ) -> String? {
    switch value.value {
    case .integer, .double: return event.numberText(value, for: units).map { figure($0) }
    case .boolean(let flag): return text(flag ? "answer.yes" : "answer.no")
    case .text(let word):
      let isFigure = event.task.activeTask != nil
      return isFigure ? optionalText("figureWord." + word) ?? word : word
    case .date(let date): return time(date, in: event.occurrence.element.timeZone)
    case .binary: return text("answer.file")
    case .attachment(let attachment): return fileText(attachment)
    }
  }

  /// `picture, 2.1 MB`.
  package func fileText(_ attachment: Attachment) -> String {
    text("answer." + attachment.type.kind.rawValue, ["size": figure(attachment.sizeText)])
  }
}

extension Attachment {
  /// The number of bytes for people: `2.1 MB`, `240 kB`.
  fileprivate var sizeText: String {
    guard byteCount >= 999_500 else { return "\(max(1, (byteCount + 500) / 1_000)) kB" }
    let tenths = (byteCount + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}

extension LocalizedText {
  /// That a task is not listed, since it is due too often.
  package init(crowded task: CareTask) {
    self.init(
      "day.crowded",
      ["title": "\(task.title)", "limit": .init(EventExpansion.dailyLimit)])
  }
}
