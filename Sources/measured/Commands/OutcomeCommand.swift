import ArgumentParser
import Care
import CareStore
import Foundation

/// `measured outcome`.
struct OutcomeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outcome",
    abstract: "Enters by hand what no sensor can tell, or takes it back.",
    discussion: """
      Example:
        measured outcome set --store week.sqlite --task stretch --occurrence 3
      """,
    subcommands: [Set.self, Delete.self])

  /// `measured outcome set`.
  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets the outcome of an event, replacing what was there.",
      discussion: """
        Without a value the event is simply done. Several values follow one another, each with its \
        own unit and kind.

        Example:
          measured outcome set --store week.sqlite --task check-in --occurrence 3 \\
            --value 4 --kind pain --value 7 --unit h --kind sleep
        """)

    @OptionGroup var reference: EventOptions

    @Option(help: "A value: a number, true, false, or text. May be given several times.")
    var value: [String] = []

    @Option(help: "The unit of the value before it.")
    var unit: [String] = []

    @Option(help: "The kind of the value before it.")
    var kind: [String] = []

    func run() async throws {
      try await reporting(isJSON: reference.json) {
        let entries = try EnteredValue.read(CommandLine.arguments)
        let now = Date()
        let storage = reference.storage
        let event = try await storage.openExisting().write { writer in
          let reference = try reference.resolve(writer)
          let linkage = try writer.taskVersions(patient: storage.patient)
            .first { $0.uuid == reference.taskUUID }?.linkage
          let values = entries.map { $0.outcomeValue(at: now, in: linkage?.unit) }
          return try writer.setOutcome(
            values.isEmpty
              ? [OutcomeValue(value: .boolean(true), time: now, provenance: .manual)] : values,
            of: reference, now: now)
        }
        reference.print(event)
      }
    }
  }

  /// `measured outcome delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes the outcome of an event away.",
      discussion:
        "Example:\n  measured outcome delete --store week.sqlite --task stretch --occurrence 3")

    @OptionGroup var reference: EventOptions

    func run() async throws {
      try await reporting(isJSON: reference.json) {
        let now = Date()
        let event = try await reference.storage.openExisting().write { writer in
          try writer.deleteOutcome(of: try reference.resolve(writer), now: now)
        }
        reference.print(event)
      }
    }
  }
}

/// The flags that name an event.
struct EventOptions: ParsableArguments {
  @OptionGroup var storage: StoreOptions

  @Option(help: "The task's id.")
  var task: String

  @Option(help: "The occurrence, from 0.")
  var occurrence: Int

  @Option(help: "The task's version, from 1. Default: the one that owns the occurrence.")
  var version: Int?

  @Flag(help: "Print JSON Lines.")
  var json = false

  /// Finds the event that is meant.
  func resolve(_ reader: any StoreReader) throws -> EventReference {
    try storage.checkPatient(reader)
    let versions = try reader.taskVersions(patient: storage.patient).filter { $0.id == task }
    let owners = Swift.Set(versions.map(\.patient))
    guard !versions.isEmpty else {
      throw CommandFailure(.unknown, "there is no task ‘\(task)’")
    }
    guard owners.count == 1 else {
      throw CommandFailure(
        .refused,
        "\(owners.sorted().joined(separator: " and ")) both have a task ‘\(task)’; add --patient")
    }
    let history = TaskHistory(versions)
    if let version {
      guard versions.indices.contains(version - 1) else {
        throw CommandFailure(
          .unknown, "‘\(task)’ has no version \(version); it has \(versions.count)")
      }
      return EventReference(taskUUID: versions[version - 1].uuid, occurrence: occurrence)
    }
    let events = history.events(at: occurrence)
    guard events.count <= 1 else {
      let list = events.map { event in
        "version \(event.version): "
          + event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone)
      }
      throw CommandFailure(
        .refused,
        "several versions of ‘\(task)’ have an occurrence \(occurrence), so add --version ("
          + list.joined(separator: "; ") + ")")
    }
    // Without an owner the newest version says why there is none.
    return events.first?.reference
      ?? EventReference(
        taskUUID: versions[versions.count - 1].uuid, occurrence: occurrence)
  }

  /// Prints how the event stands now.
  func print(_ event: Event) {
    guard !json else {
      Console.json(EventOutput(event))
      return
    }
    Console.out(
      "\(event.task.title), "
        + "\(event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone)): "
        + event.progress.text)
  }
}

/// A value as it was entered on the command line, with what followed it.
struct EnteredValue: Hashable, Sendable {
  var value: Value
  var unit: UnitOfMeasure?
  var kind: String?

  /// Reads `--value V [--unit U] [--kind K]`, again and again.
  ///
  /// The parser gathers each option's values and forgets between which others they stood, so the
  /// arguments are gone through once more in their order.
  static func read(_ arguments: [String]) throws(CommandFailure) -> [EnteredValue] {
    var entries: [EnteredValue] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = parts.first, ["--value", "--unit", "--kind"].contains(name),
        let text = parts.count == 2 ? parts[1] : rest.popFirst()
      else { continue }
      if name == "--value" {
        entries.append(EnteredValue(value: Value(entered: text)))
        continue
      }
      guard let last = entries.indices.last else {
        throw CommandFailure(.malformedArgument, "\(name) \(text) comes before any --value")
      }
      if name == "--kind" {
        entries[last].kind = text
        continue
      }
      guard let unit = UnitOfMeasure(text) else {
        throw CommandFailure(.malformedArgument, "there is no unit ‘\(text)’; try kg, /min, deg, s")
      }
      entries[last].unit = unit
    }
    return entries
  }

  /// The value as an outcome keeps it: of a task that is linked to a quantity, in the unit of that.
  ///
  /// A unit that cannot be converted stays, and is refused by the store with the reason.
  func outcomeValue(at time: Date, in linked: UnitOfMeasure?) -> OutcomeValue {
    guard let linked, let unit, let number = value.number,
      let converted = unit.convert(number, to: linked)
    else {
      return OutcomeValue(value: value, unit: unit, kind: kind, time: time, provenance: .manual)
    }
    return OutcomeValue(
      value: unit == linked ? value : .double(converted), unit: linked, kind: kind, time: time,
      provenance: .manual)
  }
}

extension Value {
  /// The value that somebody entered as text.
  init(entered text: String) {
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
