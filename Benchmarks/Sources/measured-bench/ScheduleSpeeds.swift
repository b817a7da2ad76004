import Care
import Foundation

/// Prints how long spans of schedules take, beside `Calendar` for the same occurrences.
///
/// `Calendar` is given the number of every occurrence and only computes its start and end: it does
/// not search, sort or rank.
func printScheduleSpeeds() throws {
  guard let zone = TimeZone(identifier: "America/New_York") else { return }
  // 2023-01-01, local midnight.
  let start = Date(timeIntervalSince1970: 1_672_549_200)
  let day: Double = 86_400
  let changeOfClocks = Date(timeIntervalSince1970: 1_741_492_800)

  func element(
    hour: Int = 8, every interval: Interval, lasting duration: EventDuration = .seconds(3600),
    years: Double? = nil
  ) throws -> ScheduleElement {
    try ScheduleElement(
      start: start + Double(hour) * 3600, end: years.map { start + $0 * 365.25 * day },
      interval: interval, duration: duration, timeZone: zone)
  }
  let daily = Interval(days: 1)
  let tenYears = try Schedule(
    (0..<24).map { try element(hour: $0, every: daily, years: 10) }
      + [element(every: Interval(hours: 6), years: 10)])
  let tasks = try (0..<200).map { number in
    try Schedule([
      element(
        hour: number % 24, every: daily,
        lasting: number.isMultiple(of: 5) ? .allDay : .seconds(3600))
    ])
  }

  print("\nschedules, median µs")
  print(
    column("", width: 32), column("occurrences", width: 12), "  schedule", "  Calendar", "   ratio")
  let from = start + 3000 * day
  let cases: [(String, [Schedule], Date, Double)] = [
    ("28 a day for ten years, a day", [tenYears], from, 1),
    ("the same, clocks change", [tenYears], changeOfClocks, 1),
    ("daily, a day", [try Schedule([element(every: daily)])], from, 1),
    ("all-day, a day", [try Schedule([element(every: daily, lasting: .allDay)])], from, 1),
    ("weekly, a week", [try Schedule([element(every: Interval(weeks: 1))])], from, 7),
    ("monthly, a month", [try Schedule([element(every: Interval(months: 1))])], from, 30),
    ("200 tasks, a day", tasks, from, 1),
    ("200 tasks, a year", tasks, from, 365),
  ]
  for (name, schedules, from, days) in cases {
    let to = from + days * day
    let found = try schedules.flatMap { try $0.occurrences(from: from, to: to) }
    let references = try found.map { occurrence in
      // Its number within its element.
      let own = try Schedule([occurrence.element])
        .occurrences(from: occurrence.start, to: occurrence.start + 1).last
      return (CalendarExpansion(occurrence.element), own?.index ?? 0)
    }
    let time = median {
      schedules.reduce(0) { $0 + ((try? $1.occurrences(from: from, to: to).count) ?? 0) }
    }
    let reference = median { references.count { $0.occurrence($1) != nil } }
    report(name, found.count, time, reference)
  }
  let position = 98_000
  let found = tenYears.occurrence(at: position)
  report(
    "occurrence \(position) of ten years", found == nil ? 0 : 1,
    median { tenYears.occurrence(at: position)?.index ?? 0 }, nil)
}

private func report(_ name: String, _ count: Int, _ time: Double, _ reference: Double?) {
  print(
    column(name, width: 32), column(Double(count), digits: 0, width: 12),
    column(time, digits: 2, width: 10),
    reference.map { column($0, digits: 2, width: 10) + column($0 / time, digits: 1) } ?? "")
}

/// The median time of 101 runs, in microseconds, or of as many as take a second.
private func median(_ work: () -> Int) -> Double {
  let clock = ContinuousClock()
  let begin = clock.now
  var times: [Duration] = []
  // Used, so that no work is optimised away.
  var checksum = 0
  while times.count < 101, times.count < 5 || clock.now - begin < .seconds(1) {
    times.append(clock.measure { checksum &+= work() })
  }
  precondition(checksum > 0)
  let middle = times.sorted()[times.count / 2].components
  return Double(middle.attoseconds) / 1e12 + Double(middle.seconds) * 1e6
}
