public import Foundation

/// When a task is due: one or more elements, merged by start.
public struct Schedule: Hashable, Sendable {
  /// The elements, sorted by start; those that start together keep their order.
  public let elements: [ScheduleElement]

  /// Merges elements.
  ///
  /// - Throws: ``ScheduleError/noElements`` for an empty list.
  public init(_ elements: [ScheduleElement]) throws(ScheduleError) {
    guard !elements.isEmpty else { throw .noElements }
    self.init(sorting: elements)
  }

  /// Merges the elements of several schedules; there is at least one, since every schedule has one.
  public init(_ first: Schedule, _ others: Schedule...) {
    self.init(sorting: first.elements + others.flatMap(\.elements))
  }

  init(sorting elements: [ScheduleElement]) {
    self.elements = elements.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  /// The start of the earliest element.
  public var startDate: Date { elements.map(\.start).min() ?? .distantPast }

  /// The latest end of its elements; `nil` where one of them is open.
  public var endDate: Date? {
    let ends = elements.compactMap(\.end)
    return ends.count == elements.count ? ends.max() : nil
  }

  /// How many occurrences it has; `nil` where an element is open.
  public var count: Int? {
    guard endDate != nil else { return nil }
    return elements.reduce(0) { $0 + ElementExpansion($1).count }
  }
}
