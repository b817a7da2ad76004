import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

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
        Without a value the event is done, with an outcome without values. Each --unit and --kind \
        belongs to the --value before it. A value without a unit is in the task's own, whatever the \
        person reads.

        Example:
          measured outcome set --store week.sqlite --task check-in --occurrence 3 \\
            --value 4 --kind pain --value 7 --unit h --kind sleep
        """)

    @OptionGroup var reference: EventOptions

    @OptionGroup var values: ValueOptions

    func run() async throws {
      try await reporting(isJSON: reference.json) {
        let entries = try values.entries()
        let now = Console.now
        let (event, units) = try await reference.storage.openExisting().write { writer in
          let (event, history) = try reference.resolve(writer, now: now)
          let change = try AnswerEvent(event, entries, isWhole: true)
            .perform(in: writer, by: .owner, now: now)
          return (history.presented(change.event, at: now), try writer.preferredUnits())
        }
        try reference.print(event, for: units)
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
        let now = Console.now
        let (event, units) = try await reference.storage.openExisting().write { writer in
          let (event, history) = try reference.resolve(writer, now: now)
          let change = try TakeBack(event, .wholeAnswer).perform(in: writer, by: .owner, now: now)
          return (history.presented(change.event, at: now), try writer.preferredUnits())
        }
        try reference.print(event, for: units)
      }
    }
  }
}

/// The flags that identify an event.
struct EventOptions: ParsableArguments {
  @OptionGroup var storage: StoreOptions

  @Option(help: "The task's id.", completion: .tasks)
  var task: String

  @Option(help: "The occurrence, from 0.")
  var occurrence: Int

  @Option(help: "The task's version, from 1. Default: the version that owns the occurrence.")
  var version: Int?

  @Flag(help: "Print JSON Lines.")
  var json = false

  /// Finds the event, with its outcome and the task's versions.
  func resolve(
    _ reader: any StoreReader, now: Date
  ) throws -> (event: Event, history: TaskHistory) {
    let history = try TaskLookup(reader, patient: storage.patient, now: now).task(id: task)
    let versions = history.versions
    if let version {
      guard versions.indices.contains(version - 1) else {
        throw CommandFailure(
          .unknown,
          LocalizedText(
            "command.task.noVersion",
            [
              "task": "\(task)", "version": .init(version), "number": .init(versions.count),
            ]))
      }
      return try (find(versions[version - 1], in: history, reader, now), history)
    }
    let events = history.events(at: occurrence)
    guard events.count <= 1 else {
      throw CommandFailure(
        .refused,
        LocalizedText(
          "command.task.severalVersions",
          [
            "task": "\(task)", "number": .init(occurrence),
            "versions": .versions(
              events.map { event in
                (
                  event.version,
                  event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone)
                )
              }),
          ]))
    }
    // Without an owner the newest version's event is refused with the reason.
    let owner = events.first?.task ?? versions[versions.count - 1]
    return try (find(owner, in: history, reader, now), history)
  }

  private func find(
    _ owner: CareTask, in history: TaskHistory, _ reader: any StoreReader, _ now: Date
  ) throws -> Event {
    try reader.event(
      EventReference(taskUUID: owner.uuid, occurrence: occurrence), in: history, now: now)
  }

  /// Prints the event; `units` are those in which people read values, by patient.
  func print(_ event: Event, for units: [String: PreferredUnits]) throws {
    guard !json else {
      try Console.json(EventOutput(event))
      return
    }
    Console.out(
      "\(event.task.title.oneLine), "
        + "\(event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone)): "
        + Console.language.progress(of: event, for: units[event.task.patient]))
  }
}
