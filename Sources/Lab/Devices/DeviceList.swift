import DeviceCatalog
import Localization
import Terminal

/// The list of devices for a terminal of 100 columns.
struct DeviceList {
  /// The rows, and what the words of the third column mean.
  let lines: [String]

  /// Makes the list of some definitions that a search found.
  init(_ definitions: [DeviceDefinition], _ search: DeviceSearch) {
    var table = TextTable(
      [
        "command.devices.device", "command.devices.reads", "command.devices.howSure",
        "command.devices.toDo",
      ], widths: [nil, 29, nil, 27])
    for definition in definitions {
      // The id for the other commands; below it the name, and the product that was searched for.
      let name = ([definition.displayName] + search.families(of: definition))
        .joined(separator: ", ")
      let names = name.wrapped(to: Self.nameWidth - 2).map { "  " + $0 }
      table.add(
        [
          definition.id, definition.reads.joined(separator: ", "), definition.evidence.rawValue,
          definition.preparation.isEmpty
            ? Console.language.text("command.devices.nothingToDo")
            : definition.preparation.joined(separator: "; "),
        ], below: names)
    }
    lines =
      table.lines + [""]
      + DefinitionEvidence.allCases.filter { evidence in
        definitions.contains { $0.evidence == evidence }
      }.map { "\($0.rawValue): \(Self.explanation(of: $0))" }
  }

  /// The columns of an id and a name.
  private static let nameWidth = 28

  /// The evidence for a definition, as a sentence without its end.
  static func explanation(of evidence: DefinitionEvidence) -> String {
    switch evidence {
    case .recorded: Console.language.text("command.devices.recorded")
    case .published: Console.language.text("command.devices.published")
    case .specified: Console.language.text("command.devices.specified")
    }
  }
}
