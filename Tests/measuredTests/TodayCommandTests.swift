import Assessments
import Care
import CareStore
import Foundation
import Plans
import Testing

@testable import Commands

@Suite struct TodayCommandTests {
  private let zone: TimeZone
  private let store: SQLStore

  init() async throws {
    let plan = try PlanFile.parse(
      """
      timeZone: Europe/Berlin
      patients:
        - {id: anna, name: {given: Anna}}
      tasks:
        - id: late
          patient: anna
          title: Late
          schedule:
            - {start: 2026-03-01T23:00, interval: {days: 1}, duration: 1h}
        - id: early
          patient: anna
          title: Early
          schedule:
            - {start: 2026-03-01T00:00, interval: {days: 1}, duration: 1h}
      """, file: "plan.yaml", activeTasks: AssessmentList.forms)
    zone = plan.timeZone
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let now = try #require(Date("2026-03-01", in: zone))
    _ = try await store.write { try $0.importPlan(plan, now: now) }
  }

  private func day(_ time: String) async throws -> CareDay {
    let date = try #require(Date(rfc3339: time))
    return try await store.read { [zone] in
      try CareDay($0, patient: nil, on: date, in: zone)
    }
  }

  /// From midnight to midnight: an event that ends at midnight belongs to the day before.
  @Test(arguments: [
    "2026-03-05T00:00:00+01:00", "2026-03-05T12:00:00+01:00", "2026-03-05T23:59:59+01:00",
  ])
  func `shows the events from midnight to midnight`(time: String) async throws {
    let day = try await day(time)
    #expect(day.start == Date(rfc3339: "2026-03-05T00:00:00+01:00"))
    #expect(
      day.events.map { $0.occurrence.start.rfc3339(in: zone) }
        == ["2026-03-05T00:00:00+01:00", "2026-03-05T23:00:00+01:00"])
  }

  /// 2026-03-29 has 23 hours.
  @Test func `shows a day with a clock change`() async throws {
    let day = try await day("2026-03-29T12:00:00+02:00")
    #expect(
      day.events.map { $0.occurrence.start.rfc3339(in: zone) }
        == ["2026-03-29T00:00:00+01:00", "2026-03-29T23:00:00+02:00"])
    #expect(
      day.lines(DayText(timeZone: zone, now: day.start)) == [
        "2026-03-29 (Europe/Berlin)", "", "Anna", "  ○ 00:00    Early  [early]",
        "             → measured done early", "  ○ 23:00    Late  [late]",
        "             → measured done late",
      ])
  }

  /// The word of a threshold stands behind the value, as on the page.
  @Test func `says what a threshold says`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(
      """
      timeZone: Europe/Berlin
      patients: [{id: anna, name: {given: Anna}}]
      tasks:
        - id: weigh-in
          patient: anna
          title: Weigh yourself
          schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]
          linkage: {quantity: bodyMass, type: discrete, unit: kg}
          thresholds: [{above: 100, says: too high}]
      """, to: "plan.yaml")
    let store = ["--store", folder.path("s.sqlite")]
    #expect(await InProcess.run(["plan", "import", plan] + store).status == 0)
    func line(_ value: String) async throws -> String? {
      let answer = ["done", "weigh-in", "--value", value, "--date", "2026-03-05"]
      #expect(await InProcess.run(answer + store).status == 0)
      return await InProcess.run(["today", "--date", "2026-03-05"] + store).lines
        .first { $0.contains("[weigh-in]") }
    }
    let high = try await line("101")
    #expect(high?.contains("101 kg") == true)
    #expect(high?.hasSuffix("(too high)  [weigh-in]") == true)
    let undo = ["undo", "weigh-in", "--date", "2026-03-05"]
    #expect(await InProcess.run(undo + store).status == 0)
    #expect(try await line("99")?.contains("too high") == false)
  }
}
