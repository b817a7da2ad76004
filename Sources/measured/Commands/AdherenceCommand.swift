import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange

/// `measured adherence`.
struct AdherenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adherence",
    abstract: "Shows how much of the plan was done, by day, week or month.",
    discussion: """
      One line for each person and day, week (from Monday) or month in the plan's time zone: the \
      mean progress of the events due, without optional and read-only tasks. --from is inclusive, --to exclusive. \
      Without them: the last 7 days, 8 weeks or 12 months.

      Example:
        measured adherence --store week.sqlite --from 2026-11-01 --to 2026-11-08
        measured adherence --task pills --by month
      """)

  @OptionGroup var storage: StoreOptions

  @Option(help: "Only this task, by its id.")
  var task: String?

  @Option(help: "What a line covers: day, week or month.")
  var by = PeriodArgument.day

  @OptionGroup var span: OptionalSpanOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Date()
      let (entries, zone, names, title) = try await storage.openExisting().read { reader in
        let patient = try storage.patient(in: reader)
        let zone = try reader.zone()
        let lookup = try TaskLookup(reader, patient: patient, now: now)
        if let task { try lookup.check(id: task) }
        let ends = try span.ends(in: zone, now: now)
        let to = ends.to ?? by.period.span(around: now, in: zone).upperBound
        let entries = try reader.adherence(
          by: by.period, patient: patient, task: task,
          from: ends.from ?? by.start(before: to, in: zone), to: to, in: zone, now: now)
        let names = Dictionary(
          uniqueKeysWithValues: try reader.patients().map { ($0.id, $0.displayName) })
        let title = task.flatMap { task in
          lookup.histories.first { $0.reference?.task == task }?.current(at: now)?.title
        }
        return (entries, zone, names, title)
      }
      let outputs = entries.map { AdherenceOutput($0, task: task, in: zone) }
      guard !json else { return try outputs.forEach { try Console.json($0) } }
      guard !outputs.isEmpty else { return Console.out("There is nothing to show in this span.") }
      if let title, let task { Console.out("\(title) [\(task)]") }
      var table = TextTable(["person", by.rawValue, "done"])
      for entry in outputs {
        table.add([names[entry.patient] ?? entry.patient, entry.date, entry.text])
      }
      table.lines.forEach(Console.out)
    }
  }
}

/// The period of an output line, on the command line.
enum PeriodArgument: String, ExpressibleByArgument, CaseIterable {
  case day, week, month

  /// The period.
  var period: Adherence.Period {
    switch self {
    case .day: .day
    case .week: .week
    case .month: .month
    }
  }

  /// The beginning of the usual number of periods that end at `date`.
  func start(before date: Date, in timeZone: TimeZone) -> Date {
    let count =
      switch self {
      case .day: 7
      case .week: 8
      case .month: 12
      }
    return (0..<count).reduce(date) { end, _ in
      period.span(around: end - 1, in: timeZone).lowerBound
    }
  }
}

extension AdherenceOutput {
  /// For people.
  var text: String {
    guard let fraction else { return status == "noTasks" ? "no tasks yet" : "nothing due" }
    return "\(fraction.wholePercent) %"
  }
}
