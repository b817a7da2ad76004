import Care
import CareStore
import Foundation
import Plans

/// The date of a text of RFC 3339.
func time(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }

extension SQLStore {
  /// Imports the plan of two patients, of 64 and of 90 kg.
  func importTwoPatients() async throws {
    let plan = try PlanFile.parse(
      """
      timeZone: Europe/Berlin
      patients:
        - {id: ann, name: {given: Ann}, expects: {bodyMass: 64 kg}}
        - {id: bob, name: {given: Bob}, expects: {bodyMass: 90 kg}}
      """, file: "plan.yaml", activeTasks: [])
    _ = try await write { try $0.importPlan(plan, now: time("2026-02-01T00:00:00Z")) }
  }
}
