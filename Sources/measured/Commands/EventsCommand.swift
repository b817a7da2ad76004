import ArgumentParser
import Care
import CareStore
import Foundation

/// `measured events`.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Lists the events of a span of time with their values and progress.",
    discussion: """
      Times are RFC 3339, or local dates and times in the plan's time zone. --from is inclusive, \
      --to exclusive.

      Example:
        measured events --store week.sqlite --from 2026-11-01 --to 2026-11-08 --json
      """)

  @OptionGroup var storage: StoreOptions

  @OptionGroup var span: SpanOptions

  @Option(help: "Only this task.")
  var task: String?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let events = try await storage.openExisting().read { reader in
        try storage.checkPatient(reader)
        let zone = try reader.planTimeZone() ?? .gmt
        let range = try span.range(in: zone)
        if let task {
          let known = Set(try reader.taskVersions(patient: storage.patient).map(\.id))
          guard known.contains(task) else {
            throw CommandFailure(
              .unknown,
              "there is no task ‘\(task)’; the store has \(known.sorted().joined(separator: ", "))")
          }
        }
        return try reader.events(
          patient: storage.patient, task: task, from: range.lowerBound, to: range.upperBound)
      }
      for event in events where json { Console.json(EventOutput(event)) }
      guard !json, !events.isEmpty else { return }
      var table = TextTable(["start", "patient", "task", "progress", ""])
      for event in events {
        table.add([
          event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone),
          event.task.patient, event.task.title, event.progress.text,
          event.progress.isCompleted ? "✓" : "",
        ])
      }
      table.lines.forEach(Console.out)
    }
  }
}
