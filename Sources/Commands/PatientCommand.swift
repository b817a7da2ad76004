import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured patient`.
struct PatientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patient",
    abstract: "Lists, renames, hides and revives patients; notes when they are at home.",
    discussion: """
      Example:
        measured patient list
        measured patient rename john johnny
      """,
    subcommands: [
      List.self, Rename.self, Presence.self, Delete.self, Revive.self, Settle.self,
    ],
    defaultSubcommand: List.self)

  /// `measured patient list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the patients.",
      discussion: "Example:\n  measured patient list --store week.sqlite")

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "List the deleted patients.")
    var deleted = false

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let patients = try await file.openExisting().read { [deleted] reader in
          let counts = Dictionary(
            grouping: try reader.histories(patient: nil).compactMap { $0.reference?.patient }
          ) { $0 }.mapValues(\.count)
          return try reader.things(Patient.self, patient: nil, isDeleted: deleted).map { patient in
            PatientOutput(patient, taskCount: counts[patient.id] ?? 0, isDeleted: deleted)
          }
        }
        for patient in patients where json { try Console.json(patient) }
        guard !json else { return }
        guard !patients.isEmpty else {
          return Console.out(
            Console.language.text(
              deleted ? "command.patient.noneDeleted" : "command.patient.none"))
        }
        var table = TextTable([
          "command.head.id", "command.head.name", "command.head.tasks", "command.head.expects",
          .verbatim(""),
        ])
        for patient in patients {
          table.add([
            patient.id, patient.displayName, String(patient.tasks), patient.expectations,
            patient.deleted == true ? Console.language.text("command.show.deleted") : "",
          ])
        }
        table.lines.forEach(Console.out)
      }
    }
  }

  /// `measured patient rename`.
  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Gives a patient another id; history, devices and weights go along.",
      discussion: """
        Rename the patient in the plan file, too.

        Example:
          measured patient rename john johnny
        """)

    @Argument(help: "The patient's id.")
    var old: String

    @Argument(help: "The new id.")
    var new: String

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let patient = try await file.openExisting().write { writer in
          try RenamePatient(old, to: new).perform(in: writer, by: .owner, now: now)
          return try PatientOutput(new, in: writer)
        }
        if json {
          if let patient { try Console.json(patient) }
        } else {
          Console.out(
            LocalizedText("command.patient.renamed", ["old": "\(old)", "new": "\(new)"]).message)
        }
      }
    }
  }

  /// `measured patient presence`.
  struct Presence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says that a patient is at home, or away: evidence of whose weighings are whose.",
      discussion: """
        Taken down only if the plan says presence: true of the patient, kept for the attribution of \
        weighings alone, and shown nowhere. Without --to it holds until the next statement.

        Example:
          measured patient presence john --home --from 2026-11-20T18:30
          measured patient presence john --away --from 2026-11-21 --to 2026-11-23
        """)

    @OptionGroup var options: PatientOptions

    @Flag(help: "The patient is at home.")
    var home = false

    @Flag(help: "The patient is away.")
    var away = false

    @Option(help: "The first moment, such as 18:30.", transform: TimeArgument.init(entered:))
    var from: TimeArgument

    @Option(help: "The moment after the last.", transform: TimeArgument.init(entered:))
    var to: TimeArgument?

    func validate() throws {
      guard home != away else { throw ValidationError("Give --home or --away.") }
    }

    func run() async throws {
      try await options.change("presence.kept") { [home, from, to] writer, id, now in
        let zone = try writer.zone(of: id, at: now)
        let presence = Care.Presence(
          patient: id, isHome: home, from: try from.instant(in: zone, now: now),
          to: try to?.instant(in: zone, now: now))
        _ = try SayPresence(presence).perform(in: writer, by: .owner, now: now)
      }
    }
  }

  /// `measured patient delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Hides a patient with all tasks and measurements.",
      discussion: """
        Nothing is removed: measured patient revive shows everything again. To remove every value \
        of a person from the file, see measured store erase.

        Example:
          measured patient delete john
        """)

    @OptionGroup var options: PatientOptions

    func run() async throws {
      try await options.change("command.patient.hidden") {
        _ = try ChangeThing(.patient($1), .delete()).perform(in: $0, by: .owner, now: $2)
      }
    }
  }

  /// `measured patient revive`.
  struct Revive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a deleted patient again.",
      discussion: "Example:\n  measured patient revive john")

    @OptionGroup var options: PatientOptions

    func run() async throws {
      try await options.change("command.patient.back", amongDeleted: true) {
        _ = try ChangeThing(.patient($1), .revive()).perform(in: $0, by: .owner, now: $2)
      }
    }
  }

  /// `measured patient settle`.
  struct Settle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Settles a patient whom several stores changed independently: one version holds.",
      discussion: """
        measured tasks --conflicts lists such patients with the numbers of their versions. Without \
        --version the shown one holds.

        Example:
          measured patient settle john
          measured patient settle john --version 2
        """)

    @OptionGroup var options: PatientOptions

    @Option(help: "The version that holds: its number in the list, or its id.")
    var version: String?

    func run() async throws {
      try await options.change("command.patient.settled", amongDeleted: true) {
        [version] writer, id, now in
        let chosen = try writer.version(named: version, of: .patient(id))
        try SettleThing(.patient(id), version: chosen).perform(in: writer, by: .owner, now: now)
      }
    }
  }
}

/// The flags that identify a patient.
struct PatientOptions: ParsableArguments {
  @Argument(help: "The patient's id.")
  var id: String

  @OptionGroup var file: StoreFileOptions

  @Flag(help: "Print JSON Lines: the patient.")
  var json = false

  /// Changes the patient, and prints a sentence that names the patient as `id`.
  func change(
    _ sentence: LocalizedText, amongDeleted: Bool = false,
    _ body: @Sendable (any StoreWriter, String, Date) throws -> Void
  ) async throws {
    do {
      let now = Console.now
      let patient = try await file.openExisting().write { writer in
        try writer.checkPatient(id, amongDeleted: amongDeleted)
        try body(writer, id, now)
        return try PatientOutput(id, in: writer)
      }
      if json {
        if let patient { try Console.json(patient) }
      } else {
        Console.out(sentence.with("id", "\(id)").message)
      }
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }
}

/// A patient as JSON.
struct PatientOutput: Encodable, Sendable {
  var id: String
  var name: PersonName
  var expects: [String: Expectation]?
  var units: String?
  var timeZone: String?
  var language: String?
  var tasks: Int
  var deleted: Bool?

  /// The name for people.
  let displayName: String
  /// The expectations, for people.
  let expectations: String

  private enum CodingKeys: String, CodingKey {
    case id, name, expects, units, timeZone, language, tasks, deleted
  }

  init(_ patient: Patient, taskCount: Int, isDeleted: Bool) {
    id = patient.id
    name = patient.name
    expects = patient.expects.isEmpty ? nil : patient.expects.printed
    units = patient.units?.rawValue
    timeZone = patient.timeZone?.identifier
    language = patient.language
    tasks = taskCount
    deleted = isDeleted ? true : nil
    displayName = patient.displayName
    expectations = patient.expects.sorted { $0.key < $1.key }.map { name, expectation in
      Quantity(rawValue: name).map {
        "\(Console.language.title(of: $0)) \($0.text(expectation.value, for: patient.units))"
      } ?? name
    }.joined(separator: ", ")
  }

  /// The patient of that id, deleted or not; `nil` if there is none.
  init?(_ id: String, in reader: any StoreReader) throws {
    for isDeleted in [false, true] {
      let found = try reader.things(Patient.self, patient: nil, isDeleted: isDeleted)
        .first { $0.id == id }
      guard let found else { continue }
      self.init(
        found, taskCount: try reader.histories(patient: id).count, isDeleted: isDeleted)
      return
    }
    return nil
  }
}

extension [String: Expectation] {
  /// The expectations, by quantity, with the digits that JSON prints.
  fileprivate var printed: Self {
    reduce(into: [:]) { result, entry in
      let quantity = Quantity(rawValue: entry.key)
      result[entry.key] = Expectation(
        value: entry.value.value.data(of: quantity),
        tolerance: entry.value.tolerance?.data(of: quantity))
    }
  }
}
