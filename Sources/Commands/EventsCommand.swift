import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured events`.
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Lists the events of a span of time with their values and progress.",
    discussion: """
      Times are RFC 3339, or local dates and times in the plan's time zone, or yesterday, today and \
      tomorrow. --from is inclusive, --to exclusive.

      Example:
        measured events --store week.sqlite --from 2026-11-01 --to 2026-11-08 --json
      """)

  @OptionGroup var storage: StoreOptions

  @OptionGroup var span: SpanOptions

  @Option(help: "Only this task.", completion: .tasks)
  var task: String?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Console.now
      let (events, units) = try await storage.openExisting().read { reader in
        let patient = try storage.patient(in: reader)
        let range = try span.range(in: try reader.zone(of: patient, at: now), now: now)
        if let task { try TaskLookup(reader, patient: patient, now: now).check(id: task) }
        let events = try reader.events(
          patient: patient, task: task, from: range.lowerBound, to: range.upperBound, now: now)
        return (events, try reader.preferredUnits())
      }
      for event in events where json { try Console.json(EventOutput(event)) }
      guard !json else { return }
      guard !events.isEmpty else {
        return Console.out(LocalizedText("command.show.noEvents").message)
      }
      var table = TextTable([
        "command.head.start", "command.head.patient", "command.head.task", "command.head.id",
        .verbatim(""), "command.head.result",
      ])
      for event in events {
        let zone = event.occurrence.element.timeZone
        table.add([
          event.occurrence.start.rfc3339(in: zone), event.task.patient, event.task.title,
          event.task.id, event.state(at: now).mark,
          event.result(in: zone, for: units[event.task.patient]) ?? "",
        ])
      }
      table.lines.forEach(Console.out)
    }
  }
}
