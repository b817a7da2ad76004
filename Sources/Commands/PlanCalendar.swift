import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Terminal

/// `measured plan calendar`.
struct PlanCalendar: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Writes the plan's tasks as a calendar (.ics) for a telephone or a mail program.",
    discussion: """
      Each task is an event with its recurrence rule, its length and its reminder. Where no rule says \
      exactly what the plan does (cycles, pauses, the 31st of each month), the occurrences of a year \
      are listed. Results are not in it. Only the file's owner may read it.

      Example:
        measured plan calendar plan.ics --store week.sqlite
      """)

  @Argument(help: "The file to write; - is standard output.")
  var file: String = "-"

  @OptionGroup var storage: StoreOptions

  @Flag(help: "Replace the file if it exists.")
  var force = false

  func run() async throws {
    try await reporting(isJSON: false) {
      let text = try await storage.openExisting().read { reader in
        try CalendarFile(
          reader.histories(patient: storage.patient(in: reader)), at: Console.now
        ).text
      }
      guard file != "-" else { return Console.write(text, to: .standardOutput) }
      try CommandFiles.requireRoom(at: file, force: force)
      try await OutputFile.write(text, to: file, id: UUID())
    }
  }
}
