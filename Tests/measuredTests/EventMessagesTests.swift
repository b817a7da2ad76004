import Care
import Foundation
import Testing

@testable import measured

/// What an event came to, in the words of the commands.
@Suite struct EventMessagesTests {
  private func event(
    _ targets: [TargetValue], _ value: Double?, unit: UnitOfMeasure = .second,
    kind: String = "total", type: ActiveTaskType = "timedUpAndGo"
  ) throws -> Event {
    let start = try #require(Date(rfc3339: "2026-11-20T09:00:00Z"))
    let task = CareTask(
      uuid: UUID(),
      planned: PlannedTask(
        id: "test", patient: "john", title: "Test",
        schedule: try Schedule([
          ScheduleElement(
            start: start, interval: Interval(days: 1), targets: targets, timeZone: .gmt)
        ]), activeTask: ActiveTask(type: type)), effectiveDate: start, createdDate: start)
    let occurrence = try #require(task.schedule.occurrence(at: 0))
    let event = Event(task: task, version: 1, occurrence: occurrence)
    guard let value else { return event }
    let values = [
      OutcomeValue(
        value: .double(value), unit: unit, kind: kind, time: start, provenance: .active)
    ]
    return Event(
      task: task, version: 1, occurrence: occurrence,
      outcome: Outcome(uuid: UUID(), event: event, values: values, createdDate: start))
  }

  @Test(
    arguments: [
      (11.2, "11.2 s of at most 12 s"), (12, "12 s of at most 12 s"),
      (12.04, "12.04 s of at most 12 s"), (13.26, "13.3 s of at most 12 s"),
    ] as [(Double, String)])
  func `of an upper limit less is better`(seconds: Double, text: String) throws {
    let limit = [TargetValue(value: .integer(12), unit: .second, kind: "total", isAtMost: true)]
    let event = try event(limit, seconds)
    #expect(event.result(in: .gmt) == text)
    #expect(event.progress.isCompleted == (seconds <= 12))
  }

  @Test(
    arguments: [
      (70, "70° of 60° to 80°"), (59.7, "59.7° of 60° to 80°"), (80.3, "80.3° of 60° to 80°"),
    ] as [(Double, String)])
  func `a range has two limits`(degrees: Double, text: String) throws {
    let range = [
      TargetValue(value: .integer(60), unit: .degree, kind: "range"),
      TargetValue(value: .integer(80), unit: .degree, kind: "range", isAtMost: true),
    ]
    let event = try event(
      range, degrees, unit: .degree, kind: "range", type: "rangeOfMotion")
    #expect(event.result(in: .gmt) == text)
  }

  @Test func `a goal is reached`() throws {
    let goal = [TargetValue(value: .integer(90), unit: .degree, kind: "range")]
    let event = try event(goal, 78, unit: .degree, kind: "range", type: "rangeOfMotion")
    #expect(event.result(in: .gmt) == "78° of 90°")
  }
}
