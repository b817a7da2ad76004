import Access
import Care
import CareStore
import Foundation
import Testing

@testable import Actions

@Suite struct AcknowledgeAlertsTests {
  /// Of three bytes a character, the bound falls within one; of a family of emoji, far behind its beginning.
  @Test(arguments: ["Nora", String(repeating: "林", count: 80), String(repeating: "👩‍👩‍👧‍👦", count: 20)])
  func `a name of any length is kept, cut between its characters`(name: String) async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let now = Date(timeIntervalSince1970: 1_796_000_000)
    let event = EventKey(patient: "john", task: "weigh-in", start: now - 3_600)
    let threshold = Threshold(condition: .above(70), says: "high", alerts: true)
    let seen = try await store.write { writer in
      _ = try writer.put(Patient(id: "john", name: PersonName(given: "John")), now: now)
      _ = try writer.record(
        Firing(Firing.Key(.alert, event, threshold: threshold), due: now, date: now - 600),
        making: nil, now: now)
      #expect(
        try AcknowledgeAlerts(of: "john", by: name).perform(in: writer, by: .owner, now: now) == 1)
      return try writer.alerts(of: "john", since: now - 3_600).first?.seen
    }
    let kept = try #require(seen?.by)
    #expect(kept.utf8.count <= Firing.longestName)
    #expect(kept == name || kept.hasSuffix("…") && name.hasPrefix(kept.dropLast()))
  }
}
