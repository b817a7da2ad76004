import Care
import CareStore
import Foundation
import TestSupport
import Testing

@testable import Agenda

/// Random plans, looked at at random times, also backwards.
@Suite struct RandomAgendaTests {
  private static let zones = ["Africa/Casablanca", "Europe/Berlin", "America/Sao_Paulo", "GMT"]

  private static func task(_ id: String, _ generator: inout SeededGenerator) throws -> PlannedTask {
    func pick<T>(_ values: [T]) -> T { values[Int(generator.next() % UInt64(values.count))] }
    let zone = try #require(TimeZone(identifier: pick(zones)))
    let begin = time("2026-03-20T00:00:00Z")
    let length: EventDuration = pick([.allDay, .seconds(0), .seconds(1_800), .seconds(100_000)])
    let element = try ScheduleElement(
      start: begin + Double(pick([0, 3_600, 30_000, 90_000])),
      interval: pick([Interval(days: 1), Interval(hours: 7), Interval(days: 2)]),
      duration: length, timeZone: zone)
    return PlannedTask(
      id: id, patient: "john", title: id, schedule: try Schedule([element]),
      reminder: pick([nil, -86_400, -900, 0, 1_200, 30_000]).map(Reminder.init),
      fallback: pick([nil, 60, 3_600, 40_000]).map(Fallback.init))
  }

  @Test(
    arguments: Rounds.seeds(25, from: 1))
  func `each is recorded once, while it is of use, and none is missed`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let begin = time("2026-03-20T00:00:00Z")
    let plan = PlanDocument(
      timeZone: .gmt, patients: [Patient(id: "john")],
      tasks: try (0..<4).map { try Self.task("t\($0)", &generator) })
    _ = try await store.write { try $0.importPlan(plan, now: begin - 86_400) }
    var now = begin - 3_600
    var recorded: Set<Firing.Key> = []
    for _ in 0..<60 {
      let date = now
      let events = try await store.read {
        try $0.events(
          EventQuery(patient: "john", from: begin - 86_400, to: date + 9 * 86_400))
      }
      let due = Set(
        events.flatMap { event -> [Firing.Key] in
          var keys: [Firing.Key] = []
          if event.outcome == nil {
            if event.reminderSpan?.contains(date) == true {
              keys.append(.init(.reminder, event.key))
            }
            if event.fallbackSpan?.contains(date) == true {
              keys.append(.init(.fallback, event.key))
            }
          }
          return keys
        })
      let fired = try await store.write { try Agenda.run($0, now: date) }
      #expect(Set(fired.map(\.firing.key)) == due.subtracting(recorded))
      #expect(fired.count == due.subtracting(recorded).count)
      #expect(fired.allSatisfy { $0.firing.due <= date && $0.firing.date == date })
      recorded.formUnion(due)
      let wake = try await store.read { try Agenda.look($0, now: date).wakeAt }
      let coming = events.filter { $0.outcome == nil }
        .flatMap { [$0.reminderSpan, $0.fallbackSpan].compactMap(\.self) }
        .filter { !$0.isEmpty && $0.lowerBound > date }.map(\.lowerBound).min()
      #expect(wake == min(coming ?? .distantFuture, date + 86_400))
      // A person answers something, now and then.
      if let event = events.filter({ $0.occurrence.start <= date }).randomElement(
        using: &generator),
        generator.next() % 3 == 0
      {
        _ = try? await store.write {
          try $0.setOutcome(
            [], answer: Answer(state: .notDone), of: event.reference, now: date)
        }
      }
      switch generator.next() % 8 {
      case 0: now -= Double(generator.next() % 20_000)
      case 1...3: now = wake
      default: now += Double(generator.next() % 30_000)
      }
    }
    let all = try await store.read { try $0.firings(FiringQuery()) }
    #expect(Set(all.map(\.firing.key)) == recorded)
    #expect(all.count == recorded.count)
  }
}
