import Care
import Foundation

/// One element's occurrences as Foundation's `Calendar` computes them: the reference for the
/// arithmetic, in results and in speed.
struct CalendarExpansion {
  private let element: ScheduleElement
  private let calendar: Calendar

  init(_ element: ScheduleElement) {
    self.element = element
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = element.timeZone
    self.calendar = calendar
  }

  /// Occurrence `n`; `nil` at the element's end, or at the year 10000 for an open one.
  func occurrence(_ n: Int) -> ScheduleOccurrence? {
    guard let start = start(n) else { return nil }
    switch element.duration {
    case .seconds(let seconds):
      return ScheduleOccurrence(
        index: n, start: start, end: start + seconds, isAllDay: false, element: element)
    case .allDay:
      guard let tomorrow = calendar.date(byAdding: .day, value: 1, to: start) else { return nil }
      return ScheduleOccurrence(
        index: n, start: start, end: calendar.startOfDay(for: tomorrow) - 1, isAllDay: true,
        element: element)
    }
  }

  /// The occurrences that start before `to` and end at `from` or after.
  func occurrences(from: Date, to: Date) -> [ScheduleOccurrence] {
    // No event of these tests lasts longer than five days.
    var n = firstIndex { $0 >= from - 6 * 86_400 }
    var found: [ScheduleOccurrence] = []
    while let occurrence = occurrence(n), occurrence.start < to {
      if occurrence.end >= from { found.append(occurrence) }
      n += 1
    }
    return found
  }

  private func start(_ n: Int) -> Date? {
    let step = element.interval
    let components = DateComponents(
      year: step.years * n, month: step.months * n, day: step.days * n, hour: step.hours * n,
      minute: step.minutes * n, second: step.seconds * n, weekOfYear: step.weeks * n)
    guard var start = calendar.date(byAdding: components, to: element.start) else { return nil }
    if element.duration == .allDay { start = calendar.startOfDay(for: start) }
    return start < element.end ?? Date(timeIntervalSince1970: 253_402_300_799) ? start : nil
  }

  private func firstIndex(where isPast: (Date) -> Bool) -> Int {
    func isAhead(_ n: Int) -> Bool { start(n).map { !isPast($0) } ?? false }
    var high = 1
    while isAhead(high) { high *= 2 }
    var low = 0
    while low < high {
      let middle = (low + high) / 2
      if isAhead(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
