import Care
import CareStore
import Foundation
import Measurement
import Motion

/// Counts the steps of a motion file (CSV, `t,x,y,z` in s and g) and stores them as the outcome of
/// today's walk.
@main
struct StepsToOutcome {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: StepsToOutcome FILE")
      return
    }
    let steps = try countSteps(inFile: CommandLine.arguments[1])
    let event = try await store(steps: steps, now: Date())
    let goal = event.progress.goal.map { " of \(Int($0))" } ?? ""
    print("\(event.task.title): \(steps)\(goal) steps, completed: \(event.progress.isCompleted)")
  }

  /// The steps in a file, counted sample by sample.
  static func countSteps(inFile path: String) throws -> Int {
    var counter = StepCounter()
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
    for row in rows {
      let fields = row.split(separator: ",").compactMap { Double($0) }
      guard fields.count >= 4, let force = Vector3(g: fields[1], fields[2], fields[3]) else {
        continue
      }
      _ = counter.add(MotionSample(time: Int64(fields[0] * 1_000_000), acceleration: force))
    }
    _ = counter.finish()
    return counter.total
  }

  /// Stores the steps as the outcome of a task that is due all day.
  ///
  /// The store is in memory here; `SQLStore.open(path:makeUUID:)` opens a file.
  static func store(steps: Int, now: Date) async throws -> Event {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let target = TargetValue(value: .integer(100), unit: .one)
    let walk = PlannedTask(
      id: "walk", patient: "alex", title: "Walk 100 steps",
      schedule: try .daily(
        hour: 0, start: now, duration: .allDay, targets: [target], timeZone: .current))
    let plan = PlanDocument(timeZone: .current, patients: [Patient(id: "alex")], tasks: [walk])
    return try await store.write { writer in
      _ = try writer.importPlan(plan, now: now)
      let events = try writer.events(patient: "alex", task: "walk", from: now, to: now + 1)
      guard let event = events.first else { throw NothingDue() }
      let value = OutcomeValue(
        value: .integer(Int64(steps)), unit: .one, time: now, provenance: .passive)
      return try writer.setOutcome([value], of: event, now: now)
    }
  }
}

/// The plan has no event at this time.
struct NothingDue: Error {}
