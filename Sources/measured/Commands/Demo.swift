import ArgumentParser
import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Plans
import Traces

/// `measured demo`.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays a made-up patient's week through the whole path; no hardware needed.",
    discussion: """
      Scale advertisements, heart-rate notifications, the acceleration of a walk and of a knee bend \
      are synthesised, read by the real device definitions, measured, stored, and complete the tasks \
      of a plan. Nothing was measured on anybody.

      Example:
        measured demo
        measured demo --store demo.sqlite    to look at the week afterwards
      """)

  @Option(help: "Keep the week in this store.")
  var store: String?

  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let plan = try PlanFile.parse(
        DemoPlan.text, file: "the demo's plan", activeTasks: AssessmentList.forms)
      let database =
        try store.map { try SQLStore.open(path: $0, makeUUID: { UUID() }) }
        ?? SQLStore.inMemory(makeUUID: { UUID() })
      guard let start = Date("2026-11-02", in: plan.timeZone) else { return }
      let week = DemoWeek(timeZone: plan.timeZone, start: start)
      if !json {
        Console.out(
          "A made-up patient's week. The data is synthetic: nothing was measured on anybody.")
        Console.out("")
      }
      let replay = ReplayRun(
        store: database, plan: plan, patient: nil, catalog: try DeviceCatalog.load(catalog),
        reporter: ReplayReporter(timeZone: plan.timeZone, isJSON: json, isBrief: true))
      let summary = try await replay.run(TraceRadio([week.trace]), totalBytes: nil)
      replay.reporter.print(summary)
      guard !json else { return }
      let events = try await database.read { reader in
        try reader.events(patient: nil, task: nil, from: start, to: start + 7 * 86_400)
      }
      Console.out("")
      WeekTable(events: events, start: start, timeZone: plan.timeZone).lines.forEach(Console.out)
      Console.out("")
      Console.out("Synthetic data. This is no medical device: it measures, it does not diagnose.")
    }
  }
}

/// A week of events: a row for each task, a column for each day.
struct WeekTable {
  var events: [Event]
  var start: Date
  var timeZone: TimeZone

  var lines: [String] {
    let dates = (0..<7).map { day in
      String(start.addingTimeInterval(Double(day) * 86_400).rfc3339(in: timeZone).prefix(10))
    }
    var table = TextTable(["task"] + dates.map { String($0.dropFirst(5)) })
    for task in events.map(\.task.id).uniqued() {
      let own = events.filter { $0.task.id == task }
      table.add(
        [own.first?.task.title ?? task]
          + dates.map { date in
            own.first { $0.occurrence.start.rfc3339(in: timeZone).hasPrefix(date) }
              .map(cell) ?? ""
          })
    }
    return table.lines
  }

  private func cell(_ event: Event) -> String {
    let mark = event.progress.isCompleted ? "✓" : "○"
    guard let values = event.outcome?.values, let first = values.first else { return mark }
    if event.task.linkage?.quantity == .heartRate {
      let rates = values.compactMap(\.value.number)
      let mean = rates.reduce(0, +) / Double(max(1, rates.count))
      return "\(mark) ⌀ \(Int(mean.rounded())) \(first.unit?.symbol ?? "")"
    }
    return "\(mark) \((first.value.number ?? 0).plainText) \(first.unit?.symbol ?? "")"
  }
}

extension Sequence where Element: Hashable {
  /// The elements without those that were there before.
  fileprivate func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
