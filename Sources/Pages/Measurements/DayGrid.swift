import Foundation

/// How much of the past a page shows.
package enum PageSpan: String, CaseIterable, Sendable {
  case week, month, year

  /// How many days it has, ending with the day that is asked for.
  package var dayCount: Int {
    switch self {
    case .week: 7
    case .month: 30
    case .year: 365
    }
  }
}

/// A row of local days that follow each other.
struct DayGrid: Hashable, Sendable {
  /// The first moments of the days.
  let starts: [Date]
  /// The first moment after the last day.
  let end: Date
  /// The zone whose days they are.
  let timeZone: TimeZone

  /// The days that end with the one of `date`.
  ///
  /// - Parameters:
  ///   - date: An instant of the last day.
  ///   - count: How many days, at least 1 and at most 3660.
  ///   - timeZone: The zone whose days they are.
  init(endingOn date: Date, count: Int, in timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let last = calendar.startOfDay(for: date)
    let count = min(max(count, 1), 3660)
    starts = (0..<count).reversed().map { back in
      let day = calendar.date(byAdding: .day, value: -back, to: last)
      return day.map(calendar.startOfDay) ?? last - Double(back) * 86_400
    }
    let next = calendar.date(byAdding: .day, value: 1, to: last)
    end = next.map(calendar.startOfDay) ?? last + 86_400
    self.timeZone = timeZone
  }

  /// As many days before these.
  var previous: DayGrid { DayGrid(endingOn: start - 1, count: count, in: timeZone) }

  /// The first moment.
  var start: Date { starts.first ?? end }
  /// How many days.
  var count: Int { starts.count }

  /// The place of the day that contains `date`; `nil` outside.
  func place(of date: Date) -> Int? {
    guard date >= start, date < end else { return nil }
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= date { low = middle } else { high = middle }
    }
    return low
  }

  /// The first moment after the day at `place`.
  func end(of place: Int) -> Date { starts.element(place + 1) ?? end }

  /// Where an instant lies, in days from the beginning; for charts.
  func position(of date: Date) -> Double {
    guard let place = place(of: date) else { return date < start ? 0 : Double(count) }
    let length = end(of: place).timeIntervalSince(starts[place])
    return Double(place) + date.timeIntervalSince(starts[place]) / max(length, 1)
  }
}
