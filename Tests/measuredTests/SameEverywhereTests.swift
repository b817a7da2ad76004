import Care
import Foundation
import Radio
import Testing
import Traces

/// One recording gives the same in every store: nothing random decides order, identity or text.
@Suite struct SameEverywhereTests {
  private static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// A plan with a weighing, steps, a range of motion and a six-minute walk.
  private static func plan(walkTitle: String = "Six-minute walk", more: String = "") -> String {
    """
    timeZone: Europe/Berlin
    patients:
      - {id: alex, name: {given: Alex, family: Example}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in
        patient: alex
        title: Weigh yourself
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
    \(more)
      - id: steps
        patient: alex
        title: Walk 300 steps
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay, targets: [{value: 300, unit: count}]}
        linkage: {quantity: stepCount, type: cumulative, unit: count}
      - id: knee
        patient: alex
        title: Bend the left knee
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
      - id: six-minutes
        patient: alex
        title: \(walkTitle)
        effectiveDate: 2026-11-01
        schedule:
          - {start: 2026-11-02T17:00, interval: {days: 1}, duration: 2h}
        activeTask: {type: sixMinuteWalk, stepLength: 60 cm}
      - id: ten-metres
        patient: alex
        title: Ten metres
        schedule:
          - {start: 2026-11-02T17:00, interval: {days: 1}, duration: 2h}
        activeTask: {type: timedWalk, distance: 10 m}
    devices:
      - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: alex, placement: {segment: trunk}}
      - {address: "D2:4F:71:00:00:03", definition: witmotion-bwt901ble, patient: alex, placement: {joint: knee, side: left, segment: shank}}
    """
  }

  /// A task that comes before the others in the plan, and measures the same walk.
  private static let twentyMetres = """
      - id: twenty-metres
        patient: alex
        title: Twenty metres
        effectiveDate: 2026-11-01
        schedule:
          - {start: 2026-11-02T17:00, interval: {days: 1}, duration: 2h}
        activeTask: {type: timedWalk, distance: 20 m}
    """

  /// The day's recording as a trace file.
  private static func trace() throws -> String {
    guard let day = Date("2026-11-02", in: zone) else { return "" }
    let sensors = SyntheticSensors(timeZone: zone)
    let events =
      sensors.weighIn(at: day + 7 * 3600, steps5g: 16_430, impedance: 498)
      + sensors.kneeBends(at: day + 9.2 * 3600, range: 92_000, repetitions: 3)
      + sensors.walk(at: day + 17.3 * 3600, seconds: 364, cadence: 106, heartRate: 96)
    let writer = RadioTraceWriter(start: day)
    var text = String(decoding: try writer.header(adapter: nil, timeZone: zone), as: UTF8.self)
    for event in events { text += String(decoding: try writer.line(event), as: UTF8.self) }
    return text
  }

  /// What people and scripts see of a store.
  private struct View: Equatable {
    var replay: String
    var today: String
    var events: String
    var samples: String
    /// The export without the store's random name and the digest, which contains it.
    var export: [String]

    init(_ replay: MeasuredProcess.Result, store: String) throws {
      func show(_ arguments: [String]) throws -> String {
        try MeasuredProcess.run(arguments, environment: ["MEASURED_STORE": store]).output
      }
      self.replay = replay.output
      today = try show(["today", "--date", "2026-11-02"])
      events = try show(["events", "--from", "2026-11-01", "--to", "2026-11-04", "--json"])
      samples = try show(["samples", "--json"])
      export = try show(["store", "export"]).split(separator: "\n").map(String.init)
        .filter { !$0.contains(#""kind":"end""#) }
        .map { line in
          guard
            let name = line.range(of: #""writer":"[0-9A-F-]{36}""#, options: .regularExpression)
              ?? line.range(
                of: #""kind":"writer","uuid":"[0-9A-F-]{36}""#, options: .regularExpression)
          else { return line }
          return line.replacingCharacters(in: name, with: "writer")
        }
    }
  }

  @Test func tenFreshStoresAreTheSame() throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan(), to: "plan.yaml")
    let trace = try folder.write(try Self.trace(), to: "day.jsonl")
    let views = try (0..<10).map { index in
      let store = folder.path("\(index).sqlite")
      return try View(
        MeasuredProcess.run(["replay", trace, "--plan", plan, "--store", store, "--json"]),
        store: store)
    }
    let first = try #require(views.first)
    #expect(first.samples.contains("sixMinuteWalkSteps"))
    #expect(first.samples.contains("walkingSpeed"))
    #expect(first.samples.contains("rangeOfMotion"))
    #expect(first.samples.contains("bodyMass") && first.samples.contains("stepCount"))
    #expect(first.export.contains { $0.contains(#""kind":"outcome""#) })
    for view in views.dropFirst() { #expect(view == first) }
  }

  /// The title of a performed task is corrected, and a further task measures the same walk.
  @Test func aReplayAfterAnEditOfThePlanChangesNothing() throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan(), to: "plan.yaml")
    let edited = try folder.write(
      Self.plan(walkTitle: "Walk for six minutes", more: Self.twentyMetres), to: "edited.yaml")
    let trace = try folder.write(try Self.trace(), to: "day.jsonl")
    let store = folder.path("s.sqlite")
    let replayed = try MeasuredProcess.run(
      ["replay", trace, "--plan", plan, "--store", store, "--json"])
    #expect(replayed.status == 0)
    let samples = try MeasuredProcess.run(["samples", "--store", store, "--json"])

    #expect(try MeasuredProcess.run(["plan", "import", edited, "--store", store]).status == 0)
    let again = try MeasuredProcess.run(["replay", trace, "--store", store, "--json"])
    #expect(again.status == 0)
    // The further task's own figure alone is new.
    let new = again.objects.filter { ["reading", "unassigned"].contains($0["type"] as? String) }
    #expect(new.map { $0["quantity"] as? String } == ["walkingSpeed"])
    let after = try MeasuredProcess.run(["samples", "--store", store, "--json"])
    #expect(Set(samples.lines).isSubset(of: after.lines))
    #expect(after.lines.count == samples.lines.count + 1)
    let third = try MeasuredProcess.run(["replay", trace, "--store", store])
    #expect(third.output.contains("Nothing changed"))
  }
}
