import ArgumentParser
import Care
import Foundation
import Interchange
import Localization
import Terminal

/// `measured quantities`.
struct QuantitiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quantities",
    abstract: "Lists what can be measured: names, units and digits.",
    discussion: """
      The name is what plans (linkage: {quantity: bodyMass}) and --quantity take. Values are read \
      in the person's units, kg, lb or st; programs get the unit of this list.

      Example:
        measured quantities
        measured quantities --json
      """)

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    guard !json else {
      try Quantity.all.forEach { try Console.json(Output($0)) }
      return
    }
    var table = TextTable([
      "command.head.name", "command.head.what", "command.head.unit", "command.head.digits",
      "command.head.plausible",
    ])
    for quantity in Quantity.all {
      let range = quantity.plausible
      table.add([
        quantity.rawValue, Console.language.title(of: quantity), quantity.unit.code,
        "\(quantity.fractionDigits)",
        Console.language.text(
          "command.show.range",
          ["from": range.lowerBound.plainText, "to": range.upperBound.plainText]),
      ])
    }
    table.lines.forEach(Console.out)
  }

  /// A quantity as JSON.
  struct Output: Encodable {
    var name: String
    var title: String
    var unit: String
    var digits: Int
    var aggregation: String
    var least: Double
    var most: Double
    @Nullable var loinc: String?

    init(_ quantity: Quantity) {
      name = quantity.rawValue
      title = quantity.title
      unit = quantity.unit.code
      digits = quantity.fractionDigits
      aggregation = quantity.aggregation.rawValue
      (least, most) = (quantity.plausible.lowerBound, quantity.plausible.upperBound)
      loinc = quantity.loinc
    }
  }
}
