import ArgumentParser
import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Localization
import Plans
import ServiceLifecycle
import Terminal
import Traces
import Web

/// `measured demo`.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Replays a synthetic patient's week; needs no hardware.",
    discussion: """
      Synthetic scale advertisements, heart-rate notifications and the acceleration of walks and \
      knee bends are decoded by the real device definitions, measured, stored, and complete the \
      tasks of a plan. None of the data was measured on a person. On a terminal the week's page is \
      then served on this machine until Ctrl-C; there, the knee can be measured with a synthetic sensor.

      Example:
        measured demo
        measured demo --store demo.sqlite    keeps the week for other commands
        measured demo --serve --page 8080    serves the page on this port
      """)

  @Option(help: "Store the week in this file.")
  var store: String?

  @OptionGroup var catalog: CatalogOptions

  @Flag(inversion: .prefixedNo, help: "Serve the week's page at the end. Default: on a terminal.")
  var serve: Bool?

  @Option(
    help: "The port of the page, or address and port. Default: a free port.",
    transform: PageAddress.init(entered:))
  var page: PageAddress?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      guard page?.requiresSignIn != true else {
        throw CommandFailure(.malformedArgument, "command.demo.ownMachine")
      }
      let plan = try PlanFile.parse(
        DemoPlan.text, file: "the demo's plan", activeTasks: AssessmentList.forms)
      let database =
        try store.map { try SQLStore.open(path: $0, makeUUID: { UUID() }) }
        ?? SQLStore.inMemory(makeUUID: { UUID() })
      guard let start = Date("2026-11-02", in: plan.timeZone) else { return }
      let week = DemoWeek(timeZone: plan.timeZone, start: start)
      let history = DemoHistory(timeZone: plan.timeZone, end: start)
      if !json {
        Console.out(LocalizedText("command.demo.begin").message)
        Console.out("")
      }
      let catalog = try DeviceCatalog.load(catalog)
      let quiet = ReplayReporter(timeZone: plan.timeZone, isJSON: json, isSilent: true)
      _ = try await ReplayRun(
        store: database, plan: plan, patient: nil, catalog: catalog, reporter: quiet
      ).run(TraceRadio([history.trace]), totalBytes: nil)
      let replay = ReplayRun(
        store: database, plan: plan, patient: nil, catalog: catalog,
        reporter: ReplayReporter(timeZone: plan.timeZone, isJSON: json, isBrief: true))
      let summary = try await replay.run(TraceRadio([week.trace]), totalBytes: nil)
      try replay.reporter.print(summary)
      // The evening of the last day.
      let evening = start + 6 * 86_400 + 18.6 * 3_600
      try await DemoAnswers(timeZone: plan.timeZone, start: start, now: evening)
        .record(in: database)
      guard !json else {
        return try await serveWeek(of: database, with: catalog, at: evening, in: plan.timeZone)
      }
      let events = try await database.read { reader in
        try reader.events(patient: nil, task: nil, from: start, to: start + 7 * 86_400)
      }
      Console.out("")
      let table = WeekTable(
        events: events, start: start, timeZone: plan.timeZone, now: evening)
      (table.lines + ["", table.legend]).forEach(Console.out)
      Console.out("")
      Console.out(LocalizedText("command.demo.end").message)
      try await serveWeek(of: database, with: catalog, at: evening, in: plan.timeZone)
    }
  }

  /// Serves the page as it was at the end of the week, whose clock then goes on, with a synthetic
  /// sensor for what is measured on the page.
  private func serveWeek(
    of store: SQLStore, with catalog: DeviceCatalog, at time: Date, in timeZone: TimeZone
  ) async throws {
    guard serve ?? (Console.isOutputTerminal && !json) else { return }
    if !json { Console.out("") }
    let offset = time.timeIntervalSinceNow
    let now: @Sendable () -> Date = { Date().addingTimeInterval(offset) }
    let desk = MeasuringDesk.live()
    let sensor = InterruptedService {
      // Without it the page goes on.
      _ = try? await cancelWhenGracefulShutdown {
        var hub = try await Hub(
          radio: DemoSensor(desk: desk, timeZone: timeZone, now: now), store: store,
          catalog: catalog, desk: desk
        ) { _ in }
        _ = try await hub.run()
      }
    }
    var environment = WebEnvironment(store: store, catalog: catalog, desk: desk, now: now)
    environment.isDemo = true
    try await PageServing(
      environment: environment,
      address: page ?? .free,
      // Only this machine reaches the page, so that no file is made.
      files: AccessFiles(store: self.store ?? "demo"), beside: { _, _ in [sensor] }
    ).untilInterrupted()
  }
}
