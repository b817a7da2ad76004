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
    let expansions = elements.map(ElementExpansion.init)
    let ranges = expansions.map { $0.indices(from: from, to: to) }
    var total = 0
    for range in ranges { total = total.addingReportingOverflow(range.count).partialValue }
    guard total <= Self.occurrenceLimit else {
      throw .tooManyOccurrences(limit: Self.occurrenceLimit)
    }
    var places: [Place] = []
    places.reserveCapacity(total)
    for (element, range) in ranges.enumerated() {
      places += range.map { Place(start: expansions[element].start($0), element: element, n: $0) }
    }
    places.sort()
    var ranking = MergedRanking(expansions)
    return places.map { place in
      occurrence(place, rank: ranking.rank(of: place), in: expansions[place.element])
    }
  }

  /// The occurrence at a position of the whole schedule; `nil` past its end and below 0.
  public func occurrence(at index: Int) -> ScheduleOccurrence? {
    guard index >= 0 else { return nil }
    let expansions = elements.map(ElementExpansion.init)
    if expansions.count == 1 {
      guard index < expansions[0].count else { return nil }
      let place = Place(start: expansions[0].start(index), element: 0, n: index)
      return occurrence(place, rank: index, in: expansions[0])
    }
    for (element, expansion) in expansions.enumerated() {
      // The rank of an element's occurrences grows with each of them, by at least one.
      var low = 0
      var high = min(expansion.count, index < Int.max ? index + 1 : index)
      while low < high {
        let n = low + (high - low) / 2
        let place = Place(start: expansion.start(n), element: element, n: n)
        var ranking = MergedRanking(expansions)
        let rank = ranking.rank(of: place)
        if rank == index { return occurrence(place, rank: rank, in: expansion) }
        if rank < index { low = n + 1 } else { high = n }
      }
    }
    return nil
  }

  private func occurrence(
    _ place: Place, rank: Int, in expansion: ElementExpansion
  ) -> ScheduleOccurrence {
    ScheduleOccurrence(
      index: rank, start: place.start, end: expansion.end(place.start),
      isAllDay: expansion.element.duration == .allDay, element: expansion.element)
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

/// Counts, for places in ascending order, how many occurrences of the whole schedule come before.
struct MergedRanking {
  private let expansions: [ElementExpansion]
  /// For each element, how many of its occurrences come before the last place, and the next one.
  private var cursors: [(count: Int, next: Place?)]

  init(_ expansions: [ElementExpansion]) {
    self.expansions = expansions
    cursors = expansions.indices.map { element in
      (0, Self.place(0, of: element, in: expansions))
    }
  }

  mutating func rank(of place: Place) -> Int {
    var rank = place.n
    for element in expansions.indices where element != place.element {
      advance(element, to: place)
      let (sum, overflow) = rank.addingReportingOverflow(cursors[element].count)
      rank = overflow ? .max : sum
    }
    return rank
  }

  private mutating func advance(_ element: Int, to place: Place) {
    guard let next = cursors[element].next, next < place else { return }
    // Usually only one more occurrence comes before; otherwise jump.
    var count = cursors[element].count + 1
    if let following = Self.place(count, of: element, in: expansions), following < place {
      count = expansions[element].count(before: place.start, orAt: element < place.element)
    }
    cursors[element] = (count, Self.place(count, of: element, in: expansions))
  }

  private static func place(
    _ n: Int, of element: Int, in expansions: [ElementExpansion]
  ) -> Place? {
    guard n < expansions[element].count else { return nil }
    return Place(start: expansions[element].start(n), element: element, n: n)
  }
}
