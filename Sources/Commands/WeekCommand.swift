import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured week`.
struct WeekCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Shows a week's tasks: a row for each task, a column for each day.",
    discussion: """
      The week begins on Monday. A mark says how each event stands; the marks are explained below \
      the table. Below the table stands what is still open today, and what to type \
      for it.

      Example:
        measured week
        measured week --store week.sqlite --date 2026-11-20
      """)

  @OptionGroup var storage: StoreOptions

  @Option(
    help:
      "A day of the week: 2026-11-20, yesterday, today or tomorrow. Default: today, in the person's time zone.",
    transform: TimeArgument.init(entered:))
  var date: TimeArgument?

  @Flag(help: "Print JSON Lines: the week's events.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Console.now
      let weeks = try await storage.openExisting().read { reader in
        let patient = try storage.patient(in: reader)
        let people = try reader.patients().filter { [nil, $0.id].contains(patient) }
        let zones = try people.map { try reader.zone(of: $0.id, at: now) }
        let own = try reader.zone(of: patient, at: now)
        // People of one zone have one week.
        return try (zones.isEmpty ? [own] : zones.uniqued()).map { zone in
          let span = Adherence.Period.week.span(
            around: try date?.instant(in: zone, now: now) ?? now, in: zone)
          let patients = zip(people, zones).filter { $0.1 == zone }.map(\.0)
          let (from, to) = (span.lowerBound, span.upperBound)
          let found = try reader.events(
            EventQuery(patient: patient, from: from, to: to, now: now, omitsCrowded: true))
          let crowded = try reader.crowdedTasks(
            patient: patient, besides: found, from: from, to: to
          )
          .filter { task in patients.contains { $0.id == task.patient } }
          // A program gets all of the week or none of it.
          if json, !crowded.isEmpty {
            throw StoreError.refused(
              .schedule(.tooManyOccurrences(limit: EventExpansion.dailyLimit)))
          }
          let events = found.filter { event in
            event.occurrence.isOfDay(from: from)
              && patients.contains { $0.id == event.task.patient }
          }
          return Week(
            span: span, zone: zone, events: events, crowded: crowded, patients: patients,
            histories: try reader.histories(patient: nil), units: try reader.preferredUnits(),
            deleted: try reader.things(Patient.self, patient: nil, isDeleted: true).map(\.id))
        }
      }
      guard !json else {
        return try weeks.flatMap(\.events).forEach { try Console.json(EventOutput($0)) }
      }
      for (place, week) in weeks.enumerated() {
        var text = DayText(
          timeZone: week.zone, now: now, store: storage.store, tasks: week.histories,
          units: week.units)
        text.deletedPeople = week.deleted
        if place > 0 { Console.out("") }
        week.lines(text).forEach(Console.out)
      }
    }
  }

  /// The week of the people of one zone.
  private struct Week: Sendable {
    var span: Range<Date>
    var zone: TimeZone
    var events: [Event]
    /// The tasks that the table has not, since there are too many events of each.
    var crowded: [CareTask]
    var patients: [Patient]
    var histories: [TaskHistory]
    var units: [String: PreferredUnits]
    /// The people who were deleted.
    var deleted: [String]

    func lines(_ text: DayText) -> [String] {
      guard !patients.isEmpty else { return [text.nobody] }
      var lines: [String] = []
      for patient in patients {
        let own = events.filter { $0.task.patient == patient.id }
        if !lines.isEmpty { lines.append("") }
        let left = crowded.filter { $0.patient == patient.id }
        lines.append(patient.heading(isEmpty: own.isEmpty && left.isEmpty))
        lines += left.map { "  " + LocalizedText(crowded: $0).message }
        guard !own.isEmpty else { continue }
        let table = WeekTable(
          events: own, start: span.lowerBound, timeZone: zone, now: text.now,
          units: units[patient.id], showsIDs: true)
        lines += table.lines + [table.legend]
        // Those of today that are over decide which one a command without --occurrence means.
        let begun = own.filter {
          $0.occurrence.end > text.now
            ? $0.occurrence.start.day(in: zone) <= text.now.day(in: zone)
            : $0.occurrence.start.day(in: zone) == text.now.day(in: zone)
        }
        let today = Adherence.Period.day.span(around: text.now, in: zone)
        for (event, command) in text.commands(for: begun, on: today)
        where event.occurrence.end > text.now {
          lines.append("  " + text.line(event, on: today.lowerBound))
          if let command { lines.append("             → " + command) }
        }
      }
      return lines
    }
  }
}
