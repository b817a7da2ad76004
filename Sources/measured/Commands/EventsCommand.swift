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
      let now = Date()
      let events = try await storage.openExisting().read { reader in
        try storage.checkPatient(reader)
        let range = try span.range(in: try reader.zone())
        if let task { try TaskLookup(reader, patient: storage.patient, now: now).check(id: task) }
        return try reader.events(
          patient: storage.patient, task: task, from: range.lowerBound, to: range.upperBound,
          now: now)
      }
      for event in events where json { Console.json(EventOutput(event)) }
      guard !json, !events.isEmpty else { return }
      var table = TextTable(["start", "patient", "task", "id", "", "result"])
      for event in events {
        let zone = event.occurrence.element.timeZone
        table.add([
          event.occurrence.start.rfc3339(in: zone), event.task.patient, event.task.title,
          event.task.id, event.mark, event.result(in: zone) ?? "",
        ])
      }
      table.lines.forEach(Console.out)
    }
  }
}
