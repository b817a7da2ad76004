public import Foundation

/// A selection of tasks; what is `nil` or empty does not narrow it.
public struct TaskQuery: Hashable, Sendable {
  /// The ids.
  public var ids: Set<String>
  /// The groups; `nil` among them stands for tasks without one.
  public var groups: Set<String?>
  /// Tags, any of which is enough.
  public var tags: Set<String>
  /// The ids of care plans; `nil` among them stands for tasks without one.
  public var carePlans: Set<String?>
  /// The span in which the tasks are in force.
  public var span: Range<Date>?
  /// Whether tasks without an event in the span are left out.
  public var excludesEmpty: Bool

  /// Makes a query.
  public init(
    ids: Set<String> = [], groups: Set<String?> = [], tags: Set<String> = [],
    carePlans: Set<String?> = [], span: Range<Date>? = nil, excludesEmpty: Bool = false
  ) {
    self.ids = ids
    self.groups = groups
    self.tags = tags
    self.carePlans = carePlans
    self.span = span
    self.excludesEmpty = excludesEmpty
  }

  /// The version of a task that the query finds.
  ///
  /// That is the version in force at the last instant of the span (of an empty one, at its only
  /// instant), without a span the one in force now, else the first that will be. A task that ended,
  /// or whose schedule ended, before the span is not found; the other conditions are those of the
  /// version that is found.
  ///
  /// - Parameters:
  ///   - history: The task.
  ///   - now: The current time.
  /// - Returns: `nil` if the task does not match.
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` for too long a span, if
  ///   ``excludesEmpty``.
  public func version(of history: TaskHistory, now: Date) throws(ScheduleError) -> CareTask? {
    guard let version = span.map({ history.version(in: $0) }) ?? history.current(at: now),
      ids.isEmpty || ids.contains(version.id),
      groups.isEmpty || groups.contains(version.group),
      tags.isEmpty || !tags.isDisjoint(with: version.tags),
      carePlans.isEmpty || carePlans.contains(version.carePlan)
    else { return nil }
    guard excludesEmpty else { return version }
    // Without a span the question is whether anything is still to come.
    guard let span else { return try history.next(after: now) == nil ? nil : version }
    return try history.hasEvent(in: span) ? version : nil
  }
}

extension TaskHistory {
  /// The version in force at the end of `span`, unless the task was over before the span.
  fileprivate func version(in span: Range<Date>) -> CareTask? {
    let last = span.isEmpty ? span.lowerBound : Date(microseconds: span.upperBound.microseconds - 1)
    guard let version = version(at: last) else { return nil }
    if version.isEnded, version.effectiveDate <= span.lowerBound { return nil }
    guard let count = version.schedule.count else { return version }
    let end = version.schedule.occurrence(at: count - 1)?.end ?? version.effectiveDate
    return end < span.lowerBound && version.effectiveDate <= span.lowerBound ? nil : version
  }

  /// Whether an event begins in `span` or lasts into it.
  fileprivate func hasEvent(in span: Range<Date>) throws(ScheduleError) -> Bool {
    try events(from: span.lowerBound, to: span.upperBound).contains { event in
      event.occurrence.end > span.lowerBound || event.occurrence.start >= span.lowerBound
    }
  }

  /// The first event that starts after `date`; `nil` if there is none within ten years.
  ///
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)``, if the task has very many at once.
  public func next(after date: Date) throws(ScheduleError) -> Event? {
    let day: TimeInterval = 86_400
    var (from, length) = (date, day)
    // Most tasks are due within a day; the others cost a few searches.
    while from < date + 3_653 * day {
      let found: [Event]
      do {
        found = try events(from: from, to: from + length)
      } catch .tooManyOccurrences(let limit) {
        // A task that is due each second.
        guard length > 60 else { throw .tooManyOccurrences(limit: limit) }
        length /= 8
        continue
      }
      let later = found.filter { $0.occurrence.start > date }
      if let first = later.min(by: { $0.occurrence.start < $1.occurrence.start }) { return first }
      (from, length) = (from + length, min(length * 2, 366 * day))
    }
    return nil
  }
}
