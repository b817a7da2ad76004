import Assessments
package import Care
package import Foundation

/// A value as a person or a program entered it, with its unit and kind.
package struct EnteredValue: Hashable, Sendable {
  /// The value: a number, also with its unit, `true`, `false` or a text.
  package var text: String
  /// The unit; `nil` for the one that the task asks for, or that the person reads.
  package var unit: UnitOfMeasure?
  /// Which of the task's values it is; `nil` for the only one.
  package var kind: String?

  /// Makes a value.
  package init(text: String, unit: UnitOfMeasure? = nil, kind: String? = nil) {
    self.text = text
    self.unit = unit
    self.kind = kind
  }
}

/// The upper and the lower pressure as people write them together: `120/80 mmHg`.
struct TypedPressures {
  /// The two numbers.
  let texts: [String]
  /// The unit that is typed at the end, which is that of both.
  let unit: UnitOfMeasure?

  /// `nil` for any other text.
  init?(_ text: String) {
    texts = text.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard texts.count == 2, texts.allSatisfy({ $0.first?.isNumber ?? false }) else { return nil }
    unit = (try? EnteredMeasure(texts[1]))?.unit
  }
}

// MARK: - For a task

extension EnteredValue {
  /// The value for an outcome of `task`, in the unit that the task asks for.
  ///
  /// That is the unit of the question, linkage, target or figure that the value belongs to. A value
  /// without a kind takes the only kind that the task asks for.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - units: The units of the person who entered it, for a measured value without a unit;
  ///     `nil` for those of the task.
  ///   - time: When it was measured.
  /// - Returns: The value.
  /// - Throws: ``EntryRefusal`` for a kind that the task does not have, a value that could be of
  ///   several kinds, a text in place of a number, and an implausible value of a figure. Values
  ///   that the store refuses anyway pass here.
  package func outcomeValue(
    for task: PlannedTask, units: PreferredUnits? = nil, at time: Date
  ) throws(EntryRefusal) -> OutcomeValue {
    let kind = try kind(for: task)
    let question = task.survey.first { $0.kind == kind }
    return try measured(for: task, kind: kind, question, units).outcomeValue(
      for: task, kind: kind, question, units: units, at: time)
  }

  /// The two values of a pressure that is written `120/80`; itself alone else.
  package func parts(for task: PlannedTask) -> [EnteredValue] {
    let kinds = [Quantity.bloodPressureSystolic, .bloodPressureDiastolic].compactMap { quantity in
      task.linkages.first { $0.quantity == quantity }.flatMap(task.valueKind)
    }
    guard kind == nil, kinds.count == 2, let typed = TypedPressures(text) else { return [self] }
    return zip(typed.texts, kinds).map {
      EnteredValue(text: $0, unit: unit ?? typed.unit, kind: $1)
    }
  }

  /// The value with the unit that was typed with it, where the task asks for a number; itself else.
  private func measured(
    for task: PlannedTask, kind: String?, _ question: SurveyQuestion?, _ units: PreferredUnits?
  ) throws(EntryRefusal) -> EnteredValue {
    guard case .text = Value(entered: text, as: question?.type) else { return self }
    let isFigure = task.figures.contains { $0.kind == kind }
    let isNumber = question.map { [.scale, .number].contains($0.type) }
    // A dose or a drink: a text would count as one of it, whatever amount it says.
    let isAmount = task.needsAmount || task.targetUnit(of: kind) != nil
    guard isNumber ?? (!task.linkages.isEmpty || isFigure || isAmount) else { return self }
    var entry = self
    do throws(EnteredMeasure.Flaw) {
      let measure = try EnteredMeasure(text)
      if let named = measure.unit {
        guard unit == nil || unit == named else { throw .malformed }
        entry.unit = named
      }
      entry.text = Int64(exactly: measure.number).map(String.init) ?? "\(measure.number)"
      return entry
    } catch {
      let expected = question == nil ? try expectation(of: task, kind: kind, for: units) : nil
      let unit = expected?.entryUnit ?? expected?.unit ?? question?.unit ?? .one
      throw .flawed(
        EntryRefusal.Entry(
          question: question?.kind, flaw: error, text: text, quantity: expected?.quantity,
          unit: unit),
        task: task.id)
    }
  }

  private func outcomeValue(
    for task: PlannedTask, kind: String?, _ question: SurveyQuestion?, units: PreferredUnits?,
    at time: Date
  ) throws(EntryRefusal) -> OutcomeValue {
    let text = question?.type == .time ? text.withTwoDigitHour : text
    var outcome = OutcomeValue(
      value: Value(entered: text, as: question?.type), unit: unit, kind: kind, time: time,
      provenance: .manual)
    guard let number = outcome.value.number else {
      let isText = [.text, .choice, .choices, .date, .time].contains(question?.type)
      guard isText || !text.isDecimalWithComma && !text.isNotFinite else {
        throw .notANumber(text, task: task.id)
      }
      return outcome
    }
    let expectation = try expectation(of: task, kind: kind, for: units)
    guard let expected = question == nil ? expectation.unit : question?.unit else { return outcome }
    let given = unit ?? (question == nil ? expectation.entryUnit : nil) ?? expected
    let quantity = question == nil ? expectation.quantity : nil
    let converted =
      quantity?.convert(number, from: given, to: expected) ?? given.convert(number, to: expected)
    guard let converted else {
      if question == nil, let quantity = expectation.quantity, expected == .one {
        throw .countedWithoutUnit(given, task: task.id, quantity: quantity)
      }
      // The store names what a linkage or question takes.
      guard task.linkages.isEmpty, question == nil else { return outcome }
      throw .otherUnit(given, task: task.id, expected: expected)
    }
    let isConverted = given != expected
    // The store checks a linkage's values as well, but in the linkage's unit.
    let isChecked = question == nil && (isConverted || task.linkages.isEmpty)
    if isChecked, let quantity = expectation.quantity {
      do {
        let isSame = given.dimension == expected.dimension
        try OutcomeRule.check(
          entered: isSame ? number : converted, in: isSame ? given : expected, of: quantity,
          task: task.id)
      } catch {
        throw .store(error)
      }
    }
    if isConverted { outcome.value = .double(converted) }
    outcome.unit = expected
    return outcome
  }

  /// The kind of the value: the given one, or the only one that the task asks for.
  private func kind(for task: PlannedTask) throws(EntryRefusal) -> String? {
    let known = task.valueKinds
    if let kind {
      guard !known.contains(kind) else { return kind }
      if known.isEmpty, !task.linkages.isEmpty { throw .superfluousKind(kind, task: task.id) }
      guard known.isEmpty else { throw .unknownKind(kind, task: task.id, known: known) }
      return kind
    }
    guard task.linkages.isEmpty else { return nil }
    let targeted = task.targetedKinds
    if targeted.count > 1 { throw .missingKind(task: task.id, known: targeted) }
    if let only = targeted.first { return only }
    if task.survey.isEmpty { return task.figures.first?.kind }
    return task.survey.count == 1 ? task.survey.first?.kind : nil
  }

  /// The unit and quantity of a kind of values that answer no question.
  private struct Expectation {
    var unit: UnitOfMeasure?
    var quantity: Quantity?
    /// The unit of a value that is entered without one; that of the task for `nil`.
    var entryUnit: UnitOfMeasure?
  }

  private func expectation(
    of task: PlannedTask, kind: String?, for units: PreferredUnits?
  ) throws(EntryRefusal) -> Expectation {
    guard task.linkages.isEmpty else {
      let linkage = try linkage(of: task)
      return Expectation(
        unit: linkage?.unit, quantity: linkage?.quantity, entryUnit: linkage?.entryUnit(for: units))
    }
    if let figure = task.figures.first(where: { $0.kind == kind }) {
      return Expectation(unit: figure.unit, quantity: figure.quantity)
    }
    return Expectation(unit: task.targetUnit(of: kind))
  }

  /// The linkage that the value is of.
  private func linkage(of task: PlannedTask) throws(EntryRefusal) -> Linkage? {
    guard task.linkages.count > 1 else { return task.linkage }
    if let kind { return task.linkages.first { task.valueKind(of: $0) == kind } }
    let possible = task.linkages.filter { unit == nil || $0.unit.dimension == unit?.dimension }
    guard possible.count <= 1 else {
      throw .missingKind(task: task.id, known: task.linkages.compactMap(task.valueKind))
    }
    return possible.first
  }
}

extension Linkage {
  /// The unit in which a person with these units enters its values; its own for `nil`.
  package func entryUnit(for units: PreferredUnits?) -> UnitOfMeasure {
    guard let units else { return unit }
    return quantity.entryUnit(for: units)
  }
}

extension Quantity {
  /// The unit of a number that a person enters without one.
  package func entryUnit(for units: PreferredUnits) -> UnitOfMeasure {
    // Stones are read with pounds, and entered in pounds.
    let read = unit(for: units)
    return read == .stone ? .pound : read
  }
}

extension PlannedTask {
  /// The kinds of values that it asks for; empty if it says nothing of kinds.
  fileprivate var valueKinds: [String] {
    (survey.map(\.kind) + linkages.compactMap(valueKind) + targetedKinds + figures.map(\.kind))
      .uniqued()
  }

  /// The unit of an amount that a person with these units enters without one; `nil` for a count.
  package func amountUnit(for units: PreferredUnits?) -> UnitOfMeasure? {
    let unit =
      linkage?.entryUnit(for: units)
      ?? schedule.elements.lazy.flatMap(\.targets).compactMap(\.unit).first
    return unit == .one ? nil : unit
  }

  /// The unit of its targets of that kind.
  fileprivate func targetUnit(of kind: String?) -> UnitOfMeasure? {
    schedule.elements.lazy.flatMap(\.targets).first { $0.kind == kind }?.unit
  }

  /// The kinds that its targets have.
  package var targetedKinds: [String] {
    schedule.elements.flatMap(\.targets).compactMap(\.kind).uniqued()
  }
}

extension String {
  /// A time of day with two digits of its hour: `08:05` for `8:05`.
  package var withTwoDigitHour: String {
    let hour = prefix { $0 != ":" }
    return hour.count == 1 && hour.allSatisfy(\.isNumber) && hour.count < count ? "0" + self : self
  }

  /// Whether it is an infinite number or none, as programs print them: `nan`, `-inf`.
  fileprivate var isNotFinite: Bool { Double(self).map { !$0.isFinite } ?? false }
}

extension UnitOfMeasure {
  /// The unit of that code or symbol.
  ///
  /// - Throws: ``EntryRefusal/unknownUnit(_:)`` if there is none.
  package init(entered text: String) throws(EntryRefusal) {
    guard let unit = UnitOfMeasure(typed: text) else { throw .unknownUnit(text) }
    self = unit
  }
}

extension Value {
  /// Reads a value that was entered as text, as an answer to a question of that type if given.
  package init(entered text: String, as type: SurveyQuestion.AnswerType? = nil) {
    switch type {
    case .text, .choice, .choices, .date, .time: self = .text(text)
    case .boolean where text == "yes" || text == "no": self = .boolean(text == "yes")
    case .scale, .number, .boolean, .photo, .video, nil: self.init(entered: text)
    }
  }

  /// Whether a decimal number can have the character; others are hexadecimal's (`0x10`).
  private static func isDecimal(_ character: Character) -> Bool {
    "0123456789+-.eE".contains(character)
  }

  private init(entered text: String) {
    if let integer = Int64(text) {
      self = .integer(integer)
    } else if text.allSatisfy(Self.isDecimal), let number = Double(text), number.isFinite {
      self = .double(number)
    } else if text == "true" || text == "false" {
      self = .boolean(text == "true")
    } else {
      self = .text(text)
    }
  }
}

// MARK: - Refusals

/// Why what was entered is no value of what it is for.
package enum EntryRefusal: Error, Hashable, Sendable {
  /// A task takes a measure, and the text is none.
  case flawed(Entry, task: String)
  /// A sample is a measure, and the text is none.
  case flawedMeasure(Entry)
  /// A text is not the number that is asked for.
  case notANumber(String, task: String)
  /// A value is in a unit that cannot be converted to the one that the task asks for.
  case otherUnit(UnitOfMeasure, task: String, expected: UnitOfMeasure)
  /// A value of something that is counted has a unit.
  case countedWithoutUnit(UnitOfMeasure, task: String, quantity: Quantity)
  /// A quantity is not measured in that unit.
  case otherUnitOfQuantity(UnitOfMeasure?, Quantity)
  /// A task takes one measurement, whose values have no kinds.
  case superfluousKind(String, task: String)
  /// A value has a kind that none of the task's values has.
  case unknownKind(String, task: String, known: [String])
  /// A value could be one of several.
  case missingKind(task: String, known: [String])
  /// There is no such unit.
  case unknownUnit(String)
  /// No person enters values of that quantity.
  case notEntered(Quantity)
  /// A value is of a time that has not come; to be read in that zone.
  case measuredInFuture(Date, TimeZone)
  /// A systolic pressure is not above the diastolic one; both in mmHg.
  case swappedPressures(Double, Double)
  /// A task whose values add up is done by an amount, and none was given.
  case missingAmount(task: String, unit: UnitOfMeasure?)
  /// A task that asks nothing was answered with false.
  case falseCountsAsDone(task: String)
  /// The store's rule for values forbids it.
  case store(StoreError)

  /// A text that is no measure, what it was to be, and the unit in which a bare number is read.
  package struct Entry: Hashable, Sendable {
    /// The question of a survey that was answered; `nil` for any other value.
    package var question: String?
    package var flaw: EnteredMeasure.Flaw
    package var text: String
    package var quantity: Quantity?
    package var unit: UnitOfMeasure
  }
}
