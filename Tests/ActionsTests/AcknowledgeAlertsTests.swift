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
      return try writer.alerts(of: "john", since: now - 3_600, now: now).first?.seen
    }
    let kept = try #require(seen?.by)
    #expect(kept.utf8.count <= Firing.longestName)
    #expect(kept == name || kept.hasSuffix("…") && name.hasPrefix(kept.dropLast()))
  }

  /// For a day, a reason; then it is open again, and may be put off again.
  @Test func `an alert is put off for a reason, and comes back`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let (now, day) = (Date(timeIntervalSince1970: 1_796_000_000), 86_400.0)
    let event = EventKey(patient: "john", task: "weigh-in", start: now - 3_600)
    let threshold = Threshold(condition: .above(70), says: "high", alerts: true)
    for (days, reason) in [(0, "why"), (4, "why"), (1, ""), (1, " \n")] {
      #expect(AcknowledgeAlerts.Delay(days: days, reason: reason) == nil)
    }
    let delay = try #require(AcknowledgeAlerts.Delay(days: 1, reason: " The nurse comes at noon. "))
    try await store.write { writer in
      _ = try writer.put(Patient(id: "john", name: PersonName(given: "John")), now: now)
      _ = try writer.record(
        Firing(Firing.Key(.alert, event, threshold: threshold), due: now, date: now - 600),
        making: nil, now: now)
      let action = AcknowledgeAlerts(of: "john", by: "Nora", delay: delay)
      #expect(try action.perform(in: writer, by: .owner, now: now) == 1)
      #expect(try action.perform(in: writer, by: .owner, now: now + 60) == 0)
      for (date, isOpen) in [(now + day - 1, false), (now + day, true)] {
        let alerts = try writer.alerts(of: "john", since: now - day, now: date)
        #expect(alerts.map { $0.seen == nil } == [isOpen])
      }
      let seen = try writer.alerts(of: "john", since: now - day, now: now).first?.seen
      #expect(seen?.reason == "The nurse comes at noon." && seen?.putOffUntil == now + day)
      #expect(try action.perform(in: writer, by: .owner, now: now + day) == 1)
    }
  }
}
