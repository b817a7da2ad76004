import Care
import CareStore
import Foundation
import Testing

/// Two stores import different plans of the same tasks, and meet.
struct IndependentImportsTests {
  private func planned(hour: Int) throws -> PlanDocument {
    var task = try PlannedTask.daily()
    task.schedule = try .daily(hour: hour, start: midnight, timeZone: losAngeles)
    return .example(task)
  }

  @Test
  func `a plan that was corrected here and imported afresh there takes no day's answer away`()
    async throws
  {
    let (here, there) = (try SQLStore.peer(1), try SQLStore.peer(2))
    let (plan, corrected) = (try planned(hour: 12), try planned(hour: 13))
    try await here.write { writer in
      _ = try writer.importPlan(plan, now: day(0))
      for event in try writer.events(patient: nil, task: nil, from: day(0), to: day(3)) {
        _ = try writer.setOutcome([.typed(1)], of: event, now: day(3))
      }
      _ = try writer.importPlan(corrected, now: day(3))
    }
    _ = try await there.write { try $0.importPlan(corrected, now: day(3) + 3600) }
    let (fromHere, fromThere) = (try await here.exported(), try await there.exported())
    _ = try await here.merge(lines: fromThere)
    _ = try await there.merge(lines: fromHere)
    for store in [here, there] {
      let events = try await store.read {
        try $0.events(patient: nil, task: nil, from: day(0), to: day(5))
      }
      #expect(events.map { $0.outcome != nil } == [true, true, true, false, false])
      #expect(
        events.map(\.occurrence.start) == (0..<5).map { day($0, hour: $0 < 3 ? 12 : 13) })
      #expect(try await store.check().allSatisfy { $0.kind == .conflict })
    }
  }
}
