import Care
import CareStore
import Foundation
import TestSupport
import Testing

@Suite
struct DocumentationTests {
  @Test
  func `the example of the documentation plans a weigh-in`() async throws {
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    // snippet
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let weighIn = PlannedTask(
      id: "weigh-in", patient: "alex", title: "Weigh yourself",
      schedule: try .daily(hour: 7, start: now, timeZone: .gmt),
      linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
    let plan = PlanDocument(timeZone: .gmt, patients: [Patient(id: "alex")], tasks: [weighIn])
    let events = try await store.write { writer in
      _ = try writer.importPlan(plan, now: now)
      return try writer.events(patient: "alex", task: nil, from: now, to: now + 86_400)
    }
    print(events.map(\.task.title))
    // end of snippet
    #expect(events.map(\.task.title) == ["Weigh yourself"])
    #expect(
      try DocumentedSnippet.inArticle("Sources/CareStore/CareStore.docc/CareStore.md")
        == DocumentedSnippet.inSource())
  }
}
