import Care
import CareStore
import Foundation
import Testing

/// Adherence by day, week and month, read from a store part by part.
@Suite struct AdherenceReadingTests {
  private let zone: TimeZone
  private let store: SQLStore

  init() async throws {
    zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    store = try TestEngine.makeStore(makeUUID: { UUID() })
    let start = try #require(Date("2026-01-01T08:00", in: zone))
    let schedule = try Schedule([
      ScheduleElement(start: start, interval: Interval(days: 1), timeZone: zone)
    ])
    let plan = PlanDocument(
      timeZone: zone, patients: [Patient(id: "anna")],
      tasks: [
        PlannedTask(id: "pills", patient: "anna", title: "Pills", schedule: schedule),
        PlannedTask(id: "walk", patient: "anna", title: "Walk", schedule: schedule),
      ])
    try await store.write { writer in
      _ = try writer.importPlan(plan, now: start)
      let pills = try writer.taskVersions(patient: nil).first { $0.id == "pills" }
      for day in 0..<45 {
        guard let uuid = pills?.uuid else { continue }
        _ = try writer.setOutcome(
          [], of: EventReference(taskUUID: uuid, occurrence: day), now: start + 100 * 86_400)
      }
    }
  }

  private func entries(
    by period: Adherence.Period, task: String? = nil, from: String, to: String
  ) async throws -> [String] {
    let start = try #require(Date(from, in: zone))
    let end = try #require(Date(to, in: zone))
    return try await store.read { [zone] reader in
      try reader.adherence(by: period, patient: nil, task: task, from: start, to: end, in: zone)
        .map { "\($0.start.rfc3339(in: zone).prefix(10)) \($0.adherence)" }
    }
  }

  @Test func `reads days`() async throws {
    #expect(
      try await entries(by: .day, from: "2025-12-31", to: "2026-01-03")
        == ["2025-12-31 noTasks", "2026-01-01 progress(0.5)", "2026-01-02 progress(0.5)"])
    #expect(
      try await entries(by: .day, task: "pills", from: "2026-02-14", to: "2026-02-16")
        == ["2026-02-14 progress(1.0)", "2026-02-15 progress(0.0)"])
    #expect(try await entries(by: .day, from: "2026-02-14", to: "2026-02-14").isEmpty)
  }

  /// A week from Monday, of which two days lie in the next month.
  @Test func `reads weeks across months`() async throws {
    #expect(
      try await entries(by: .week, task: "pills", from: "2026-01-26", to: "2026-02-23")
        == [
          "2026-01-26 progress(1.0)", "2026-02-02 progress(1.0)",
          "2026-02-09 progress(\(6.0 / 7))", "2026-02-16 progress(0.0)",
        ])
  }

  @Test func `reads months`() async throws {
    #expect(
      try await entries(by: .month, task: "pills", from: "2025-12-15", to: "2026-03-01")
        == ["2025-12-01 noTasks", "2026-01-01 progress(1.0)", "2026-02-01 progress(0.5)"])
  }

  /// Days read one by one agree with days of all events at once.
  @Test func `agrees with the days of all events`() async throws {
    let start = try #require(Date("2025-12-20", in: zone))
    let end = try #require(Date("2026-03-10", in: zone))
    try await store.read { [zone] reader in
      let all = Adherence.days(
        events: try reader.events(patient: nil, task: nil, from: start, to: end),
        versions: try reader.taskVersions(patient: nil), from: start, to: end, timeZone: zone)
      let parts = try reader.adherence(by: .day, patient: nil, from: start, to: end, in: zone)
      #expect(parts.map(\.start) == all.map(\.day))
      #expect(parts.map(\.adherence) == all.map(\.adherence))
    }
  }
}
