import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// Events whose outcome is computed from samples.
@Suite("SQLStore, linked events")
struct LinkedEventsTests {
  /// A store with an all-day weight task from ``midnight``.
  private func store(_ samples: Sample...) async throws -> SQLStore {
    let task = PlannedTask(
      id: "weigh-in", patient: "john", title: "Weigh yourself",
      schedule: try Schedule([
        ScheduleElement(
          start: midnight, interval: Interval(days: 1), duration: .allDay, timeZone: losAngeles)
      ]),
      linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: Quantity.bodyMass.unit))
    let store = try SQLStore.example()
    try await store.write { writer in
      _ = try writer.importPlan(.example(task), now: midnight)
      for sample in samples { _ = try writer.insert(sample) }
    }
    return store
  }

  private func days(_ store: SQLStore) async throws -> [Event] {
    try await store.read {
      try $0.events(patient: "john", task: "weigh-in", from: day(0), to: day(2))
    }
  }

  private func measured(_ kilograms: Double, at time: Date) -> OutcomeValue {
    OutcomeValue(
      value: .double(kilograms), unit: Quantity.bodyMass.unit, time: time, provenance: .passive)
  }

  @Test("92: a weight completes the day it was measured on, the next midnight's the next day")
  func completes() async throws {
    let morning = day(0, hour: 7, minute: 10)
    let store = try await store(
      .weight(72.4, at: morning), .weight(72.4, at: morning),
      .weight(72.6, identity: "scale|2", at: day(1)))
    let events = try await days(store)
    #expect(
      events.map { $0.outcome?.values }
        == [[measured(72.4, at: morning)], [measured(72.6, at: day(1))]])
    #expect(Set(events.compactMap { $0.outcome?.uuid }).count == 2)
    #expect(try await days(store) == events)
  }

  @Test("A deleted sample takes its completion back, an assigned one gives it")
  func deletedAndAssigned() async throws {
    let store = try await store(
      .weight(72.4), .weight(61, identity: "tray", patient: nil, at: day(1)))
    _ = try await store.write { writer in
      _ = try writer.deleteSample(Sample.weight().identity, now: day(1))
      return try writer.assign(SampleIdentity(rawValue: "tray"), to: "john", now: day(1))
    }
    #expect(
      try await days(store).map { $0.outcome?.values } == [nil, [measured(61, at: day(1))]])
  }

  @Test("What a person typed in stands against samples, until it is deleted")
  func manualStands() async throws {
    let store = try await store(.weight(72.4))
    let reference = try await days(store)[0].reference
    let set = try await store.write {
      try $0.setOutcome([.typed(71)], of: reference, now: day(0))
    }
    #expect(set.outcome?.values == [.typed(71)])
    #expect(try await days(store)[0] == set)
    let after = try await store.write { try $0.deleteOutcome(of: reference, now: day(0)) }
    #expect(after.outcome?.values == [measured(72.4, at: midnight)])
    await #expect(
      throws: StoreError.refused(.computedOutcome(task: "weigh-in", occurrence: 0))
    ) { try await store.write { try $0.deleteOutcome(of: reference, now: day(0)) } }
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.addOutcomes([(reference, [.typed(1)])], now: day(0)) }
    }
  }

  @Test("Another person's sample, and nobody's, complete nothing")
  func otherPeople() async throws {
    let store = try await store(.weight(patient: "jane"), .weight(identity: "b", patient: nil))
    #expect(try await days(store).map(\.outcome) == [nil, nil])
  }
}
