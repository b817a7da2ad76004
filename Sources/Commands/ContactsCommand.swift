import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Terminal

/// `measured contacts`.
struct ContactsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contacts",
    abstract: "Lists and changes the people and offices to call.",
    discussion: """
      Example:
        measured contacts --store week.sqlite
        measured contacts put nora --given Nora --role nurse --phone "+49 30 1234567"
        measured contacts delete nora
      """,
    subcommands: [List.self, Put.self, Delete.self], defaultSubcommand: List.self)

  /// `measured contacts list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the people and offices to call, and the notes and care plans beside them.",
      discussion: """
        Example:
          measured contacts --store week.sqlite
          measured contacts list --patient john --json
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
          try contacts.forEach { try Console.json(ThingOutput($0.withoutChannels)) }
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

  /// `measured contacts put`.
  struct Put: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a contact, or changes what is given of one that is there.",
      discussion: """
        An empty text removes what was there. Of several telephone numbers the first is changed.

        Example:
          measured contacts put nora --given Nora --role nurse --phone "+49 30 1234567"
          measured contacts put nora --patient john --mail ""
        """)

    @OptionGroup var place: ContactPlace

    @Option(help: "The given name.")
    var given: String?

    @Option(help: "The family name.")
    var family: String?

    @Option(help: "The title or relation: Dr, daughter.")
    var title: String?

    @Option(help: "The function: nurse.")
    var role: String?

    @Option(help: "The office or practice.")
    var organization: String?

    @Option(
      help: "careTeam or personal. Default of a new one: careTeam.",
      transform: Contact.Category.init(entered:))
    var category: Contact.Category?

    @Option(help: "The telephone number.")
    var phone: String?

    @Option(help: "The number for text messages.")
    var text: String?

    @Option(help: "The address for e-mail.")
    var mail: String?

    func run() async throws {
      try await place.change { [self] writer, owner, now in
        let known = try writer.things(Contact.self)
          .first { $0.id == place.id && $0.owner == owner }
        var contact = known ?? Contact(id: place.id, patient: owner, name: PersonName())
        contact.owner = owner
        if let given { contact.name.given = given.unlessEmpty }
        if let family { contact.name.family = family.unlessEmpty }
        if let title { contact.title = title.unlessEmpty }
        if let role { contact.role = role.unlessEmpty }
        if let organization { contact.organization = organization.unlessEmpty }
        if let category { contact.category = category }
        contact.phoneNumbers.setFirst(phone)
        contact.messagingNumbers.setFirst(text)
        contact.emailAddresses.setFirst(mail)
        _ = try PutContact(contact).perform(in: writer, by: .owner, now: now)
      }
    }
  }

  /// `measured contacts delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Hides a contact; measured plan undo shows it again.",
      discussion: "Example:\n  measured contacts delete nora --patient john")

    @OptionGroup var place: ContactPlace

    func run() async throws {
      try await place.change { [place] writer, owner, now in
        let thing = ThingReference(.contact, patient: owner, id: place.id)
        guard
          try writer.things(Contact.self).contains(where: {
            $0.id == place.id && $0.owner == owner
          })
        else { throw StoreError.unknown(.thing(thing)) }
        _ = try ChangeThing(thing, .delete()).perform(in: writer, by: .owner, now: now)
      }
    }
  }
}

/// The flags that identify a contact.
struct ContactPlace: ParsableArguments {
  @Argument(help: "The contact's id.")
  var id: String

  @OptionGroup var file: StoreFileOptions

  @Option(help: "Whose contact it is, by id or unique name. Default: everyone's.")
  var patient: String?

  @Flag(help: "Print JSON Lines: the contact.")
  var json = false

  /// Changes the contact, and prints it as it is then.
  func change(
    _ body: @Sendable (any StoreWriter, _ owner: String, Date) throws -> Void
  ) async throws {
    do {
      let now = Console.now
      let contact = try await file.openExisting().write { [self] writer in
        let owner = try patient.map { try writer.patientID(named: $0) } ?? ""
        try body(writer, owner, now)
        return try writer.things(Contact.self).first { $0.id == id && $0.owner == owner }
      }
      if json {
        if let contact { try Console.json(contact.withoutChannels) }
      } else {
        (contact?.lines ?? [LocalizedText("contact.hidden", ["id": "\(id)"]).message])
          .forEach(Console.out)
      }
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }
}

extension Contact.Category {
  fileprivate init(entered text: String) throws {
    guard let category = Self(rawValue: text) else {
      throw ValidationError("write \(Self.allCases.map(\.rawValue).joined(separator: " or ")).")
    }
    self = category
  }
}

extension String {
  fileprivate var unlessEmpty: String? { isEmpty ? nil : self }
}

extension [LabeledValue] {
  /// Puts a value in the place of the first one; nothing for `nil`, an empty one removes it.
  fileprivate mutating func setFirst(_ value: String?) {
    guard let value else { return }
    let label = first?.label
    if !isEmpty { removeFirst() }
    if !value.isEmpty { insert(LabeledValue(label: label, value: value), at: 0) }
  }
}
