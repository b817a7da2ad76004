import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured task`.
struct TaskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "task",
    abstract: "Ends, deletes or revives a task.",
    discussion: """
      Example:
        measured task end pills
        measured task end pills --at 2026-12-01
        measured task settle pills --version 2
      """,
    subcommands: [End.self, Delete.self, Revive.self, Settle.self])

  /// `measured task end`.
  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ends a task: nothing begins from then on, and nothing before changes.",
      discussion: """
        What runs at that moment runs its course.

        Example:
          measured task end pills
          measured task end pills --at 2026-12-01T12:00
        """)

    @OptionGroup var options: TaskOptions

    @Option(
      help: "When it ends, such as 2026-12-01T12:00 or tomorrow. Default: now.",
      transform: TimeArgument.init(entered:))
    var at: TimeArgument?

    func run() async throws {
      try await options.change(at: at) { writer, task, date, now in
        _ = try ChangeThing(.task(task), .end(at: date)).perform(in: writer, by: .owner, now: now)
      } says: { _, date in
        LocalizedText("command.task.ends", ["time": "\(date)"])
      }
    }
  }

  /// `measured task delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Hides a task and its whole history; measured task revive shows it again.",
      discussion: """
        To keep the history in sight, or to plan the end, end the task instead.

        Example:
          measured task delete pills
        """)

    @OptionGroup var options: TaskOptions

    @Option(
      help: "The date of the deletion, for the record; not in the future. Default: now.",
      transform: TimeArgument.init(entered:))
    var at: TimeArgument?

    func run() async throws {
      try await options.change(at: at) { writer, task, date, now in
        guard date <= now else { throw CommandFailure.deletionInFuture(task.task) }
        _ = try ChangeThing(.task(task), .delete(at: date))
          .perform(in: writer, by: .owner, now: now)
      } says: { task, _ in
        LocalizedText("command.task.hidden", ["id": .init(task.id)])
      }
    }
  }

  /// `measured task revive`.
  struct Revive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a deleted task with its history again, or lets an ended one go on.",
      discussion: """
        An ended task goes on from now, or from --at; the days between stay without it.

        Example:
          measured task revive pills
          measured task revive pills --at 2026-12-24
        """)

    @OptionGroup var options: TaskOptions

    @Option(
      help: "When an ended task goes on, such as 2026-12-24 or tomorrow. Default: now.",
      transform: TimeArgument.init(entered:))
    var at: TimeArgument?

    func run() async throws {
      try await options.change(at: at, amongDeleted: true) { writer, task, date, now in
        _ = try ChangeThing(.task(task), .revive(at: date))
          .perform(in: writer, by: .owner, now: now)
      } says: { _, _ in
        "command.task.back"
      }
    }
  }

  /// `measured task settle`.
  struct Settle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Settles a task that several stores changed independently: one version holds.",
      discussion: """
        measured tasks --conflicts lists such tasks with the numbers of their versions. Without \
        --version the shown one holds.

        Example:
          measured task settle pills
          measured task settle pills --version 2
        """)

    @OptionGroup var options: TaskOptions

    @Option(help: "The version that holds: its number in the list, or its id.")
    var version: String?

    func run() async throws {
      try await options.change(at: nil, amongDeleted: true) { [version] writer, task, _, now in
        let thing = ThingReference.task(task)
        let chosen = try writer.version(named: version, of: thing)
        do {
          try SettleThing(thing, version: chosen).perform(in: writer, by: .owner, now: now)
        } catch StoreError.refused(let refusal) {
          throw CommandFailure(.refused, refusal.ofSettlement)
        }
      } says: { _, _ in
        "command.task.settled"
      }
    }
  }
}

/// The flags that identify a task.
struct TaskOptions: ParsableArguments {
  @Argument(help: "The task's id or title.", completion: .tasks)
  var id: String

  @OptionGroup var file: StoreFileOptions

  @Option(help: "The patient whose task it is, by id or unique name.")
  var patient: String?

  @Flag(help: "Print JSON Lines: the task.")
  var json = false

  /// Changes the task, and prints what happened.
  ///
  /// - Parameters:
  ///   - time: When the change takes effect; now if it is not given.
  ///   - amongDeleted: Whether the task may be a deleted one.
  ///   - body: The change: of this task, at that time, now.
  ///   - sentence: The sentence about the change of this task, at that time; it names the task as `task`.
  /// - Throws: ``CommandFailure``.
  func change(
    at time: TimeArgument?, amongDeleted: Bool = false,
    _ body: @Sendable (any StoreWriter, TaskReference, Date, Date) throws -> Void,
    says sentence: (CareTask, String) -> LocalizedText
  ) async throws {
    do {
      let now = Console.now
      let (task, date, output) = try await file.openExisting().write { writer in
        let zone = try writer.zone()
        let date = try time?.instant(in: zone, now: now) ?? now
        let history = try find(writer, amongDeleted: amongDeleted, now: now)
        guard let task = history.current(at: now), let reference = history.reference else {
          throw CommandFailure.unknownTask(id, known: [])
        }
        try body(writer, reference, date, now)
        let isShown = { (history: TaskHistory) in history.reference == reference }
        let shown = try writer.histories(patient: reference.patient).first(where: isShown)
        let after = shown ?? history
        let output = TaskOutput(
          after.current(at: now) ?? task, of: after,
          next: shown == nil ? nil : try after.next(after: now), in: zone,
          isDeleted: shown == nil)
        return (after.current(at: now) ?? task, date.toTheSecond(in: zone), output)
      }
      guard !json else { return try Console.json(output) }
      let name = LocalizedText(
        "command.task.named",
        ["title": .init(task.title), "id": .init(task.id), "patient": .init(task.patient)])
      Console.out(sentence(task, date).with("task", .text(name)).message)
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }

  /// The task, among the deleted ones first if these are asked for.
  private func find(
    _ reader: any StoreReader, amongDeleted: Bool, now: Date
  ) throws -> TaskHistory {
    let shown = try TaskLookup(reader, patient: patient, now: now)
    guard amongDeleted else { return try shown.task(named: id) }
    var owner: String?
    if let patient { owner = try reader.patientID(named: patient) }
    let deleted = TaskLookup(histories: try reader.deletedHistories(patient: owner), now: now)
    if let found = try deleted.find(id) { return found }
    return try TaskLookup(histories: deleted.histories + shown.histories, now: now).task(named: id)
  }
}
