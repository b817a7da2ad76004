import Care
import CareStore
import Foundation
import Testing
import TestSupport

/// The acceptance cases of events and versions, in a store.
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

  @Test
  func `three events of the version that ends, then three of the next`() async throws {
    let store = try await store(
      try .daily(start: day(-10), end: day(0), effectiveDate: day(-10)),
      try .daily(end: day(3), effectiveDate: day(0)))
    let events = try await events(store, from: day(-3), to: day(3))
    #expect(events.map(\.version) == [1, 1, 1, 2, 2, 2])
    #expect(events.map(\.occurrence.index) == [7, 8, 9, 0, 1, 2])
    #expect(events.map(\.occurrence.start) == (-3..<3).map { day($0, hour: 12) })
  }

  @Test
  func `an open version ends at the next one`() async throws {
    let store = try await store(
      try .daily(start: day(-3), effectiveDate: day(-3)), try .daily(effectiveDate: day(0)))
    let events = try await events(store, from: day(-1), to: day(3))
    #expect(events.map(\.version) == [1, 2, 2, 2])
    #expect(events.map(\.occurrence.index) == [2, 0, 1, 2])
  }

  @Test
  func `an outcome is found with its own occurrence`() async throws {
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

  @Test
  func `a past event keeps its version's title and outcome when the plan changes`() async throws {
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

  @Test
  func `events are narrowed by patient and by task`() async throws {
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

  @Test
  func `a span with too many events is refused`() async throws {
    var task = try PlannedTask.daily()
    task.schedule = try Schedule([
      ScheduleElement(start: midnight, interval: Interval(seconds: 1), timeZone: losAngeles)
    ])
    let store = try await store(task)
    await #expect(
      throws: StoreError.refused(.schedule(.tooManyOccurrences(limit: EventExpansion.limit)))
    ) { try await events(store, from: midnight, to: day(30)) }
  }

  @Test(arguments: [(1, true), (50, true), (60, false)])
  func `a day has the other tasks beside one that is due each second`(
    seconds: Int, isCrowded: Bool
  ) async throws {
    var task = try PlannedTask.daily("blink")
    task.schedule = try Schedule([
      ScheduleElement(start: midnight, interval: Interval(seconds: seconds), timeZone: losAngeles)
    ])
    let store = try await SQLStore.planned(task, try .daily())
    for date in [day(0, hour: 9), day(400)] {
      let found = try await store.read { try CareDay($0, patient: nil, on: date, in: losAngeles) }
      #expect(found.crowded.map(\.id) == (isCrowded ? ["blink"] : []))
      #expect(found.events.filter { $0.task.id == "walk" }.count == 1)
      #expect(found.events.filter { $0.task.id == "blink" }.count == (isCrowded ? 0 : 1_440))
    }
  }
}

/// Events whose outcome is computed from samples.
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

  @Test
  func `a weight completes the day of its measurement`() async throws {
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

  @Test
  func `deleting a sample reopens its event, assigning one completes it`() async throws {
    let store = try await store(
      .weight(72.4), .weight(61, identity: "tray", patient: nil, at: day(1)))
    _ = try await store.write { writer in
      _ = try writer.change(
        .sample(Sample.weight().identity), .delete, reason: nil, now: day(1))
      return try writer.change(
        .sample(SampleIdentity(text: "tray")), .assign(patient: "john"), reason: nil,
        now: day(1))
    }
    #expect(
      try await days(store).map { $0.outcome?.values } == [nil, [measured(61, at: day(1))]])
  }

  @Test
  func `a value that a person entered outranks samples until it is deleted`() async throws {
    let store = try await store(.weight(72.4))
    let reference = try await days(store)[0].reference
    let set = try await store.write {
      try $0.setOutcome([.typed(71)], of: reference, now: day(0))
    }
    var entered = measured(71, at: day(0))
    entered.provenance = .manual
    #expect(set.outcome?.values == [entered])
    #expect(try await days(store)[0] == set)
    // A value that a person enters is a sample, too.
    let samples = try await store.read { try $0.samples(SampleQuery(quantity: .bodyMass)) }
    #expect(samples.map(\.value).sorted() == [71, 72.4])
    let after = try await store.write { try $0.deleteOutcome(of: reference, now: day(0)) }
    #expect(after.outcome?.values == [measured(72.4, at: midnight)])
    await #expect(
      throws: StoreError.refused(.computedOutcome(task: "weigh-in", occurrence: 0))
    ) { try await store.write { try $0.deleteOutcome(of: reference, now: day(0)) } }
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.addOutcomes([(reference, [.typed(1)])], now: day(0)) }
    }
  }

  @Test
  func `another person's and unassigned samples complete nothing`() async throws {
    let store = try await store(.weight(identity: "b", patient: nil))
    try await store.write { writer in
      try writer.addJane()
      _ = try writer.insert(.weight(patient: "jane"))
    }
    #expect(try await days(store).map(\.outcome) == [nil, nil])
  }
}

struct CareDayTests {
  private func store() async throws -> SQLStore {
    let store = try SQLStore.example()
    var night = try PlannedTask.daily("night")
    night.schedule = try Schedule([
      ScheduleElement(
        start: day(0, hour: 23), interval: Interval(days: 1), duration: .seconds(7200),
        timeZone: losAngeles)
    ])
    var late = try PlannedTask.daily("late")
    late.schedule = try Schedule([
      ScheduleElement(start: day(0, hour: 23), interval: Interval(days: 1), timeZone: losAngeles)
    ])
    let plan = PlanDocument.example(try .daily(), night, late)
    try await store.write { writer in
      _ = try writer.importPlan(plan, now: midnight)
      _ = try writer.insert(.weight(identity: "a", patient: nil, at: day(1, hour: 7)))
      _ = try writer.insert(.weight(identity: "b", patient: nil, at: day(3)))
      _ = try writer.insert(.weight(identity: "c", at: day(1, hour: 7)))
    }
    return store
  }

  @Test
  func `it has the day's events; one of the evening before as long as it is not over`() async throws
  {
    let found = try await store().read {
      try CareDay($0, patient: nil, on: day(1, hour: 15), in: losAngeles)
    }
    #expect(found.start == day(1))
    #expect(found.end == day(2))
    #expect(found.patients.map(\.id) == ["john"])
    #expect(
      found.events.map { "\($0.task.id) \($0.occurrence.index)" }.sorted()
        == ["late 1", "night 1", "walk 1"])
    #expect(found.unassignedCount == 1)
    for (minutes, isShown) in [(30.0, true), (60, false)] {
      let now = day(1) + minutes * 60
      let early = try await store().read {
        try CareDay($0, patient: nil, on: now, in: losAngeles, now: now)
      }
      let nights = early.events.filter { $0.task.id == "night" }.map(\.occurrence.index)
      #expect(nights == (isShown ? [0, 1] : [1]), "\(minutes) minutes after midnight")
    }
  }

  @Test
  func `a person who is not in the plan has an empty day`() async throws {
    let found = try await store().read {
      try CareDay($0, patient: "jane", on: day(1), in: losAngeles)
    }
    #expect(found.patients == [])
    #expect(found.events == [])
  }
}
