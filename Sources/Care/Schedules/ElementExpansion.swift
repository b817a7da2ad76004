import Foundation

/// The occurrences of one element.
///
/// An immutable class: copies of a value this large would cost more than the arithmetic.
final class ElementExpansion {
  let element: ScheduleElement
  /// No occurrence starts at or after this: the element's end or, for an open one, the year 10000.
  let limit: Date
  private let steps: AnchoredSteps

  init(_ element: ScheduleElement) {
    self.element = element
    limit = element.end ?? ScheduleElement.dates.upperBound
    steps = AnchoredSteps(element)
  }

  /// How many occurrences there are; a bisection.
  var count: Int { count(before: limit) }

  /// The start of occurrence `n`.
  func start(_ n: Int) -> Date { steps.start(n) }

  /// The end of the occurrence that starts at `start`.
  func end(_ start: Date) -> Date {
    switch element.duration {
    case .allDay: steps.nextMidnight(after: start) - 1
    case .seconds(let seconds): start + seconds
    }
  }

  /// The occurrence that starts at `start`, with its position in the whole schedule.
  func occurrence(_ index: Int, startingAt start: Date) -> ScheduleOccurrence {
    ScheduleOccurrence(
      index: index, start: start, end: end(start), isAllDay: element.duration == .allDay,
      element: element)
  }

  /// How many occurrences start before `date`, or at it if `orAt` is true.
  func count(before date: Date, orAt: Bool = false) -> Int {
    let orAt = orAt && date < limit
    let date = min(date, limit)
    return steps.firstIndex(near: date) { orAt ? $0 > date : $0 >= date }
  }

  /// The occurrences that start before `to` and end at `from` or after.
  func indices(from: Date, to: Date) -> Range<Int> {
    let length: Double =
      switch element.duration {
      case .allDay: 86_400
      case .seconds(let seconds): seconds
      }
    let first = steps.firstIndex(near: from - length) { end($0) >= from }
    let last = count(before: to)
    return min(first, last)..<last
  }
}
