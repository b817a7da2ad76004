import ArgumentParser
import Care
import CareStore
import Foundation

/// `measured today`.
struct TodayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "today",
    abstract: "Shows a day's tasks: done, measured, still open.",
    discussion: """
      Example:
        measured today
        measured today --store week.sqlite --date 2026-11-20
      """)

  @OptionGroup var storage: StoreOptions

  @Option(help: "The day, such as 2026-11-20. Default: today, in the plan's time zone.")
  var date: TimeArgument?

  @Flag(help: "Print JSON Lines: the day's events.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Date()
      let day = try await storage.openExisting().read { reader in
        try storage.checkPatient(reader)
        let zone = try reader.planTimeZone() ?? .gmt
        return try CareDay(
          reader, patient: storage.patient, on: date?.date(in: zone) ?? now, in: zone)
      }
      guard !json else {
        day.events.forEach { Console.json(EventOutput($0)) }
        return
      }
      day.lines(now: now).forEach(Console.out)
    }
  }
}

extension CareDay {
  /// The day as lines for people.
  func lines(now: Date) -> [String] {
    var lines = ["\(start.rfc3339(in: timeZone).prefix(10)) (\(timeZone.identifier))"]
    for patient in patients {
      let own = events.filter { $0.task.patient == patient.id }
      lines.append("")
      lines.append(patient.displayName + (own.isEmpty ? ": nothing is planned" : ""))
      lines += own.map { "  " + line($0, now: now) }
    }
    if unassignedCount > 0 {
      lines.append("")
      lines.append(
        "\(unassignedCount) reading(s) of this day are unassigned; see measured samples --unassigned"
      )
    }
    return lines
  }

  private func line(_ event: Event, now: Date) -> String {
    let isReadOnly = event.task.kind == .readOnly
    let mark = isReadOnly ? "·" : event.progress.isCompleted ? "✓" : "○"
    let time =
      event.occurrence.isAllDay
      ? "anytime" : String(event.occurrence.start.rfc3339(in: timeZone).dropFirst(11).prefix(5))
    var text =
      "\(mark) \(time.padding(toLength: 8, withPad: " ", startingAt: 0))\(event.task.title)"
    let values = event.outcome?.values ?? []
    // The first value of an assessment is its result.
    let shown = (event.task.activeTask == nil ? values.suffix(3) : values.prefix(1)).map(\.text)
    if !shown.isEmpty { text.append(": " + shown.joined(separator: ", ")) }
    if !isReadOnly, !event.progress.isCompleted {
      if event.progress.goal != nil { text += " (\(event.progress.text))" }
      if event.task.isOptional { text += " (optional)" }
      if event.occurrence.end < now { text += ", missed" }
    }
    return text
  }
}
