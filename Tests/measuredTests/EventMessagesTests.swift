import Care
import Foundation
import Localization
import Testing

@testable import Terminal

/// The outcome of an event, in the words of the commands.
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

  /// The same event on the page and in the terminal of somebody who reads Chinese.
  @Test func `an event reads in the language of the command`() throws {
    let words = try #require(LanguageCatalogue.embedded.language("zh-TW"))
    let goal = [TargetValue(value: .integer(90), unit: .degree, kind: "range")]
    var event = try event(goal, 78, unit: .degree, kind: "range", type: "rangeOfMotion")
    Console.$language.withValue(words) {
      #expect(event.result(in: .gmt) == "78°（目標 90°）")
      #expect(EventState.performed.title == "未達目標")
    }
    event.outcome = Outcome(
      uuid: UUID(), event: event, values: [], createdDate: event.occurrence.start,
      answer: Answer(state: .notDone, reason: "頭痛"))
    #expect(event.result(in: .gmt) == "not done (頭痛)")
    Console.$language.withValue(words) { #expect(event.result(in: .gmt) == "未做（頭痛）") }
  }

  /// One of both pressures must not read as a whole measurement.
  @Test(
    arguments: [
      ([128, 82], "128/82 mmHg"), ([nil, 82], "Diastolic pressure: 82 mmHg"),
      ([128, nil], "Systolic pressure: 128 mmHg"),
    ] as [([Double?], String)])
  func `both pressures are one value`(pressures: [Double?], text: String) throws {
    let start = try #require(Date(rfc3339: "2026-11-20T09:00:00Z"))
    let quantities = [Quantity.bloodPressureSystolic, .bloodPressureDiastolic]
    let planned = PlannedTask(
      id: "pressure", patient: "john", title: "Pressure",
      schedule: try Schedule([
        ScheduleElement(start: start, interval: Interval(days: 1), timeZone: .gmt)
      ]),
      linkages: quantities.map { Linkage(quantity: $0, type: .discrete, unit: $0.unit) })
    let task = CareTask(uuid: UUID(), planned: planned, effectiveDate: start, createdDate: start)
    let occurrence = try #require(task.schedule.occurrence(at: 0))
    let event = Event(task: task, version: 1, occurrence: occurrence)
    let values = zip(planned.linkages, pressures).compactMap { linkage, pressure in
      pressure.map {
        OutcomeValue(
          value: .double($0), unit: linkage.unit, kind: planned.valueKind(of: linkage),
          time: start, provenance: .active)
      }
    }
    let answered = Event(
      task: task, version: 1, occurrence: occurrence,
      outcome: Outcome(uuid: UUID(), event: event, values: values, createdDate: start))
    #expect(answered.result(in: .gmt) == text)
  }
}
