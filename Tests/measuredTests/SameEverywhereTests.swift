import Care
import Foundation
import Radio
import TestSupport
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

  /// The view of people and scripts on a store.
  private struct View: Equatable {
    var replay: String
    var today: String
    var events: String
    var samples: String
    /// The export without the store's random name and the digest, which contains it.
    var export: [String]

    /// Replays a trace into a new store, and looks at it; with `isOwnProcess` each command has a
    /// process of its own, with another seed of the hashes that order dictionaries and sets.
    init(
      of trace: String, _ plan: String, store: String, isOwnProcess: Bool
    ) async throws {
      func show(_ arguments: [String]) async throws -> String {
        let environment = ["MEASURED_STORE": store]
        return isOwnProcess
          ? try await onThread { try MeasuredProcess.run(arguments, environment: environment) }
            .output
          : await InProcess.run(arguments, environment: environment).output
      }
      replay = try await show(["replay", trace, "--plan", plan, "--store", store, "--json"])
      today = try await show(["today", "--date", "2026-11-02"])
      events = try await show(["events", "--from", "2026-11-01", "--to", "2026-11-04", "--json"])
      samples = try await show(["samples", "--json"])
      export = try await show(["store", "export"]).split(separator: "\n").map(String.init)
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

  /// One store by this process, the others by processes of their own.
  @Test func `fresh stores are the same`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan(), to: "plan.yaml")
    let trace = try folder.write(try Self.trace(), to: "day.jsonl")
    let first = try await View(
      of: trace, plan, store: folder.path("0.sqlite"), isOwnProcess: false)
    #expect(first.samples.contains("sixMinuteWalkSteps"))
    #expect(first.samples.contains("walkingSpeed"))
    #expect(first.samples.contains("rangeOfMotion"))
    #expect(first.samples.contains("bodyMass") && first.samples.contains("stepCount"))
    #expect(first.export.contains { $0.contains(#""kind":"outcome""#) })
    for index in 1...max(2, Rounds.count(9)) {
      let store = folder.path("\(index).sqlite")
      let other = try await View(of: trace, plan, store: store, isOwnProcess: true)
      #expect(other == first)
    }
  }

  /// The title of a performed task is corrected, and a further task measures the same walk.
  @Test func `a replay after an edit of the plan changes nothing`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan(), to: "plan.yaml")
    let edited = try folder.write(
      Self.plan(walkTitle: "Walk for six minutes", more: Self.twentyMetres), to: "edited.yaml")
    let trace = try folder.write(try Self.trace(), to: "day.jsonl")
    let store = folder.path("s.sqlite")
    let replayed = await InProcess.run(
      ["replay", trace, "--plan", plan, "--store", store, "--json"])
    #expect(replayed.status == 0)
    let samples = await InProcess.run(["samples", "--store", store, "--json"])

    #expect(await InProcess.run(["plan", "import", edited, "--store", store]).status == 0)
    let again = await InProcess.run(["replay", trace, "--store", store, "--json"])
    #expect(again.status == 0)
    // The further task's own figure alone is new.
    let new = again.objects.filter { ["reading", "unassigned"].contains($0["type"] as? String) }
    #expect(new.map { $0["quantity"] as? String } == ["walkingSpeed"])
    let after = await InProcess.run(["samples", "--store", store, "--json"])
    #expect(Set(samples.lines).isSubset(of: after.lines))
    #expect(after.lines.count == samples.lines.count + 1)
    let third = await InProcess.run(["replay", trace, "--store", store])
    #expect(third.output.contains("Nothing changed"))
  }
}
