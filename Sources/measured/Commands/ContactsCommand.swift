import ArgumentParser
import Care
import CareStore
import Foundation
import Localization

/// `measured contacts`.
struct ContactsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts",
    abstract: "Lists the people and offices to call, and the notes and care plans beside them.",
    discussion: """
      Example:
        measured contacts --store week.sqlite
        measured contacts --patient john --json
      """)

  @OptionGroup var storage: StoreOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let (contacts, carePlans, notes) = try await storage.openExisting().read { reader in
        let patient = try storage.patient(in: reader)
        return (
          try reader.things(Contact.self).filter {
            patient == nil || $0.patient == nil || $0.patient == patient
          },
          try reader.things(CarePlan.self, patient: patient),
          try reader.things(Note.self, patient: patient)
        )
      }
      guard !json else {
        try contacts.forEach { try Console.json(ThingOutput($0)) }
        try carePlans.forEach { try Console.json(ThingOutput($0)) }
        try notes.forEach { try Console.json(ThingOutput($0)) }
        return
      }
      let blocks = [
        contacts.flatMap(\.lines), carePlans.map(\.line), notes.map(\.line),
      ].filter { !$0.isEmpty }
      if blocks.isEmpty { Console.out(LocalizedText("command.contact.none").message) }
      for (index, block) in blocks.enumerated() {
        if index > 0 { Console.out("") }
        block.forEach(Console.out)
      }
    }
  }

  /// A thing of a plan with its kind, as JSON.
  private struct ThingOutput<Thing: PlanThing>: Encodable {
    var thing: Thing

    private enum CodingKeys: String, CodingKey {
      case kind
    }

    init(_ thing: Thing) {
      self.thing = thing
    }

    func encode(to encoder: any Encoder) throws {
      try thing.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Thing.kind.rawValue, forKey: .kind)
    }
  }
}
