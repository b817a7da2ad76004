import ArgumentParser
import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Plans
import Radio
import Traces

/// `measured demo`.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Replays a synthetic patient's week; needs no hardware.",
    discussion: """
      Synthetic scale advertisements, heart-rate notifications and the acceleration of walks and \
      knee bends are decoded by the real device definitions, measured, stored, and complete the \
      tasks of a plan. None of the data was measured on a person. On a terminal the week's page is \
      then served on this machine until Ctrl-C.

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

  @Option(help: "The port of the page, or address and port. Default: a free port.")
  var page: PageAddress?

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
          "A synthetic patient's week. The data is synthetic: none of it was measured on a person.")
        Console.out("")
      }
      let replay = ReplayRun(
        store: database, plan: plan, patient: nil, catalog: try DeviceCatalog.load(catalog),
        reporter: ReplayReporter(timeZone: plan.timeZone, isJSON: json, isBrief: true))
      let summary = try await replay.run(TraceRadio([week.trace]), totalBytes: nil)
      replay.reporter.print(summary)
      guard !json else { return try await serveWeek(of: database) }
      let events = try await database.read { reader in
        try reader.events(patient: nil, task: nil, from: start, to: start + 7 * 86_400)
      }
      Console.out("")
      let table = WeekTable(
        events: events, start: start, timeZone: plan.timeZone, now: start + 7 * 86_400)
      (table.lines + ["", table.legend]).forEach(Console.out)
      Console.out("")
      Console.out(
        "Synthetic data. This is not a medical device: it measures, it does not diagnose.")
      try await serveWeek(of: database)
    }
  }

  private func serveWeek(of store: SQLStore) async throws {
    guard serve ?? (Console.isOutputTerminal && !json) else { return }
    if !json { Console.out("") }
    try await PageServing(store: store, address: page ?? .free).untilInterrupted()
  }
}

// MARK: - The plan

/// The synthetic patient's care plan.
enum DemoPlan {
  /// The plan as the text of a plan file.
  static let text = """
    timeZone: Europe/Berlin
    patients:
      - {id: alex, name: {given: Alex, family: Example}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in
        patient: alex
        title: Weigh yourself
        instructions: Before breakfast, without shoes.
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: knee
        patient: alex
        title: Bend the left knee
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
      - id: walk
        patient: alex
        title: Walk 900 steps
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay, targets: [{value: 900, unit: count}]}
        linkage: {quantity: stepCount, type: cumulative, unit: count}
      - id: pulse
        patient: alex
        title: Heart rate on the walk
        schedule:
          - {start: 2026-11-02T17:00, interval: {days: 1}, duration: 2h}
        linkage: {quantity: heartRate, type: discrete, unit: bpm}
        optional: true
    devices:
      - {address: "\(strap)", definition: polar-h10, patient: alex}
      - {address: "\(shank)", definition: witmotion-bwt901ble, patient: alex, placement: {joint: knee, side: left, segment: shank}}
    """

  /// The chest strap's address.
  static let strap = "A0:9E:1A:00:00:02"
  /// The shank sensor's address.
  static let shank = "D2:4F:71:00:00:03"
}

// MARK: - The recording

/// The synthetic patient's week, one day at a time.
struct DemoWeek: Sendable {
  /// The patient's time zone.
  var timeZone: TimeZone
  /// The first day's midnight.
  var start: Date

  /// What the patient does on one day.
  struct Day: Sendable {
    /// The weight in units of 5 g; `nil` on a day without weighing.
    var weight: Int?
    /// How far the knee bends, in thousandths of a degree; `nil` on a day without the exercise.
    var bend: Int?
    /// Seconds of walking; 0 on a day without a walk.
    var walk: Int
  }

  /// Seven days with a missed weighing, a knee that gains range, and walks of different lengths.
  static let days = [
    Day(weight: 16_430, bend: 78_000, walk: 540), Day(weight: 16_402, bend: 84_000, walk: 560),
    Day(weight: 16_446, bend: 92_000, walk: 300), Day(weight: 16_384, bend: 95_000, walk: 520),
    Day(weight: nil, bend: 97_000, walk: 600), Day(weight: 16_376, bend: nil, walk: 0),
    Day(weight: 16_352, bend: 104_000, walk: 640),
  ]

  /// The recording of the week; each day is made when the replay reaches it.
  var trace: SyntheticTrace {
    SyntheticTrace(Self.days.indices.map { index in { events(of: index) } })
  }

  private func events(of index: Int) -> [TimedEvent] {
    let sensors = SyntheticSensors(timeZone: timeZone)
    let day = Self.days[index]
    var events: [TimedEvent] = []
    if let weight = day.weight {
      events += sensors.weighIn(
        at: time(index, 7, 5 + index), steps5g: weight, impedance: 498 + index)
    }
    if index == 3 {
      // A visitor's weight, far from the patient's: it stays unassigned.
      events += sensors.weighIn(at: time(index, 8, 10), steps5g: 11_840, impedance: nil)
    }
    if let bend = day.bend {
      events += sensors.kneeBends(at: time(index, 9, 12), range: bend, repetitions: 3)
    }
    if day.walk > 0 {
      events += sensors.walk(
        at: time(index, 17, 20), seconds: day.walk, cadence: 104 + index, heartRate: 96 + index)
    }
    return events
  }

  private func time(_ day: Int, _ hour: Int, _ minute: Int) -> Date {
    start.addingTimeInterval(Double(day * 86_400 + hour * 3600 + minute * 60))
  }
}
