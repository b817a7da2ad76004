import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured today`.
struct TodayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "today",
    abstract: "Shows a day's tasks with their results, and what to type for those still open.",
    discussion: """
      The id of each task stands in brackets. Instructions stand once, below the first event that \
      is still to be done.

      Example:
        measured today
        measured today --date yesterday
        measured today --store week.sqlite --date 2026-11-20
      """)

  @OptionGroup var storage: StoreOptions

  @Option(
    help:
      "The day: 2026-11-20, yesterday, today or tomorrow. Default: today, in the person's time zone.",
    transform: TimeArgument.init(entered:))
  var date: TimeArgument?

  @Flag(help: "Print JSON Lines: the day's events.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Console.now
      let (days, histories, units, cautions, deleted, consents) = try await storage.openExisting()
        .read {
          reader in
          let patient = try storage.patient(in: reader)
          let days = try shownDays(of: patient, reader, now: now)
          // A program gets all of the day or none of it.
          if json, days.contains(where: { !$0.crowded.isEmpty }) {
            throw StoreError.refused(
              .schedule(.tooManyOccurrences(limit: EventExpansion.dailyLimit)))
          }
          let cautions = try days.flatMap(\.events).map { ($0.id, try reader.cautions(of: $0)) }
          return (
            days, try reader.histories(patient: nil), try reader.preferredUnits(),
            Dictionary(cautions, uniquingKeysWith: { $0.union($1) }),
            try reader.things(Patient.self, patient: nil, isDeleted: true).map(\.id),
            try reader.consents(of: patient).filter { $0.state == .open }
          )
        }
      guard !json else {
        try days.flatMap(\.events).forEach { try Console.json(EventOutput($0)) }
        return
      }
      for consent in consents { Console.out(consent.request(store: storage.store)) }
      for (place, day) in days.enumerated() {
        var text = DayText(
          timeZone: day.timeZone, now: now, store: storage.store, tasks: histories, units: units,
          cautions: cautions)
        text.deletedPeople = deleted
        if place > 0 { Console.out("") }
        day.lines(text, width: Console.outputWidth).forEach(Console.out)
      }
    }
  }

  /// The day of each zone in which people are, in the order of the people.
  private func shownDays(
    of patient: String?, _ reader: any StoreReader, now: Date
  ) throws -> [CareDay] {
    let people = try reader.patients().map(\.id).filter { patient == nil || $0 == patient }
    let zones = try people.map { try reader.zone(of: $0, at: now) }
    let plan = try reader.zone(of: patient, at: now)
    return try (zones.isEmpty ? [plan] : zones.uniqued()).map { zone in
      let date = try date?.instant(in: zone, now: now) ?? now
      var day = try CareDay(reader, patient: patient, on: date, in: zone, now: now)
      let own = Set(zip(people, zones).filter { $0.1 == zone }.map(\.0))
      day.patients.removeAll { !own.contains($0.id) }
      day.events.removeAll { !own.contains($0.task.patient) }
      day.crowded.removeAll { !own.contains($0.patient) }
      if zone != zones.first { day.unassignedCount = 0 }
      return day
    }
  }
}

extension CareDay {
  /// The day as lines for people, of at most `width` columns where words can be broken.
  ///
  /// The instructions of a task stand below its first event that is still to be done.
  func lines(_ text: DayText, width: Int? = nil) -> [String] {
    var lines = ["\(start.day(in: timeZone)) (\(timeZone.identifier))"]
    if patients.isEmpty { lines += ["", text.nobody] }
    for patient in patients {
      let own = events.filter { $0.task.patient == patient.id }
      lines.append("")
      let left = crowded.filter { $0.patient == patient.id }
      lines.append(patient.heading(isEmpty: own.isEmpty && left.isEmpty))
      let commands = Dictionary(
        text.commands(for: own, on: start..<end).map { ($0.event.id, $0.command) },
        uniquingKeysWith: { a, _ in a })
      let indent = String(repeating: " ", count: 13)
      var instructed: Set<String> = []
      for event in own {
        lines.append("  " + text.line(event, on: start))
        guard event.isOpen || event.task.kind == .readOnly else { continue }
        if !event.isOver(at: text.now), instructed.insert(event.task.id).inserted {
          let instructions = event.task.instructions?.split(whereSeparator: \.isNewline) ?? []
          lines += instructions.flatMap { String($0).wrapped(to: width, indent: indent) }
        }
        if let command = commands[event.id] ?? nil { lines.append(indent + "→ " + command) }
      }
      lines += left.map { "  " + LocalizedText(crowded: $0).message }
    }
    if unassignedCount > 0 {
      lines.append("")
      lines.append(LocalizedText("day.unassigned", ["number": .init(unassignedCount)]).message)
    }
    return lines
  }
}
