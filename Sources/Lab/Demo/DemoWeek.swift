import Foundation
import Radio
import Terminal
import Traces

/// The synthetic patient's week, one day at a time.
struct DemoWeek: Sendable {
  /// The patient's time zone.
  var timeZone: TimeZone
  /// The first day's midnight.
  var start: Date

  /// The patient's activities on one day.
  struct Day: Sendable {
    /// The weight in units of 5 g; `nil` on a day without weighing.
    var weight: Int?
    /// How far the knee bends, in thousandths of a degree; `nil` on a day without the exercise.
    var bend: Int?
    /// Seconds of walking; 0 on a day without a walk.
    var walk: Int
  }

  /// Seven days with a missed weighing, a knee that gains range, and walks of different lengths.
  static let days = [
    Day(weight: 16_430, bend: 78_000, walk: 540), Day(weight: 16_402, bend: 84_000, walk: 560),
    Day(weight: 16_446, bend: 92_000, walk: 300), Day(weight: 16_384, bend: 95_000, walk: 520),
    Day(weight: nil, bend: 97_000, walk: 600), Day(weight: 16_376, bend: nil, walk: 0),
    Day(weight: 16_352, bend: 104_000, walk: 640),
  ]

  /// The recording of the week; each day is made when the replay reaches it.
  var trace: SyntheticTrace {
    SyntheticTrace(Self.days.indices.map { index in { events(of: index) } })
  }

  private func events(of index: Int) -> [TimedEvent] {
    let sensors = SyntheticSensors(timeZone: timeZone)
    let day = Self.days[index]
    var events: [TimedEvent] = []
    if let weight = day.weight {
      events += sensors.weighIn(
        at: time(index, 7, 5 + index), steps5g: weight, impedance: 498 + index)
    }
    if index == 3 {
      // A visitor's weight, far from the patient's: it stays unassigned.
      events += sensors.weighIn(at: time(index, 8, 10), steps5g: 11_840, impedance: nil)
    }
    if let bend = day.bend {
      events += sensors.kneeBends(at: time(index, 9, 12), range: bend, repetitions: 3)
    }
    if day.walk > 0 {
      events += sensors.walk(
        at: time(index, 17, 20), seconds: day.walk, cadence: 104 + index, heartRate: 96 + index)
    }
    return events
  }

  private func time(_ day: Int, _ hour: Int, _ minute: Int) -> Date {
    start.addingTimeInterval(Double(day * 86_400 + hour * 3600 + minute * 60))
  }
}
