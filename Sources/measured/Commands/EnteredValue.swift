import ArgumentParser
import Assessments
import Care
import Foundation
import Plans
import Synchronization

/// The flags that give values with their units and kinds.
struct ValueOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help:
      "A value: a number, also with its unit (\"64 kg\", \"12 st 13 lb\"), true, false, or text. May be given several times."
  )
  var value: [PositionedText] = []

  @Option(
    help:
      "The unit of the value before it. Default: of a person's answer the unit that measured today shows, of measured outcome set the task's."
  )
  var unit: [PositionedText] = []

  @Option(
    help: "The kind of the value before it, such as pain or systolic. Default: the only one.")
  var kind: [PositionedText] = []

  /// The values in their order.
  ///
  /// - Throws: ``CommandFailure`` as ``EnteredValue/group(values:units:kinds:)`` does.
  func entries() throws(CommandFailure) -> [EnteredValue] {
    try EnteredValue.group(values: value, units: unit, kinds: kind)
  }
}

/// An option's value with its position among all values of the command line.
///
/// The parser collects the values of each option separately. It makes them in the order of the
/// command line, which `position` preserves across options.
struct PositionedText: ExpressibleByArgument, Hashable {
  let text: String
  let position: Int

  init(argument: String) {
    text = argument
    position = Self.counter.add(1, ordering: .relaxed).newValue
  }

  private static let counter = Atomic(0)
}

/// A value as it was entered on the command line, with its unit and kind.
struct EnteredValue: Hashable {
  var text: String
  var unit: UnitOfMeasure?
  var kind: String?

  /// Gives each value the units and kinds that follow it.
  ///
  /// - Throws: ``CommandFailure`` for a unit that does not exist, and for a unit or kind before the
  ///   first value.
  static func group(
    values: [PositionedText], units: [PositionedText], kinds: [PositionedText]
  ) throws(CommandFailure) -> [EnteredValue] {
    var entries = values.map { EnteredValue(text: $0.text) }
    func entry(of text: PositionedText, _ option: String) throws(CommandFailure) -> Int {
      guard let index = values.lastIndex(where: { $0.position < text.position }) else {
        throw CommandFailure(.malformedArgument, "\(option) \(text.text) comes before any --value")
      }
      return index
    }
    for text in units {
      entries[try entry(of: text, "--unit")].unit = try UnitOfMeasure(entered: text.text)
    }
    for text in kinds { entries[try entry(of: text, "--kind")].kind = text.text }
    return entries
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
  ///   - units: The units of the person who entered it, in which a measured value without a unit is;
  ///     `nil` for those of the task.
  ///   - time: When it was measured.
  /// - Returns: The value.
  /// - Throws: ``CommandFailure`` for a kind that the task does not have, a value that could be of
  ///   several kinds, a text in place of a number, and an implausible value of a figure. What the
  ///   store refuses anyway stays.
  func outcomeValue(
    for task: PlannedTask, units: PreferredUnits? = nil, at time: Date
  ) throws(CommandFailure) -> OutcomeValue {
    let kind = try kind(for: task)
    let question = task.survey.first { $0.kind == kind }
    return try measured(for: task, kind: kind, question, units).outcomeValue(
      for: task, kind: kind, question, units: units, at: time)
  }

  /// The value with the unit that was typed with it, where the task asks for a number; itself else.
  private func measured(
    for task: PlannedTask, kind: String?, _ question: SurveyQuestion?, _ units: PreferredUnits?
  ) throws(CommandFailure) -> EnteredValue {
    guard case .text = Value(entered: text, as: question?.type) else { return self }
    let isFigure = task.figures.contains { $0.kind == kind }
    let isNumber = question.map { [.scale, .number].contains($0.type) }
    guard isNumber ?? (!task.linkages.isEmpty || isFigure) else { return self }
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
      throw CommandFailure(
        .refused, "‘\(task.id)’: " + error.message(text, of: expected?.quantity, in: unit))
    }
  }

  private func outcomeValue(
    for task: PlannedTask, kind: String?, _ question: SurveyQuestion?, units: PreferredUnits?,
    at time: Date
  ) throws(CommandFailure) -> OutcomeValue {
    var outcome = OutcomeValue(
      value: Value(entered: text, as: question?.type), unit: unit, kind: kind, time: time,
      provenance: .manual)
    guard let number = outcome.value.number else {
      let isText = [.text, .choice, .choices, .date, .time].contains(question?.type)
      guard isText || !text.isDecimalWithComma && !text.isNotFinite else {
        throw .notANumber(text, of: task.id)
      }
      return outcome
    }
    let expectation = try expectation(of: task, kind: kind, for: units)
    guard let expected = question == nil ? expectation.unit : question?.unit else { return outcome }
    let given = unit ?? (question == nil ? expectation.entryUnit : nil) ?? expected
    guard let converted = given.convert(number, to: expected) else {
      if question == nil, let quantity = expectation.quantity, expected == .one {
        throw .otherUnit(given, of: task.id, quantity: quantity)
      }
      // The store names what a linkage or question takes.
      guard task.linkages.isEmpty, question == nil else { return outcome }
      throw .otherUnit(given, of: task.id, expected: expected)
    }
    let isConverted = given != expected
    // The store checks a linkage's values as well, but in the linkage's unit.
    let isChecked = question == nil && (isConverted || task.linkages.isEmpty)
    if isChecked, let quantity = expectation.quantity {
      do {
        try OutcomeRule.check(entered: number, in: given, of: quantity, task: task.id)
      } catch {
        throw CommandFailure(error)
      }
    }
    if isConverted { outcome.value = .double(converted) }
    outcome.unit = expected
    return outcome
  }

  /// The kind of the value: the given one, or the only one that the task asks for.
  private func kind(for task: PlannedTask) throws(CommandFailure) -> String? {
    let known = task.valueKinds
    if let kind {
      guard !known.contains(kind) else { return kind }
      if known.isEmpty, !task.linkages.isEmpty { throw .superfluousKind(kind, of: task.id) }
      guard known.isEmpty else { throw .unknownKind(kind, of: task.id, known: known) }
      return kind
    }
    guard task.linkages.isEmpty else { return nil }
    let targeted = task.targetedKinds
    if targeted.count > 1 { throw .missingKind(of: task.id, known: targeted) }
    if let only = targeted.first { return only }
    if task.survey.isEmpty { return task.figures.first?.kind }
    return task.survey.count == 1 ? task.survey.first?.kind : nil
  }

  /// What values of a kind that answer no question are.
  private struct Expectation {
    var unit: UnitOfMeasure?
    var quantity: Quantity?
    /// The unit of a value that is entered without one; that of the task for `nil`.
    var entryUnit: UnitOfMeasure?
  }

  private func expectation(
    of task: PlannedTask, kind: String?, for units: PreferredUnits?
  ) throws(CommandFailure) -> Expectation {
    guard task.linkages.isEmpty else {
      let linkage = try linkage(of: task)
      return Expectation(
        unit: linkage?.unit, quantity: linkage?.quantity, entryUnit: linkage?.entryUnit(for: units))
    }
    if let figure = task.figures.first(where: { $0.kind == kind }) {
      return Expectation(unit: figure.unit, quantity: figure.quantity)
    }
    let targets = task.schedule.elements.flatMap(\.targets)
    return Expectation(unit: targets.first { $0.kind == kind }?.unit)
  }

  /// The linkage that the value is of.
  private func linkage(of task: PlannedTask) throws(CommandFailure) -> Linkage? {
    guard task.linkages.count > 1 else { return task.linkage }
    if let kind { return task.linkages.first { task.valueKind(of: $0) == kind } }
    let possible = task.linkages.filter { unit == nil || $0.unit.dimension == unit?.dimension }
    guard possible.count <= 1 else {
      throw .missingKind(of: task.id, known: task.linkages.compactMap(task.valueKind))
    }
    return possible.first
  }
}

extension Linkage {
  /// The unit in which a person with these units enters its values; its own for `nil`.
  func entryUnit(for units: PreferredUnits?) -> UnitOfMeasure {
    guard let units else { return unit }
    return quantity.entryUnit(for: units)
  }
}

extension Quantity {
  /// The unit of a number that a person enters without one.
  func entryUnit(for units: PreferredUnits) -> UnitOfMeasure {
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

  /// The kinds that its targets have.
  var targetedKinds: [String] {
    schedule.elements.flatMap(\.targets).compactMap(\.kind).uniqued()
  }
}

extension String {
  /// Whether it is an infinite number or none, as programs print them: `nan`, `-inf`.
  fileprivate var isNotFinite: Bool { Double(self).map { !$0.isFinite } ?? false }
}

extension UnitOfMeasure {
  /// The unit of that code or symbol.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  init(entered text: String) throws(CommandFailure) {
    guard let unit = UnitOfMeasure(text) else {
      throw CommandFailure(
        .malformedArgument, "there is no unit ‘\(text)’; try kg, /min, deg, s")
    }
    self = unit
  }
}

extension Value {
  /// Reads a value that was entered as text, as an answer to a question of that type if given.
  init(entered text: String, as type: SurveyQuestion.AnswerType? = nil) {
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

extension EnteredMeasure.Flaw {
  /// What is wrong with `text`, and what would fit: with the unit in which a bare number is read.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - quantity: What is measured; `nil` for a number of another kind.
  ///   - unit: The unit in which a bare number is read.
  /// - Returns: Two sentences.
  func message(_ text: String, of quantity: Quantity?, in unit: UnitOfMeasure) -> String {
    switch self {
    case .malformed:
      "‘\(text)’ is no \(quantity.map { $0 == .bodyMass ? "weight" : "value of " + $0.title.lowercased() } ?? "number")."
        + " Write \(Self.examples(of: quantity, in: unit))."
    case .ambiguous(let thousands, let decimals):
      "‘\(text)’ can be read in two ways. Write \(thousands) or \(decimals), without a comma."
    }
  }

  /// What can be typed: `63.9 for kg, or 141 lb`.
  private static func examples(of quantity: Quantity?, in unit: UnitOfMeasure) -> String {
    guard unit != .one, quantity != nil else { return "a number such as 6000" }
    let number = quantity == .bodyMass ? (unit == .pound ? "141" : "63.9") : "a number"
    let bare = "\(number), which is read in \(unit.name)"
    guard quantity == .bodyMass else { return bare + ", or name its unit" }
    return bare + (unit == .kilogram ? ", or 141 lb" : ", or 64 kg")
  }
}
