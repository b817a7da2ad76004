import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// The acceptance cases of outcomes.
struct OutcomesTests {
  private let afterAll = day(20)

  private func reference(
    _ store: SQLStore, task: String = "walk", at occurrence: Int
  ) async throws -> EventReference {
    let version = try await store.read {
      try $0.taskVersions(patient: nil).last { $0.id == task }
    }
    return EventReference(taskUUID: try #require(version).uuid, occurrence: occurrence)
  }

  private func outcomes(_ store: SQLStore, from: Date, to: Date) async throws -> [Int] {
    try await store.read {
      try $0.events(patient: nil, task: nil, from: from, to: to)
        .filter { $0.outcome != nil }.map(\.occurrence.index)
    }
  }

  @Test
  func `one event has one outcome: not two in a batch, not two in a row`() async throws {
    let store = try await SQLStore.planned(try .daily(), try .daily("weigh"))
    let second = try await reference(store, at: 2)
    let other = try await reference(store, task: "weigh", at: 2)
    let now = afterAll
    let taken = StoreError.refused(.outcomeExists(task: "walk", occurrence: 2))
    let one = [OutcomeValue.typed(1)]
    await #expect(throws: taken) {
      try await store.write {
        try $0.addOutcomes([(other, one), (second, one), (second, one)], now: now)
      }
    }
    #expect(try await outcomes(store, from: day(0), to: day(9)) == [])

    _ = try await store.write { try $0.addOutcomes([(second, one)], now: now) }
    await #expect(throws: taken) {
      try await store.write { try $0.addOutcomes([(second, one)], now: now) }
    }
    let deleted = try await store.write { try $0.deleteOutcome(of: second, now: now) }
    #expect(deleted.outcome == nil)
    let added = try await store.write {
      try $0.addOutcomes([(second, one), (other, one)], now: now)
    }
    #expect(added.map { $0.outcome?.values } == [one, one])
    #expect(try await outcomes(store, from: day(0), to: day(9)) == [2, 2])
  }

  @Test
  func `a refused batch leaves nothing even if its transaction goes on`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let (first, second) = (try await reference(store, at: 1), try await reference(store, at: 2))
    let now = afterAll
    try await store.write { writer in
      #expect(throws: StoreError.self) {
        try writer.addOutcomes([(first, [.typed(1)]), (first, [.typed(1)])], now: now)
      }
      _ = try writer.addOutcomes([(second, [.typed(2)])], now: now)
    }
    #expect(try await outcomes(store, from: day(0), to: day(9)) == [2])
  }

  @Test(arguments: [1, 5, -1])
  func `an occurrence past the schedule's end is refused`(_ occurrence: Int) async throws {
    let store = try await SQLStore.planned(try .daily(end: day(1)))
    let reference = try await reference(store, at: occurrence)
    let now = afterAll
    await #expect(
      throws: StoreError.refused(
        .noSuchOccurrence(occurrence, task: "walk", version: 1, count: 1))
    ) { try await store.write { try $0.setOutcome([.typed(1)], of: reference, now: now) } }
    #expect(try await outcomes(store, from: day(0), to: day(9)) == [])
  }

  @Test
  func `a span has the outcomes of its own events`() async throws {
    let meals = PlannedTask(
      id: "walk", patient: "john", title: "Meals",
      schedule: try .mealTimesEachDay(start: midnight, timeZone: losAngeles))
    let store = try await SQLStore.planned(meals)
    let now = afterAll
    for occurrence in 0..<3 {
      let reference = try await reference(store, at: occurrence)
      _ = try await store.write { try $0.setOutcome([.typed(1)], of: reference, now: now) }
    }
    let breakfast = day(0, hour: 7, minute: 30)
    let lunch = day(0, hour: 12)
    #expect(try await outcomes(store, from: breakfast - 10, to: lunch - 10) == [0])
  }

  /// A changed rule of a zone moves an event by hours; its outcome holds the earlier span.
  @Test(arguments: [-3.0, -1, 1, 3])
  func `an outcome is found although its event has moved since`(_ hours: Double) async throws {
    let store = try await SQLStore.planned(try .daily())
    let reference = try await reference(store, at: 2)
    let now = afterAll
    _ = try await store.write { try $0.setOutcome([.typed(1)], of: reference, now: now) }
    let shift = Int64(saturating: hours * 3_600_000_000)
    try await store.write { writer in
      try (writer as? SQLTransaction)?.execute(
        "UPDATE outcome SET start_date = start_date + \(shift), end_date = end_date + \(shift)")
    }
    let start = day(2, hour: 12)
    #expect(try await outcomes(store, from: start, to: start + 1) == [2])
  }

  @Test
  func `values keep their order and type over a restart`() async throws {
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let first = try SQLStore.example(at: path)
    _ = try await first.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    let reference = try await reference(first, at: 0)
    let kilograms = try #require(UnitOfMeasure("kg"))
    let contents: [Value] = [
      .integer(3), .integer(1), .integer(2), .double(0.1), .double(-3), .boolean(true),
      .boolean(false), .text("sore ‘knee’"), .text(""), .binary([0, 255]), .binary([]),
      .date(day(1)), .integer(.max), .integer(.min),
    ]
    let values = contents.map {
      OutcomeValue(value: $0, unit: kilograms, kind: "k", time: day(0), provenance: .active)
    }
    _ = try await first.write { try $0.setOutcome(values, of: reference, now: day(1)) }
    try first.close()

    let second = try SQLStore.example(at: path)
    let events = try await second.read {
      try $0.events(patient: nil, task: nil, from: day(0), to: day(1))
    }
    #expect(events[0].outcome?.values == values)
  }

  @Test
  func `a read-only task takes none, an assessment one`() async throws {
    let store = try await SQLStore.planned(
      try .daily("read", kind: .readOnly), try .daily("once", kind: .assessment),
      try .daily("again", kind: .assessment, isResettable: true), try .daily())
    func set(_ task: String, _ number: Double, at now: Date) async throws -> Event {
      let reference = try await reference(store, task: task, at: 1)
      return try await store.write {
        try $0.setOutcome([.typed(number)], of: reference, now: now)
      }
    }
    await #expect(throws: StoreError.refused(.readOnlyTask("read"))) {
      try await set("read", 1, at: day(1))
    }
    await #expect(
      throws: StoreError.refused(.notDueYet(task: "walk", day: day(1), timeZone: losAngeles))
    ) { try await set("walk", 1, at: day(0, hour: 23)) }
    #expect(try await set("walk", 1, at: day(1)).outcome?.values == [.typed(1)])
    #expect(try await set("once", 1, at: day(1)).outcome?.values == [.typed(1)])
    await #expect(throws: StoreError.refused(.notResettable(task: "once"))) {
      try await set("once", 2, at: day(1))
    }
    _ = try await set("again", 1, at: day(1))
    #expect(try await set("again", 2, at: day(1)).outcome?.values == [.typed(2)])
    let kept = try await store.read {
      try $0.events(patient: nil, task: "once", from: day(1), to: day(2))
    }
    #expect(kept.map { $0.outcome?.values } == [[.typed(1)]])
  }

  @Test
  func `an event of an unknown version is unknown`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let reference = EventReference(taskUUID: UUIDSequence().next(), occurrence: 0)
    await #expect(throws: StoreError.unknown(.taskVersion(reference.taskUUID))) {
      try await store.write { try $0.setOutcome([.typed(1)], of: reference, now: midnight) }
    }
  }

  @Test
  func `replacing an outcome makes a new version that follows the last one`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let reference = try await reference(store, at: 0)
    let now = afterAll
    for number in [1.0, 2, 2, 3] {
      _ = try await store.write {
        try $0.setOutcome([.typed(number)], of: reference, now: now)
      }
    }
    _ = try await store.write { try $0.deleteOutcome(of: reference, now: now) }
    let counts = try await store.read { reader in
      try ["outcome", "outcome WHERE is_tip = 1", "version_edge"].map { table in
        let row = try (reader as? SQLTransaction)?.row("SELECT count(*) AS count FROM \(table)")
        return row.map(String.init(describing:)) ?? ""
      }
    }
    #expect(counts == ["[count:4]", "[count:1]", "[count:3]"])
  }

  @Test
  func `text that SQLite would truncate is refused`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let reference = try await reference(store, at: 0)
    var value = OutcomeValue.typed(1)
    value.value = .text("a\0b")
    let cut = value
    await #expect(throws: StoreError.refused(.zeroCharacter("a\0b"))) {
      try await store.write { try $0.setOutcome([cut], of: reference, now: midnight) }
    }
  }
}
