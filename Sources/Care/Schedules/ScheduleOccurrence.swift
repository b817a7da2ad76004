public import Foundation

/// One occurrence of a schedule.
public struct ScheduleOccurrence: Hashable, Sendable {
  /// Its position in the whole schedule, counted from the schedule's start for every query.
  public var index: Int
  /// When it starts.
  public var start: Date
  /// When it ends; an all-day occurrence ends one second before the next local midnight.
  public var end: Date
  /// Whether it lasts a whole local day.
  public var isAllDay: Bool
  /// The element it comes from.
  public var element: ScheduleElement

  /// Makes an occurrence.
  public init(index: Int, start: Date, end: Date, isAllDay: Bool, element: ScheduleElement) {
    self.index = index
    self.start = start
    self.end = end
    self.isAllDay = isAllDay
    self.element = element
  }
}

extension Schedule {
  /// The most occurrences that one query returns, which bounds its memory.
  public static let occurrenceLimit = 1_000_000

  /// The occurrences that start before `to` and end at `from` or after, by start.
  ///
  /// So one that ended exactly at `from` is included, and one of no length at `to` is not. The cost
  /// grows with the number of occurrences in the answer, not with their distance from the
  /// schedule's start.
  ///
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` beyond ``occurrenceLimit``.
  public func occurrences(from: Date, to: Date) throws(ScheduleError) -> [ScheduleOccurrence] {
    try occurrences(from: from, to: to, limit: Self.occurrenceLimit)
  }

  /// The same, if they are at most `limit`.
  func occurrences(
    from: Date, to: Date, limit: Int
  ) throws(ScheduleError) -> [ScheduleOccurrence] {
    let expansions = elements.map(ElementExpansion.init)
    let ranges = expansions.map { $0.indices(from: from, to: to) }
    var total = 0
    for range in ranges { total = total.saturatingSum(range.count) }
    guard total <= limit else { throw .tooManyOccurrences(limit: limit) }
    var places: [Place] = []
    places.reserveCapacity(total)
    for (element, range) in ranges.enumerated() {
      places += range.map { Place(start: expansions[element].start($0), element: element, n: $0) }
    }
    places.sort()
    guard let first = places.first else { return [] }
    var ranking = MergedRanking(expansions, ranges, from: from, first: first)
    return places.compactMap { place in
      // A step that is left out has a number, too.
      let index = ranking.rank(of: place)
      guard !elements[place.element].leavesOut(place.start) else { return nil }
      return expansions[place.element].occurrence(index, startingAt: place.start)
    }
  }

  /// The occurrence at a position of the whole schedule; `nil` past its end, below 0, and for a step
  /// that is left out.
  ///
  /// The cost grows with the number of elements, hardly with the position.
  public func occurrence(at index: Int) -> ScheduleOccurrence? {
    guard index >= 0 else { return nil }
    let expansions = elements.map(ElementExpansion.init)
    guard let place = Place(at: index, in: expansions, from: startDate),
      !elements[place.element].leavesOut(place.start)
    else { return nil }
    return expansions[place.element].occurrence(index, startingAt: place.start)
  }
}

/// The place of an occurrence: by start, then by the order of the elements.
struct Place: Comparable {
  let start: Date
  let element: Int
  let n: Int

  static func < (a: Place, b: Place) -> Bool {
    (a.start, a.element, a.n) < (b.start, b.element, b.n)
  }
}

extension Place {
  /// The place at a position of the merged order; `nil` past the end.
  ///
  /// Brackets its start between two dates by the numbers of occurrences before them, and lists what
  /// lies between once that is little.
  init?(at index: Int, in expansions: [ElementExpansion], from startDate: Date) {
    if expansions.count == 1 {
      let start = expansions[0].start(index)
      guard start < expansions[0].limit else { return nil }
      self.init(start: start, element: 0, n: index)
      return
    }
    // Midnight may come before an all-day element's start.
    var low = (date: startDate - 2 * 86_400, count: 0)
    var high: (date: Date, count: Int)?
    let limit = expansions.map(\.limit).max() ?? startDate
    let few = 64
    let perSecond = expansions.reduce(0) { $0 + 1 / $1.element.interval.mean }
    var reach = Double(few / 4) / perSecond
    var estimate = low.date + Double(index) / perSecond
    while true {
      if let high {
        let span = high.date.timeIntervalSince(low.date)
        if high.count - low.count <= few || span <= 1 { break }
        if estimate <= low.date || estimate >= high.date { estimate = low.date + span / 2 }
      }
      let date = min(estimate, limit)
      let count = expansions.reduce(0) { $0 + $1.count(before: date) }
      let missing = (Double(index) - Double(count)) / perSecond
      if count > index {
        high = (date, count)
        estimate = date + missing - reach
      } else if date < limit {
        low = (date, count)
        estimate = date + missing + reach
      } else {
        return nil
      }
      // Elements that begin late or have ended mislead the estimate, so its error may grow.
      reach *= 2
    }
    let until = high?.date ?? limit
    let places = expansions.enumerated().flatMap { element, expansion in
      let first = expansion.count(before: low.date)
      return (first..<max(first, expansion.count(before: until))).map {
        Place(start: expansion.start($0), element: element, n: $0)
      }
    }.sorted()
    guard places.indices.contains(index - low.count) else { return nil }
    self = places[index - low.count]
  }
}

/// Counts how many occurrences of the whole schedule come before each place of an answer.
///
/// An answer holds a range of each element's occurrences, and its places come in ascending order.
/// So what comes before a place is what comes before all ranges, and the places so far. Only while
/// an occurrence that began long ago still lasts, others before their ranges can start after it:
/// those elements are late, until a place has passed their range's beginning.
struct MergedRanking {
  private let expansions: [ElementExpansion]
  /// For each element, how many occurrences come before its range, and places before the current.
  private var counts: [Int]
  /// Their sum.
  private var total: Int
  private var late: [Late] = []

  /// An element with occurrences before its range that start after the last place.
  private struct Late {
    let element: Int
    /// How many occurrences come before its range.
    let total: Int
    /// How many of them come before the last place.
    var count: Int
    /// The next of them.
    var next: Place
  }

  init(
    _ expansions: [ElementExpansion], _ ranges: [Range<Int>], from: Date, first: Place
  ) {
    self.expansions = expansions
    counts = ranges.map(\.lowerBound)
    total = counts.reduce(0, +)
    // Occurrences before a range ended, so also started, before the answer's beginning.
    guard first.start < from else { return }
    for (element, range) in ranges.enumerated() where range.lowerBound > 0 {
      guard place(range.lowerBound - 1, of: element) > first else { continue }
      let count = expansions[element].count(before: first.start, orAt: element < first.element)
      late.append(
        Late(
          element: element, total: range.lowerBound, count: count,
          next: place(count, of: element)))
    }
  }

  /// The rank of the next place.
  mutating func rank(of place: Place) -> Int {
    // Its own number, not the count so far: `Calendar` can put two starts of Samoa out of order.
    var rank = total - counts[place.element] + place.n
    counts[place.element] += 1
    total += 1
    guard !late.isEmpty else { return rank }
    for index in late.indices where late[index].element != place.element {
      advance(index, to: place)
      rank -= late[index].total - late[index].count
    }
    late.removeAll { $0.count == $0.total || $0.element == place.element }
    return rank
  }

  private mutating func advance(_ index: Int, to place: Place) {
    var late = late[index]
    defer { self.late[index] = late }
    guard late.next < place else { return }
    late.count += 1
    guard late.count < late.total else { return }
    late.next = self.place(late.count, of: late.element)
    // Usually only one more occurrence comes before; otherwise jump.
    guard late.next < place else { return }
    let count = expansions[late.element].count(
      before: place.start, orAt: late.element < place.element)
    late.count = min(count, late.total)
    late.next = self.place(late.count, of: late.element)
  }

  private func place(_ n: Int, of element: Int) -> Place {
    Place(start: expansions[element].start(n), element: element, n: n)
  }
}

// MARK: - Element expansion

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
