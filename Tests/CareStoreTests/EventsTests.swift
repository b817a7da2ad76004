import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// The acceptance cases of events and versions, asked of a store.
@Suite("SQLStore, events")
struct EventsTests {
  private func events(
    _ store: SQLStore, from: Date, to: Date, task: String? = nil
  ) async throws -> [Event] {
    try await store.read { try $0.events(patient: "john", task: task, from: from, to: to) }
  }

  /// Imports versions of one task, each in a plan of its own, long before they begin.
  private func store(_ versions: PlannedTask...) async throws -> SQLStore {
    let store = try SQLStore.example()
    try await store.write { writer in
      for version in versions { _ = try writer.importPlan(.example(version), now: day(-30)) }
    }
    return store
  }

  @Test("34: three events of the version that ends, then three of the next")
  func endedVersion() async throws {
    let store = try await store(
      try .daily(start: day(-10), end: day(0), effectiveDate: day(-10)),
      try .daily(end: day(3), effectiveDate: day(0)))
    let events = try await events(store, from: day(-3), to: day(3))
    #expect(events.map(\.version) == [1, 1, 1, 2, 2, 2])
    #expect(events.map(\.occurrence.index) == [7, 8, 9, 0, 1, 2])
    #expect(events.map(\.occurrence.start) == (-3..<3).map { day($0, hour: 12) })
  }

  @Test("35: an open version gives way to the next one")
  func openVersion() async throws {
    let store = try await store(
      try .daily(start: day(-3), effectiveDate: day(-3)), try .daily(effectiveDate: day(0)))
    let events = try await events(store, from: day(-1), to: day(3))
    #expect(events.map(\.version) == [1, 2, 2, 2])
    #expect(events.map(\.occurrence.index) == [2, 0, 1, 2])
  }

  @Test("36: an outcome is found with its own occurrence")
  func join() async throws {
    let store = try await store(try .daily(start: day(-3), effectiveDate: day(-3)))
    let all = try await events(store, from: day(-3), to: day(3))
    let third = try #require(all.first { $0.occurrence.index == 3 })
    _ = try await store.write {
      try $0.setOutcome([.typed(1)], of: third.reference, now: day(1))
    }
    let events = try await events(store, from: day(-1), to: day(3))
    #expect(events.map(\.occurrence.index) == [2, 3, 4, 5])
    #expect(events.map { $0.outcome?.values } == [nil, [.typed(1)], nil, nil])
  }

  @Test("A past event keeps its version's title and outcome when the plan changes")
  func history() async throws {
    let store = try await store(try .daily(effectiveDate: day(0)))
    let first = try await events(store, from: day(0), to: day(1))
    _ = try await store.write { writer in
      _ = try writer.setOutcome([.typed(1)], of: first[0].reference, now: day(0))
      return try writer.importPlan(.example(try .daily(title: "Stroll")), now: day(1))
    }
    let both = try await events(store, from: day(0), to: day(2))
    #expect(both.map(\.task.title) == ["Walk", "Stroll"])
    #expect(both.map { $0.outcome?.values } == [[.typed(1)], nil])
  }

  @Test("Events are narrowed by patient and by task")
  func narrowed() async throws {
    let store = try SQLStore.example()
    _ = try await store.write {
      try $0.importPlan(.example(try .daily(), try .daily("weigh")), now: midnight)
    }
    let to = day(1)
    let both = try await events(store, from: midnight, to: to)
    #expect(both.map(\.task.id) == ["walk", "weigh"])
    let one = try await events(store, from: midnight, to: to, task: "weigh")
    #expect(one.map(\.task.id) == ["weigh"])
    #expect(try await events(store, from: midnight, to: to, task: "none") == [])
    let nobody = try await store.read {
      try $0.events(patient: "jane", task: nil, from: midnight, to: to)
    }
    #expect(nobody == [])
    let anyone = try await store.read {
      try $0.events(patient: nil, task: nil, from: midnight, to: to)
    }
    #expect(anyone == both)
  }

  @Test("A span with too many events is refused, not answered in part")
  func tooMany() async throws {
    var task = try PlannedTask.daily()
    task.schedule = try Schedule([
      ScheduleElement(start: midnight, interval: Interval(seconds: 1), timeZone: losAngeles)
    ])
    let store = try await store(task)
    await #expect(
      throws: StoreError.refused(.schedule(.tooManyOccurrences(limit: 1_000_000)))
    ) { try await events(store, from: midnight, to: day(30)) }
  }
}
