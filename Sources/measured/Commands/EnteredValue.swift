import ArgumentParser
import Care
import Foundation
import Synchronization

/// The flags that give values with their units and kinds.
struct ValueOptions: ParsableArguments {
  @Option(help: "A value: a number, true, false, or text. May be given several times.")
  var value: [PositionedText] = []

  @Option(help: "The unit of the value before it. Default: the unit that the task asks for.")
  var unit: [PositionedText] = []

  @Option(help: "The kind of the value before it, such as pain or systolic.")
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

  /// The value for an outcome of `task`, in the unit that the task asks for.
  ///
  /// That is the unit of the question or linkage that the value belongs to. A unit that cannot be
  /// converted, and a text that is no number, stay; the store refuses them with the reason.
  ///
  /// - Throws: ``CommandFailure`` if the value could be of several linkages.
  func outcomeValue(
    for task: PlannedTask, at time: Date
  ) throws(CommandFailure) -> OutcomeValue {
    let question = task.survey.first { $0.kind == kind }
    var outcome = OutcomeValue(
      value: Value(entered: text, as: question?.type), unit: unit, kind: kind, time: time,
      provenance: .manual)
    guard let number = outcome.value.number else { return outcome }
    let expected: UnitOfMeasure?
    if let question {
      expected = question.unit
    } else {
      expected = try linkage(of: task)?.unit
    }
    guard let expected, unit != expected else { return outcome }
    guard let unit else {
      outcome.unit = expected
      return outcome
    }
    guard let converted = unit.convert(number, to: expected) else { return outcome }
    outcome.value = .double(converted)
    outcome.unit = expected
    return outcome
  }

  /// The linkage that the value is of.
  private func linkage(of task: PlannedTask) throws(CommandFailure) -> Linkage? {
    guard task.linkages.count > 1 else { return task.linkage }
    let kinds = task.linkages.compactMap(task.valueKind)
    if let kind {
      guard let linkage = task.linkages.first(where: { task.valueKind(of: $0) == kind }) else {
        throw .unknownKind(kind, of: task.id, known: kinds)
      }
      return linkage
    }
    let possible = task.linkages.filter { unit == nil || $0.unit.dimension == unit?.dimension }
    guard possible.count <= 1 else { throw .missingKind(of: task.id, known: kinds) }
    return possible.first
  }
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

  private init(entered text: String) {
    if let integer = Int64(text) {
      self = .integer(integer)
    } else if let number = Double(text), number.isFinite {
      self = .double(number)
    } else if text == "true" || text == "false" {
      self = .boolean(text == "true")
    } else {
      self = .text(text)
    }
  }
}
