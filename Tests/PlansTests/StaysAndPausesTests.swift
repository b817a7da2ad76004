import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

/// Plans of people who travel, and of those who pause.
@Suite struct StaysAndPausesTests {
  private func plan(_ text: String) throws -> PlanDocument {
    try PlanFile.parse(text, file: "plan.yaml", activeTasks: [])
  }

  private static let travelling = """
    timeZone: America/Los_Angeles
    patients:
      - {id: ann, timeZone: Europe/Berlin, timeZones: [{from: 2026-03-03, zone: Asia/Tokyo}, {from: 2026-03-10, zone: Europe/Berlin}]}
      - {id: bob}
    tasks:
      - {id: pills, patient: ann, title: Pills, schedule: [{start: 2026-03-01T08:00, interval: {days: 1}}]}
      - {id: water, patient: ann, title: Water, schedule: [{start: 2026-03-01T00:00, interval: {hours: 12}}]}
      - {id: pills, patient: bob, title: Pills, schedule: [{start: 2026-03-01T08:00, interval: {days: 1}}]}
    """

  private func starts(_ task: PlannedTask, to end: String) throws -> [String] {
    let from = try #require(Date("2026-03-01", in: .gmt))
    let to = try #require(Date(end, in: .gmt))
    return try task.schedule.occurrences(from: from - 86_400, to: to).map {
      $0.start.rfc3339(in: $0.element.timeZone)
    }
  }

  @Test func `a persons times are in the persons zone`() throws {
    let tasks = try plan(Self.travelling).tasks
    #expect(
      try starts(tasks[0], to: "2026-03-12") == [
        "2026-03-01T08:00:00+01:00", "2026-03-02T08:00:00+01:00", "2026-03-03T08:00:00+09:00",
        "2026-03-04T08:00:00+09:00", "2026-03-05T08:00:00+09:00", "2026-03-06T08:00:00+09:00",
        "2026-03-07T08:00:00+09:00", "2026-03-08T08:00:00+09:00", "2026-03-09T08:00:00+09:00",
        "2026-03-10T08:00:00+01:00", "2026-03-11T08:00:00+01:00",
      ])
    // Steps of hours go on.
    #expect(try starts(tasks[1], to: "2026-03-04").count == 7)
    #expect(try starts(tasks[2], to: "2026-03-02").first == "2026-03-01T08:00:00-08:00")
  }

  @Test func `a travellers plan is written as it is read`() throws {
    let plan = try plan(Self.travelling)
    #expect(try self.plan(PlanFile.encode(plan)) == plan)
    let person = try #require(plan.patients.first)
    for (time, zone) in [
      ("2026-03-02T14:00:00Z", "Europe/Berlin"), ("2026-03-02T15:00:00Z", "Asia/Tokyo"),
      ("2026-03-09T22:59:00Z", "Asia/Tokyo"), ("2026-03-09T23:00:00Z", "Europe/Berlin"),
    ] {
      let date = try #require(Date(rfc3339: time))
      #expect(person.timeZone(at: date, in: plan.timeZone).identifier == zone)
    }
  }

  @Test(
    arguments: [
      ("{before: 15m, every: 10m, times: 3}", nil),
      ("{before: 15m, every: 10m}", "several reminders have both"),
      ("{before: 15m, every: 30m, times: 9}", "the event is over before the last reminder"),
      ("{before: 15m, every: 1s, times: 2}", "at least a minute apart"),
    ] as [(String, String?)])
  func `several reminders are read or refused`(text: String, reason: String?) throws {
    let file = """
      timeZone: UTC
      patients: [{id: ann}]
      tasks: [{id: a, title: A, reminder: \(text), schedule: [{start: 2026-03-01T08:00, interval: {days: 1}}]}]
      """
    guard let reason else {
      let plan = try plan(file)
      #expect(plan.tasks[0].reminder == Reminder(offset: -900, every: 600, times: 3))
      #expect(try self.plan(PlanFile.encode(plan)) == plan)
      return
    }
    let error = #expect(throws: YAMLError.self) { try plan(file) }
    #expect(error?.description.contains(reason) == true)
  }

  /// Glucose in mg/dL is glucose in mmol/L: as a linkage, and as a target.
  @Test func `glucose is one thing in a plan`() throws {
    let plan = try plan(
      """
      timeZone: UTC
      patients: [{id: ann}]
      tasks:
        - {id: a, title: A, linkage: {quantity: bloodGlucose, unit: mg/dL}, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
        - {id: b, title: B, linkage: {quantity: bloodGlucose}, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 180.16, unit: mg/dL, atMost: true}]}]}
      """)
    #expect(plan.tasks[0].linkage?.quantity == .bloodGlucoseMass)
    #expect(plan.tasks[0].linkage?.unit == .milligramPerDecilitre)
    let target = try #require(plan.tasks[1].schedule.elements[0].targets.first)
    #expect(target.unit == .millimolePerLitre)
    #expect(abs((target.value.number ?? 0) - 10) < 1e-9)
  }

  @Test func `a pause leaves days out and is written back`() throws {
    let plan = try plan(
      """
      timeZone: UTC
      patients: [{id: ann}]
      pauses: [{from: 2026-03-05, to: 2026-03-06, reason: a journey}]
      tasks:
        - {id: pills, title: Pills, pauses: [{from: 2026-03-02, to: 2026-03-04, reason: in hospital}], schedule: [{start: 2026-03-01T08:00, interval: {days: 1}}]}
        - {id: walk, title: Walk, schedule: [{start: 2026-03-01T09:00, weekday: {nth: -1, day: sunday}}, {start: 2026-03-01T08:00, cycle: {on: 1, off: 1}, except: [2026-03-07]}]}
      """)
    func days(_ task: PlannedTask) throws -> [String] {
      try starts(task, to: "2026-03-09").map { String($0.dropFirst(8).prefix(2)) }
    }
    #expect(try days(plan.tasks[0]) == ["01", "04", "06", "07", "08"])
    #expect(try days(plan.tasks[1]) == ["01", "03"])
    #expect(try self.plan(PlanFile.encode(plan)) == plan)
  }
}
