import Actions
import Care
import Localization
import StrictYAML

extension EntryRefusal: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .unknownUnit: .malformedArgument
    case .store(let error): error.exitCode
    default: .refused
    }
  }

  var message: String {
    switch self {
    case .flawed(let entry, let task): "‘\(task)’: " + entry.message
    case .flawedMeasure(let entry): entry.message
    case .notANumber(let text, let task):
      "‘\(task)’: ‘\(text)’ is no number; "
        + (text.isDecimalWithComma
          ? "a number has a decimal point: --value \(text.replacing(",", with: "."))."
          : "write a finite number such as 63.9.")
    case .otherUnit(let unit, let task, let expected):
      "‘\(task)’ takes values \(expected.given), not in \(unit.name)."
    case .countedWithoutUnit(let unit, let task, let quantity):
      "‘\(task)’ takes \(quantity.title.lowercased()), not values in \(unit.name)."
    case .otherUnitOfQuantity(let unit, let quantity):
      quantity.unit == .one
        ? "\(quantity.title): write a number without a unit, not one in \(unit?.name ?? "")."
        : "\(quantity.title) is measured in \(quantity.unit.name), not"
          + " \(unit?.given ?? "without a unit")."
    case .superfluousKind(let kind, let task):
      "‘\(task)’ takes values without a kind. Leave out --kind \(kind)."
    case .unknownKind(let kind, let task, let known):
      "‘\(task)’ takes no value of the kind ‘\(kind)’"
        + Spelling.suggestion(for: kind, among: known) + ". It takes \(known.quoted)."
    case .missingKind(let task, let known):
      "‘\(task)’ takes several values. Say which one it is with --kind: \(known.quoted)."
    case .unknownUnit(let name): "there is no unit ‘\(name)’; try kg, /min, deg, s"
    case .missingAmount(let task, let unit):
      "‘\(task)’ adds up what is entered, so say how much: measured done \(task.shellQuoted)"
        + " --value …" + (unit.map { " --unit \($0.shellName)" } ?? "")
    case .falseCountsAsDone(let task):
      "‘\(task)’ asks no question, so any value says that it is done. If it was not: "
        + "measured done \(task.shellQuoted) --not"
    case .store(let error): error.message
    }
  }
}

extension EntryRefusal.Entry {
  fileprivate var message: String { flaw.message(text, of: quantity, in: unit) }
}

extension EnteredMeasure.Flaw {
  /// The problem with `text`, and input that would fit, with the unit of a bare number.
  ///
  /// - Parameters:
  ///   - text: The typed text.
  ///   - quantity: The measured quantity; `nil` for a number of another kind.
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

  /// Examples of input: `63.9 for kg, or 141 lb`.
  private static func examples(of quantity: Quantity?, in unit: UnitOfMeasure) -> String {
    guard unit != .one, quantity != nil else { return "a number such as 6000" }
    let number = quantity == .bodyMass ? (unit == .pound ? "141" : "63.9") : "a number"
    let bare = "\(number), which is read in \(unit.name)"
    guard quantity == .bodyMass else { return bare + ", or name its unit" }
    return bare + (unit == .kilogram ? ", or 141 lb" : ", or 64 kg")
  }
}
