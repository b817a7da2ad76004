import Foundation
package import Localization

/// A wizard as questions that come one after the other, as a terminal asks them.
///
/// A value: ``question`` says what comes next, ``answer(_:)`` takes it on. The screens, their inputs,
/// checks and summaries are those of the page's form.
package struct WizardQuestions {
  /// A question with its answers.
  package struct Question: Hashable, Sendable {
    /// The question.
    package var text: String
    /// Its possible answers, numbered; none if any text is one.
    package var choices: [String] = []
    /// The answer of an empty line; `nil` if one has to be typed.
    package var standard: String?
  }

  /// The answers so far.
  package private(set) var fields: FormFields
  /// The headings of screens that began since the last question.
  package private(set) var remarks: [String] = []
  /// Makes the wizard of some answers.
  private let wizard: (FormFields) -> any Wizard
  private let words: Language
  /// The screen that is asked; `nil` once all are complete.
  private var screen: String?
  /// The inputs of the screen that were answered.
  private var answered: Set<String> = []
  /// The answers before the screen, to which a refused one goes back.
  private var before = FormFields()
  /// Whether one answer after the other is changed.
  private var isReviewed = false

  /// The answer that stands for none.
  package static let nothing = "-"

  init(
    _ fields: FormFields, words: Language, without skipped: Set<String> = [],
    _ wizard: @escaping (FormFields) -> any Wizard
  ) {
    self.fields = fields
    self.words = words
    self.wizard = wizard
    let screens = wizard(fields).screens
    isReviewed = fields["screen"] == WizardStep.review
    begin(isReviewed ? WizardStep.review : screens.first { !skipped.contains($0) })
  }

  /// The questions about a person; their name is known from the list of people.
  package static func person(
    _ draft: PersonDraft, viewer: Viewer, languages: [Language]
  ) -> WizardQuestions {
    WizardQuestions(draft.fields, words: viewer.language, without: ["name"]) { fields in
      PersonWizard(draft: draft.with(fields), viewer: viewer, languages: languages, isListed: true)
    }
  }

  /// The questions about a task: all screens of a new one, the review of one that is known.
  package static func task(
    _ draft: TaskDraft, viewer: Viewer
  ) -> WizardQuestions {
    WizardQuestions(draft.fields, words: viewer.language) { fields in
      TaskWizard(draft: draft.with(fields), people: [], viewer: viewer)
    }
  }

  /// The questions about ready-made tasks that were chosen.
  package static func ready(_ draft: ReadyTasksDraft, viewer: Viewer) -> WizardQuestions {
    WizardQuestions(draft.fields, words: viewer.language, without: ["ready"]) { fields in
      ReadyTasksWizard(draft: draft.with(fields), people: [], viewer: viewer)
    }
  }

  // MARK: The question

  /// The next question; `nil` once all answers are there.
  package var question: Question? {
    guard let screen else { return nil }
    let wizard = wizard(fields)
    if screen == WizardStep.review { return review(of: wizard) }
    return pending(wizard, screen).map(question)
  }

  private func review(of wizard: any Wizard) -> Question {
    Question(
      text: words.text("wizard.reviewQuestion"),
      choices: wizard.screens.dropLast().map { screen in
        let lines = wizard.summary(of: screen)
        return wizard.heading(of: screen).title + " "
          + (lines.isEmpty ? words.text("wizard.nothing") : lines.joined(separator: "; "))
      }, standard: words.text("wizard.right"))
  }

  private func question(_ input: EventForm.Field) -> Question {
    let hint = input.hint.map { " (\($0))" } ?? ""
    if let line = input.line {
      let unit = line.suffix.map { " [\($0)]" } ?? ""
      return Question(
        text: input.label + unit + hint,
        standard: line.value.isEmpty ? line.isRequired ? nil : Self.nothing : line.value)
    }
    if let area = input.area {
      return Question(
        text: input.label + (area.isList ? " " + words.text("wizard.listHint") : "") + hint,
        standard: area.value.isEmpty
          ? Self.nothing
          : area.value.split(whereSeparator: \.isNewline)
            .joined(separator: area.isList ? ", " : " "))
    }
    if let flag = input.flag {
      return Question(
        text: flag.caption + " " + words.text("wizard.yesOrNo"),
        standard: words.text(flag.isChosen ? "wizard.yes" : "wizard.no"))
    }
    let choices = input.choices
    let chosen = choices.filter(\.isChosen).map(\.caption)
    return Question(
      text: input.label + hint, choices: choices.map(\.caption),
      standard: chosen.isEmpty
        ? input.isMultiple ? Self.nothing : nil : chosen.joined(separator: ", "))
  }

  /// The first input of a screen that has no answer yet.
  private func pending(_ wizard: any Wizard, _ screen: String) -> EventForm.Field? {
    wizard.inputs(of: screen, flaw: nil).first { input in
      input.remark == nil && !answered.contains(input.name)
        && (input.condition?.holds(in: fields) ?? true)
    }
  }

  // MARK: The answer

  /// Takes an answer.
  ///
  /// - Throws: What is wrong with it, or with the screen that it completes: then the question at fault
  ///   comes again.
  package mutating func answer(_ text: String) throws(DraftFlaw) {
    remarks = []
    guard let screen else { return }
    let wizard = wizard(fields)
    guard screen != WizardStep.review else { return try choose(text, in: wizard) }
    guard let input = pending(wizard, screen) else { return }
    fields.set(input.name, try values(of: text, for: input))
    answered.insert(input.name)
    try goOn()
  }

  private mutating func choose(_ text: String, in wizard: any Wizard) throws(DraftFlaw) {
    guard text != words.text("wizard.right") else {
      for name in wizard.screens { try wizard.check(name) }
      screen = nil
      return
    }
    let screens = wizard.screens.dropLast()
    guard let place = Int(text), (1...screens.count).contains(place) else {
      throw DraftFlaw("review", "choose")
    }
    isReviewed = true
    begin(screens[place - 1])
  }

  /// Goes on past the screens that are complete.
  private mutating func goOn() throws(DraftFlaw) {
    while let screen, screen != WizardStep.review {
      let wizard = wizard(fields)
      guard pending(wizard, screen) == nil else { return }
      do throws(DraftFlaw) {
        try wizard.check(screen)
      } catch {
        fields.insist(on: error)
        fields.set(error.field, to: before)
        if answered.remove(error.field) == nil { answered = [] }
        throw error
      }
      if wizard.isRepeated(screen) {
        fields[TaskWizard.more] = nil
        before = fields
        answered.remove(TaskWizard.more)
        continue
      }
      let screens = wizard.screens
      let next = (screens.firstIndex(of: screen) ?? screens.count) + 1
      begin(
        isReviewed
          ? wizard.follower(of: screen) ?? WizardStep.review
          : next < screens.count ? screens[next] : nil)
    }
  }

  private mutating func begin(_ screen: String?) {
    self.screen = screen
    answered = []
    before = fields
    guard let screen, screen != WizardStep.review else { return }
    let heading = wizard(fields).heading(of: screen)
    remarks = [[heading.title, heading.hint].compactMap(\.self).joined(separator: " ")]
  }

  /// The values of a field that an answer stands for.
  private func values(
    of text: String, for input: EventForm.Field
  ) throws(DraftFlaw) -> [String] {
    if let line = input.line {
      guard text != Self.nothing else { return [""] }
      return [line.kind == "time" ? ClockTimes.time(text.lowercased()) ?? text : text]
    }
    if let area = input.area {
      guard text != Self.nothing else { return [""] }
      guard area.isList else { return [text] }
      let items = text.split { ",;".contains($0) }.map { String($0).trimmingWhitespace }
      return [items.joined(separator: "\n")]
    }
    if input.flag != nil {
      guard let isYes = words.yes(text) else { throw DraftFlaw(input.name, "yesOrNo") }
      return isYes ? ["1"] : []
    }
    guard !(input.isMultiple && text == Self.nothing) else { return [] }
    // The captions of an answer that stays may have commas.
    if text == question(input).standard { return input.choices.filter(\.isChosen).map(\.value) }
    let answers = input.isMultiple ? text.split { ",;".contains($0) }.map(String.init) : [text]
    var values: [String] = []
    for answer in answers {
      values.append(try value(of: answer.trimmingWhitespace, for: input))
    }
    return values
  }

  /// The choice of a number, a value, a caption, or of the first letters of only one of them.
  private func value(
    of text: String, for input: EventForm.Field
  ) throws(DraftFlaw) -> String {
    let choices = input.choices
    if let place = Int(text), (1...choices.count).contains(place) {
      return choices[place - 1].value
    }
    let word = text.lowercased()
    let exact = choices.first { [$0.value.lowercased(), $0.caption.lowercased()].contains(word) }
    if let exact { return exact.value }
    let begun = choices.filter {
      $0.caption.lowercased().hasPrefix(word) || $0.value.lowercased().hasPrefix(word)
    }
    guard begun.count == 1, let only = begun.first, !word.isEmpty else {
      throw DraftFlaw(input.name, "choose")
    }
    return only.value
  }
}

extension Language {
  /// Whether a word says yes or no; `nil` if it says neither.
  package func yes(_ text: String) -> Bool? {
    let word = text.lowercased()
    if text == self.text("wizard.yes") || ["y", "yes"].contains(word) { return true }
    if text == self.text("wizard.no") || ["n", "no"].contains(word) { return false }
    return nil
  }
}

/// Times of the day as people write them.
package enum ClockTimes {
  /// `08:00 20:00`, also `8.30`, `0800`, `8am`; `nil` where a word is no time.
  ///
  /// - Returns: The times in their order, each once.
  package static func times(_ text: String) -> [String]? {
    var words: [String] = []
    for word in text.lowercased().split(whereSeparator: { " ,;".contains($0) }) {
      // The half of the day may stand apart from the hour.
      if ["am", "pm"].contains(word), let last = words.popLast() {
        words.append(last + word)
      } else {
        words.append(String(word))
      }
    }
    var times: Set<String> = []
    for word in words {
      guard let time = time(word) else { return nil }
      times.insert(time)
    }
    return times.sorted()
  }

  /// One time as `08:30`; `nil` for a text that is none.
  static func time(_ text: String) -> String? {
    let half = ["am", "pm"].first { text.hasSuffix($0) }
    let clock = half == nil ? text[...] : text.dropLast(2)
    var parts = clock.split(omittingEmptySubsequences: false) { ":.h".contains($0) }
    // `0800` and `800` have no separator.
    if parts.count == 1, (3...4).contains(clock.count) {
      parts = [clock.dropLast(2), clock.suffix(2)]
    }
    guard parts.count <= 2, parts.allSatisfy({ (1...2).contains($0.count) }),
      var hour = Int(parts[0]), parts.count == 1 || parts[1].count == 2,
      let minute = parts.count == 2 ? Int(parts[1]) : 0, (0...59).contains(minute), hour >= 0
    else { return nil }
    if let half {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (half == "pm" ? 12 : 0)
    }
    guard hour <= 23 else { return nil }
    return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
  }
}
