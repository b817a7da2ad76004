import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import TestSupport
import Testing

@testable import Commands
@testable import Terminal

/// The command that a day prints for an open event answers that event and no other.
@Suite struct PrintedCommandTests {
  private let zone = TimeZone(identifier: "Europe/Warsaw") ?? .gmt

  private func date(_ text: String) throws -> Date { try #require(Date(text, in: zone)) }

  private func plan(_ tasks: [PlannedTask]) -> PlanDocument {
    PlanDocument(
      timeZone: zone,
      patients: ["anna", "bob"].map { Patient(id: $0, name: PersonName(given: $0)) }, tasks: tasks)
  }

  private func night(_ start: String, _ duration: Double) throws -> PlannedTask {
    PlannedTask(
      id: "night", patient: "anna", title: "Night pill",
      schedule: try Schedule([
        try ScheduleElement(
          start: try date(start), interval: Interval(days: 1),
          duration: .seconds(duration), timeZone: zone)
      ]))
  }

  /// The lines of a day, and the start of the event that each of its commands answers.
  private func answered(
    _ reader: any StoreReader, day: Date, now: Date, _ parsed: inout [[String]: DoneCommand]
  ) throws -> (lines: [String], commands: [(event: Event, command: String, answered: Event)]) {
    let shown = try CareDay(reader, patient: nil, on: day, in: zone, now: now)
    let text = DayText(
      timeZone: zone, now: now, tasks: try reader.histories(patient: nil),
      units: try reader.preferredUnits())
    let lines = shown.lines(text)
    var commands: [(Event, String, Event)] = []
    for patient in shown.patients {
      let own = shown.events.filter { $0.task.patient == patient.id }
      for (event, command) in text.commands(for: own, on: shown.start..<shown.end) {
        guard let command else { continue }
        #expect(lines.contains { $0.hasSuffix("→ " + command) })
        let words = command.split(separator: " ").dropFirst(2).map {
          $0 == "…" ? "5" : String($0)
        }
        // Reading a command is what takes the time here: the same words are read once.
        let done = try parsed[words] ?? #require(DoneCommand.parseAsRoot(words) as? DoneCommand)
        parsed[words] = done
        let meant = try done.answer.day(reader, now: now).eventToAnswer(
          done.answer.place, isAddition: true)
        commands.append((event, command, meant))
      }
    }
    return (lines, commands)
  }

  @Test(arguments: [
    ("2024-07-01T23:30", 3_600.0, "2024-07-08T00:10"),
    ("2024-07-01T20:00", 43_200, "2024-07-08T07:30"),
  ])
  func `a dose over midnight is the one that its line names`(
    start: String, duration: Double, now: String
  ) async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = plan([try night(start, duration)])
    let (made, now) = (try date("2024-07-01"), try date(now))
    _ = try await store.write { try $0.importPlan(plan, now: made) }
    try await store.write { writer in
      var parsed: [[String]: DoneCommand] = [:]
      let (lines, commands) = try answered(writer, day: now, now: now, &parsed)
      let clock = String(start.suffix(5))
      #expect(lines.contains("  ○ 2024-07-07 \(clock) Night pill  [night]"), "\(lines)")
      #expect(
        commands.map(\.command) == [
          "measured done night --date 2024-07-07", "measured done night --occurrence 7",
        ])
      for (event, _, answered) in commands { #expect(event.id == answered.id) }
      // Without a number, what is running is meant before what is yet to come.
      let done = try #require(try DoneCommand.parseAsRoot(["night"]) as? DoneCommand)
      let usual = try done.answer.day(writer, now: now).eventToAnswer(nil)
      #expect(usual.id == commands.first?.event.id)
    }
  }

  @Test(arguments: Rounds.seeds(100))
  func `a printed command answers the event of its line`(seed: UInt64) async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let first = try date("2024-03-20")
    try await store.write { writer in
      var random = SeededGenerator(seed: seed)
      var parsed: [[String]: DoneCommand] = [:]
      _ = try writer.importPlan(plan(try tasks(&random, from: first)), now: first)
      // A change counts the occurrences anew.
      let changed = first + Double(Int.random(in: 2...10, using: &random)) * 86_400
      let next = plan(try tasks(&random, from: first))
      _ = try writer.importPlan(
        next, options: PlanImportOptions(dropsOutcomes: true), now: changed)
      for _ in 0..<20 {
        let now = changed + Double(Int.random(in: 0..<14 * 1_440, using: &random)) * 60
        let back = Double([0, 0, 0, 1, 2, 5].randomElement(using: &random) ?? 0)
        let (_, commands) = try answered(writer, day: now - back * 86_400, now: now, &parsed)
        for (event, command, answered) in commands {
          #expect(event.id == answered.id, "\(command) at \(now.rfc3339(in: zone))")
        }
        if let some = commands.randomElement(using: &random) {
          _ = try AnswerEvent(
            some.answered, some.event.task.planned.needsAmount ? [EnteredValue(text: "5")] : []
          ).perform(in: writer, by: .owner, now: now)
        }
      }
    }
  }

  private func tasks(_ random: inout SeededGenerator, from first: Date) throws -> [PlannedTask] {
    var tasks: [PlannedTask] = []
    for (patient, id) in [("anna", "a"), ("anna", "b"), ("anna", "c"), ("bob", "a")] {
      var elements: [ScheduleElement] = []
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let interval =
          [Interval(days: 1), Interval(days: 2), Interval(hours: 8), Interval(weeks: 1)]
          .randomElement(using: &random) ?? Interval(days: 1)
        let lengths: [Double] = [0, 0.5, 1, 6, 12, 24, 30, 48, 168]
        let hours = lengths.randomElement(using: &random) ?? 1
        let isAllDay = Int.random(in: 0..<5, using: &random) == 0
        let start = isAllDay ? 0 : Double(Int.random(in: 0..<48, using: &random)) / 2
        elements.append(
          try ScheduleElement(
            start: first + start * 3_600, interval: interval,
            duration: isAllDay ? .allDay : .seconds(hours * 3_600), timeZone: zone,
            selection: selection(&random, from: first)))
      }
      var task = PlannedTask(
        id: id, patient: patient, title: id.uppercased(), schedule: try Schedule(elements))
      task.progressStrategy = [nil, nil, .sum].randomElement(using: &random) ?? nil
      tasks.append(task)
    }
    return tasks
  }

  /// Every day, the days of a cycle, or days with a gap.
  private func selection(_ random: inout SeededGenerator, from first: Date) -> StepSelection {
    let day = Int.random(in: 0...20, using: &random)
    let pause = CalendarDate(first + Double(day) * 86_400, in: zone)
    return [
      StepSelection(), StepSelection(except: [pause]),
      StepSelection(cycle: StepSelection.Cycle(on: 1 + day % 3, off: 1 + day % 2)),
      StepSelection(pauses: [StepSelection.Pause(from: pause, to: pause.adding(days: 3))]),
    ].randomElement(using: &random) ?? StepSelection()
  }
}
