import Care
import CareStore
import Foundation
import Terminal
import Traces

/// The four weeks before the demo's week: weighings, so that a trend can be seen.
struct DemoHistory: Sendable {
  /// The patient's time zone.
  var timeZone: TimeZone
  /// The midnight after the last day.
  var end: Date

  /// How many days it has.
  static let count = 28

  /// The weighings of those days, without every sixth.
  var trace: SyntheticTrace {
    SyntheticTrace(
      (0..<Self.count).filter { $0 % 6 != 4 }.map { index in
        {
          // 83.3 kg to 82.2 kg, up to 0.4 kg off.
          let daily = (index * 7919) % 17 - 8
          return SyntheticSensors(timeZone: timeZone).weighIn(
            at: DemoDay(timeZone: timeZone, end: end).time(index - Self.count, 7, 5 + index % 20),
            steps5g: 16_660 - index * 8 + daily * 10, impedance: 497 + index % 7)
        }
      })
  }
}

/// The entries by hand of the demo's patient, over five weeks.
struct DemoAnswers {
  /// The patient's time zone.
  var timeZone: TimeZone
  /// The first day of the demo's week.
  var start: Date
  /// The current time: later events are open.
  var now: Date

  /// Stores the answers; an event that has one keeps it.
  func record(in store: SQLStore) async throws {
    for index in -DemoHistory.count..<7 {
      let day = DemoDay(timeZone: timeZone, end: start)
      let (from, to) = (day.time(index, 0, 0), day.time(index + 1, 0, 0))
      try await store.write { writer in
        let events = try writer.events(patient: nil, task: nil, from: from, to: to)
          .filter { $0.occurrence.start >= from && $0.outcome == nil }
        for event in events {
          guard let (answer, values, time) = answer(to: event, day: index), time <= now else {
            continue
          }
          _ = try writer.setOutcome(values, answer: answer, of: event.reference, now: time)
        }
      }
    }
  }

  /// The patient's answer to an event; `nil` for none.
  private func answer(
    to event: Event, day index: Int
  ) -> (Answer, [OutcomeValue], Date)? {
    let place = index + DemoHistory.count
    let hasStretched = place * 7 % 10 < 6
    func value(_ value: Value, _ kind: String?, _ unit: UnitOfMeasure?, _ time: Date)
      -> OutcomeValue
    {
      OutcomeValue(value: value, unit: unit, kind: kind, time: time, provenance: .manual)
    }
    let begin = event.occurrence.start
    switch event.task.id {
    case "medicine":
      let number = place * 3 + event.occurrence.index % 3
      if number % 19 == 5 { return nil }
      if number % 31 == 11 {
        return (Answer(state: .notDone, reason: "None left at home"), [], begin + 3_600)
      }
      return (.done, [], begin + Double(number * 131 % 2_400) + 240)
    case "stretch":
      return hasStretched ? (.done, [], begin + 10 * 3_600) : nil
    case "check-in":
      guard place % 9 != 7 else { return nil }
      let time = begin + 5_400
      let pain = (hasStretched ? 3 : 5) + place * 5 % 3 - 1 - place / 20
      let sleep = 6.5 + Double(place * 13 % 5) / 2
      return (
        .done,
        [
          value(.integer(Int64(pain)), "pain", nil, time),
          value(.double(sleep), "sleep", .hour, time),
        ], time
      )
    case "water":
      let times = (0..<(2 + place % 3)).map { begin + 8 * 3_600 + Double($0) * 6_300 }
      return times.last.map { (.done, times.map { value(.boolean(true), nil, nil, $0) }, $0) }
    default: return nil
    }
  }
}

/// Times of the demo's days, by their distance from one of them.
private struct DemoDay {
  let timeZone: TimeZone
  let end: Date

  /// The time of the day so many days after ``end``'s.
  func time(_ days: Int, _ hour: Int, _ minute: Int) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let day = calendar.date(byAdding: .day, value: days, to: end) ?? end
    return day.addingTimeInterval(Double(hour * 3_600 + minute * 60))
  }
}
