import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Pages
import Terminal

/// `measured tasks`.
struct TasksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tasks",
    abstract: "Lists tasks: what they ask, when, and when they are due next.",
    discussion: """
      With --date or --from and --to, the tasks in force then, as they were at its end. --id, \
      --group, --tag and --plan can be given several times; any of the values is enough. An empty \
      --group or --plan stands for tasks without one.

      Example:
        measured tasks --store week.sqlite
        measured tasks --date 2026-11-20 --exclude-empty --tag morning --json
      """)

  @OptionGroup var storage: StoreOptions

  @Option(
    help: "Only the tasks in force on this day: 2026-11-20, yesterday, today or tomorrow.",
    transform: TimeArgument.init(entered:))
  var date: TimeArgument?

  @OptionGroup var span: OptionalSpanOptions

  @Option(help: "Only the task with this id.")
  var id: [String] = []

  @Option(help: "Only tasks of this group.")
  var group: [String] = []

  @Option(help: "Only tasks with this tag.")
  var tag: [String] = []

  @Option(help: "Only tasks of the care plan with this id.")
  var plan: [String] = []

  @Flag(help: "Leave out tasks without an event in the span; without a span, in the future.")
  var excludeEmpty = false

  @Flag(help: "List the deleted tasks.")
  var deleted = false

  @Flag(help: "List what several stores changed independently.")
  var conflicts = false

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    let isSpan = span.from != nil || span.to != nil
    guard date == nil || !isSpan else {
      throw ValidationError(LocalizedText("command.time.dateOrSpan").message)
    }
    guard (span.from == nil) == (span.to == nil) else {
      throw ValidationError(LocalizedText("command.time.both").message)
    }
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Console.now
      let store = try storage.openExisting()
      guard !conflicts else {
        try await printConflicts(of: store)
        return
      }
      let tasks = try await store.read { reader in
        try listed(reader, patient: try storage.patient(in: reader), now: now)
      }
      for (_, output) in tasks where json { try Console.json(output) }
      guard !json else { return }
      guard !tasks.isEmpty else {
        let isEmpty = try await store.read { try $0.histories(patient: nil).isEmpty }
        return Console.out(
          Console.language.text(
            isEmpty && !deleted ? "command.show.noTasksYet" : "command.show.noTasks"))
      }
      let viewer = Viewer(
        language: Console.language, patient: nil, now: now,
        timeZone: try await store.read { try $0.zone() })
      var table = TextTable([
        "command.head.patient", "command.head.id", "command.head.title", "command.head.asks",
        "command.head.when", "command.head.next", .verbatim(""),
      ])
      for (task, output) in tasks {
        table.add([
          task.patient, task.id, task.title, task.request,
          Console.language.lines(of: task.schedule, viewer).joined(separator: "; "),
          output.next?.minutes ?? "–", output.remark,
        ])
      }
      table.lines.forEach(Console.out)
    }
  }

  /// The tasks that are asked for, by patient in the plan's order.
  private func listed(
    _ reader: any StoreReader, patient: String?, now: Date
  ) throws -> [(task: PlannedTask, output: TaskOutput)] {
    let zone = try reader.zone()
    let query = TaskQuery(
      ids: Set(id), groups: Set(group.map { $0.isEmpty ? nil : $0 }), tags: Set(tag),
      carePlans: Set(plan.map { $0.isEmpty ? nil : $0 }), span: try range(in: zone, now: now),
      excludesEmpty: excludeEmpty)
    let all =
      deleted
      ? try reader.deletedHistories(patient: patient)
      : try reader.histories(patient: patient)
    for id in id where !deleted { try TaskLookup(histories: all, now: now).check(id: id) }
    let places = Dictionary(
      try reader.planOrder().enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    let found = try all.compactMap { history in
      try query.version(of: history, now: now).map {
        version -> (task: PlannedTask, output: TaskOutput) in
        let output = TaskOutput(
          version, of: history, next: deleted ? nil : try history.next(after: now), in: zone,
          isDeleted: deleted)
        return (task: version.planned, output: output)
      }
    }
    return found.sorted { a, b in
      let first = places[TaskReference(patient: a.task.patient, task: a.task.id)] ?? .max
      let second = places[TaskReference(patient: b.task.patient, task: b.task.id)] ?? .max
      return (a.task.patient, first, a.task.id) < (b.task.patient, second, b.task.id)
    }
  }

  private func range(in zone: TimeZone, now: Date) throws -> Range<Date>? {
    if let date {
      return Adherence.Period.day.span(around: try date.instant(in: zone, now: now), in: zone)
    }
    let ends = try span.ends(in: zone, now: now)
    guard let from = ends.from, let to = ends.to else { return nil }
    return from..<to
  }

  private func printConflicts(of store: SQLStore) async throws {
    let (things, outcomes, zone) = try await store.read { reader in
      let patient = try storage.patient(in: reader)
      return (
        try reader.conflicts().filter { [nil, $0.thing.patient].contains(patient) },
        try reader.numberedConflicts().filter { [nil, $0.event.patient].contains(patient) },
        try reader.zone()
      )
    }
    try things.print(isJSON: json, in: zone)
    try outcomes.print(isJSON: json, in: zone)
    if !json, things.isEmpty, outcomes.isEmpty {
      Console.out(LocalizedText("command.conflict.none").message)
    }
  }
}
