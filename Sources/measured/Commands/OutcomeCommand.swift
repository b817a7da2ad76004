import ArgumentParser
import Care
import CareStore
import Foundation
import Synchronization

/// `measured outcome`.
struct OutcomeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outcome",
    abstract: "Sets or deletes the outcome of an event by hand.",
    discussion: """
      Example:
        measured outcome set --store week.sqlite --task stretch --occurrence 3
      """,
    subcommands: [Set.self, Delete.self])

  /// `measured outcome set`.
  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets the outcome of an event; replaces the previous one.",
      discussion: """
        Without a value the event is marked as done. Each --unit and --kind belongs to the --value \
        before it.

        Example:
          measured outcome set --store week.sqlite --task check-in --occurrence 3 \\
            --value 4 --kind pain --value 7 --unit h --kind sleep
        """)

    @OptionGroup var reference: EventOptions

    @Option(help: "A value: a number, true, false, or text. May be given several times.")
    var value: [PositionedText] = []

    @Option(help: "The unit of the value before it.")
    var unit: [PositionedText] = []

    @Option(help: "The kind of the value before it.")
    var kind: [PositionedText] = []

    func run() async throws {
      try await reporting(isJSON: reference.json) {
        let entries = try EnteredValue.group(values: value, units: unit, kinds: kind)
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
      abstract: "Deletes the outcome of an event.",
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

/// The flags that identify an event.
struct EventOptions: ParsableArguments {
  @OptionGroup var storage: StoreOptions

  @Option(help: "The task's id.")
  var task: String

  @Option(help: "The occurrence, from 0.")
  var occurrence: Int

  @Option(help: "The task's version, from 1. Default: the version that owns the occurrence.")
  var version: Int?

  @Flag(help: "Print JSON Lines.")
  var json = false

  /// Finds the event.
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
    // Without an owner the store refuses the newest version's event with the reason.
    return events.first?.reference
      ?? EventReference(
        taskUUID: versions[versions.count - 1].uuid, occurrence: occurrence)
  }

  /// Prints the event.
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

// MARK: - Values

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
  var value: Value
  var unit: UnitOfMeasure?
  var kind: String?

  /// Gives each value the units and kinds that follow it.
  ///
  /// - Throws: ``CommandFailure`` for a unit that does not exist, and for a unit or kind before the
  ///   first value.
  static func group(
    values: [PositionedText], units: [PositionedText], kinds: [PositionedText]
  ) throws(CommandFailure) -> [EnteredValue] {
    var entries = values.map { EnteredValue(value: Value(entered: $0.text)) }
    func entry(of text: PositionedText, _ option: String) throws(CommandFailure) -> Int {
      guard let index = values.lastIndex(where: { $0.position < text.position }) else {
        throw CommandFailure(.malformedArgument, "\(option) \(text.text) comes before any --value")
      }
      return index
    }
    for text in units {
      guard let unit = UnitOfMeasure(text.text) else {
        throw CommandFailure(
          .malformedArgument, "there is no unit ‘\(text.text)’; try kg, /min, deg, s")
      }
      entries[try entry(of: text, "--unit")].unit = unit
    }
    for text in kinds { entries[try entry(of: text, "--kind")].kind = text.text }
    return entries
  }

  /// The value for an outcome; for a task that is linked to a quantity, in that quantity's unit.
  ///
  /// A unit that cannot be converted stays; the store refuses it with the reason.
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
  /// Reads a value that was entered as text.
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
