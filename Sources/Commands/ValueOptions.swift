import Actions
import ArgumentParser
import Care
import Localization
import Synchronization
import Terminal

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
  /// Each value has the units and kinds that follow it.
  ///
  /// - Throws: ``CommandFailure`` for a unit or kind before the first value, `EntryRefusal` for a unit
  ///   that does not exist.
  func entries() throws -> [EnteredValue] {
    var entries = value.map { EnteredValue(text: $0.text) }
    func entry(of text: PositionedText, _ option: String) throws(CommandFailure) -> Int {
      guard let index = value.lastIndex(where: { $0.position < text.position }) else {
        throw CommandFailure(
          .malformedArgument,
          LocalizedText(
            "command.answer.beforeValue", ["option": "\(option)", "text": .init(text.text)]))
      }
      return index
    }
    for text in unit {
      entries[try entry(of: text, "--unit")].unit = try UnitOfMeasure(entered: text.text)
    }
    for text in kind { entries[try entry(of: text, "--kind")].kind = text.text }
    return entries
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
