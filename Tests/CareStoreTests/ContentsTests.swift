import Care
import CareStore
import Foundation
import TestSupport
import Testing

struct ContentsTests {
  /// A day with a weight, a deleted one and a walk, stored in one order or the other.
  private func store(
    reversed: Bool, ids: UUIDSequence, isTemporary: Bool = false
  ) async throws -> SQLStore {
    var weigh = try PlannedTask.daily("weigh")
    weigh.linkage = Linkage(quantity: .bodyMass, type: .discrete, unit: Quantity.bodyMass.unit)
    let tasks = [weigh, try .daily()]
    let samples = [
      Sample.weight(at: day(0, hour: 12)), .weight(80.5, identity: "scale|2", patient: nil),
    ]
    let plan = PlanDocument(
      timeZone: losAngeles, patients: [Patient(id: "john")],
      tasks: reversed ? tasks.reversed() : tasks)
    let store =
      try isTemporary
      ? SQLStore.temporary(makeUUID: ids.next) : SQLStore.inMemory(makeUUID: ids.next)
    try await store.write { writer in
      _ = try writer.importPlan(plan, now: midnight)
      for sample in reversed ? samples.reversed() : samples { _ = try writer.insert(sample) }
      _ = try writer.change(
        .sample(samples[1].identity), .delete, reason: nil, now: day(1))
      let walk = try writer.events(patient: nil, task: "walk", from: day(0), to: day(1))[0]
      _ = try writer.setOutcome(
        [.typed(3), .typed(1, at: day(0, hour: 12))], of: walk.reference, now: day(1))
    }
    return store
  }

  @Test
  func `they list samples and outcomes, without ids`() async throws {
    let store = try await store(reversed: false, ids: UUIDSequence())
    let lines = try await store.contents()
    let (midnight, noon) = ("2026-12-07T08:00:00+00:00", "2026-12-07T20:00:00+00:00")
    #expect(
      lines == [
        "sample  scale|1  john  bodyMass  72.4  kg  \(noon)  \(noon)  \(noon)  passive",
        "sample  scale|2  unassigned  bodyMass  80.5  kg  \(midnight)  \(midnight)  \(midnight)"
          + "  passive  deleted",
        "outcome  john  walk  version 1  occurrence 0  \(noon)",
        "value 0  double  3.0  \(midnight)  manual",
        "value 1  double  1.0  \(noon)  manual",
        "outcome  john  weigh  version 1  occurrence 0  \(noon)",
        "value 0  double  72.4  kg  \(noon)  passive",
      ])
  }

  @Test
  func `they do not depend on the order of storing or on ids`() async throws {
    let ids = UUIDSequence()
    for _ in 0..<7 { _ = ids.next() }
    let one = try await store(reversed: false, ids: UUIDSequence())
    let other = try await store(reversed: true, ids: ids)
    #expect(try await one.contents() == other.contents())
    let temporary = try await store(reversed: true, ids: ids, isTemporary: true)
    #expect(try await temporary.contents() == one.contents())
  }
}
