import ArgumentParser
import Care
import Foundation
import Localization
import Plans
import Terminal

/// `measured schedule`.
struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Works with a schedule file, without a store.",
    discussion: "Example:\n  measured schedule expand daily.yaml --from 2026-11-01 --to 2026-11-08",
    subcommands: [Expand.self])

  /// `measured schedule expand`.
  struct Expand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the occurrences of a schedule in a span of time.",
      discussion: """
        The file has `timeZone` and `schedule`, as in a plan. An occurrence is listed if it starts \
        before --to and does not end before --from.

        Example:
          measured schedule expand daily.yaml --from 2026-11-01 --to 2026-11-08 --json
        """)

    @Argument(help: "The file; - is standard input.")
    var file: String

    @OptionGroup var span: SpanOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let document = try ScheduleFile.load(file)
        let range = try span.range(in: document.timeZone, now: Console.now)
        let occurrences = try document.schedule.occurrences(
          from: range.lowerBound, to: range.upperBound)
        for occurrence in occurrences where json { try Console.json(Line(occurrence)) }
        guard !json, !occurrences.isEmpty else { return }
        var table = TextTable(["command.head.occurrence", "command.head.start", "command.head.end"])
        for occurrence in occurrences {
          let line = Line(occurrence)
          table.add([
            String(line.occurrence), line.start,
            line.allDay ? Console.language.text("command.show.allDay") : line.end,
          ])
        }
        table.lines.forEach(Console.out)
      }
    }

    struct Line: Encodable {
      var occurrence: Int
      var start: String
      var end: String
      var allDay: Bool

      init(_ occurrence: ScheduleOccurrence) {
        let zone = occurrence.element.timeZone
        self.occurrence = occurrence.index
        start = occurrence.start.rfc3339(in: zone)
        end = occurrence.end.rfc3339(in: zone)
        allDay = occurrence.isAllDay
      }
    }
  }
}

extension ScheduleFile {
  /// The schedule in a file.
  static func load(_ path: String) throws -> Document {
    let text = try TextFile.read(path)
    do {
      return try parse(text, file: path)
    } catch {
      throw CommandFailure(.failed, .verbatim(String(describing: error)))
    }
  }
}
