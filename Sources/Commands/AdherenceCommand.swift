import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured adherence`.
struct AdherenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adherence",
    abstract: "Shows how much of the plan was done, by day, week or month.",
    discussion: """
      One line for each person and day, week (from Monday) or month in the person's time zone. Due is \
      what is neither optional nor only to read nor skipped; done is its mean share: where values \
      add up, the part of the goal that is reached, elsewhere all of it with a value or the answer \
      done. Each event counts on the day on which it begins. --from is inclusive, --to exclusive; a \
      week or month counts whole. Without them: the last 7 days, 8 weeks or 12 months.

      Example:
        measured adherence --store week.sqlite --from 2026-11-01 --to 2026-11-08
        measured adherence --task pills --by month
      """)

  @OptionGroup var storage: StoreOptions

  @Option(help: "Only this task, by its id.", completion: .tasks)
  var task: String?

  @Option(help: "What a line covers: day, week or month.")
  var by = PeriodArgument.day

  @OptionGroup var span: OptionalSpanOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let now = Console.now
      let (outputs, names, title) = try await storage.openExisting().read { reader in
        let patient = try storage.patient(in: reader)
        let lookup = try TaskLookup(reader, patient: patient, now: now)
        if let task { try lookup.check(id: task) }
        // Each person's days are those of the person's zone.
        let people = try reader.patients().map(\.id).filter { patient == nil || $0 == patient }
        let outputs = try people.flatMap { person -> [AdherenceOutput] in
          let zone = try reader.zone(of: person, at: now)
          let ends = try span.ends(in: zone, now: now)
          let to = ends.to ?? by.period.span(around: now, in: zone).upperBound
          return try reader.adherence(
            by: by.period, patient: person, task: task,
            from: ends.from ?? by.start(before: to, in: zone), to: to, in: zone, now: now
          ).map { AdherenceOutput($0, task: task, in: zone) }
        }
        let names = Dictionary(
          uniqueKeysWithValues: try reader.patients().map { ($0.id, $0.displayName) })
        let title = task.flatMap { task in
          lookup.histories.first { $0.reference?.task == task }?.current(at: now)?.title
        }
        return (outputs, names, title)
      }
      guard !json else { return try outputs.forEach { try Console.json($0) } }
      guard !outputs.isEmpty else {
        return Console.out(LocalizedText("command.adherence.nothing").message)
      }
      if let title, let task { Console.out("\(title) [\(task)]") }
      Console.out(LocalizedText("command.adherence.definition").message)
      // The counts stand where they say more than the share.
      let hasCounts = outputs.contains { $0.performed != $0.reached || $0.excused > 0 }
      var table = TextTable(
        ["command.head.person", by.heading, "command.head.done"]
          + (hasCounts
            ? [
              "command.head.performed", "command.head.reached", "command.head.due",
              "command.head.skipped",
            ] : []))
      for entry in outputs {
        let counts = [entry.performed, entry.reached, entry.due, entry.excused].map(String.init)
        table.add(
          [names[entry.patient] ?? entry.patient, entry.date, entry.text]
            + (hasCounts ? counts : []))
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

  /// The name of the column of periods.
  var heading: LocalizedText {
    switch self {
    case .day: "command.head.day"
    case .week: "command.head.week"
    case .month: "command.head.month"
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
    let words = Console.language
    if due == 0, performed > 0 { return words.text("command.adherence.asNeeded") }
    guard let fraction else {
      return words.text(
        status == "noTasks" ? "command.adherence.noTasks" : "command.adherence.nothingDue")
    }
    return "\(fraction.wholePercent) %"
  }
}
