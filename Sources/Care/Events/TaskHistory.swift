public import Foundation

/// All versions of one task, and which of them speaks for which occurrence.
///
/// A version speaks from its effective date until the next one's. Of two with the same effective
/// date only the newer one speaks. An occurrence that began before the next version became effective
/// stays with its own, even where it lasts beyond; so on the day of a change two events may show.
public struct TaskHistory: Hashable, Sendable {
  /// The versions, oldest first: the first is version 1.
  public let versions: [CareTask]
  /// The spans in which versions speak, by effective date.
  private let reigns: [Reign]

  private struct Reign: Hashable {
    var index: Int
    var from: Date
    var until: Date?
  }

  /// Takes the versions of one task, oldest first.
  public init(_ versions: [CareTask]) {
    self.versions = versions
    let ordered = versions.enumerated().sorted {
      ($0.element.effectiveDate, $0.offset) < ($1.element.effectiveDate, $1.offset)
    }
    let nexts = ordered.dropFirst().map { Optional($0) } + [nil]
    reigns = zip(ordered, nexts).compactMap { version, next in
      let from = version.element.effectiveDate
      guard next?.element.effectiveDate != from else { return nil }
      return Reign(index: version.offset, from: from, until: next?.element.effectiveDate)
    }
  }

  /// The events that start before `to` and end at `from` or after, sorted; without outcomes.
  ///
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` for a span too long.
  public func events(from: Date, to: Date) throws(ScheduleError) -> [Event] {
    var events: [Event] = []
    for reign in reigns {
      let occurrences = try versions[reign.index].schedule.occurrences(
        from: max(from, reign.from), to: min(to, reign.until ?? to))
      events += occurrences.map { event(reign.index, $0) }
    }
    return events.sorted()
  }

  /// The versions' events with this occurrence number, of those versions that it belongs to.
  ///
  /// Every version counts its own occurrences, so there can be several.
  public func events(at occurrence: Int) -> [Event] {
    reigns.compactMap { reign in
      guard let found = versions[reign.index].schedule.occurrence(at: occurrence),
        owns(found, in: reign)
      else { return nil }
      return event(reign.index, found)
    }.sorted { $0.version < $1.version }
  }

  /// The event that is meant.
  ///
  /// - Returns: `nil` where there is no such version or occurrence, or where it belongs to another
  ///   version.
  public func event(_ reference: EventReference) -> Event? {
    guard let reign = reigns.first(where: { versions[$0.index].uuid == reference.taskUUID }),
      let found = versions[reign.index].schedule.occurrence(at: reference.occurrence),
      owns(found, in: reign)
    else { return nil }
    return event(reign.index, found)
  }

  /// The version that speaks at `date`; `nil` before the first.
  public func version(at date: Date) -> CareTask? {
    reigns.last { $0.from <= date }.map { versions[$0.index] }
  }

  private func owns(_ occurrence: ScheduleOccurrence, in reign: Reign) -> Bool {
    guard occurrence.end >= reign.from else { return false }
    guard let until = reign.until else { return true }
    return occurrence.start < until
  }

  private func event(_ index: Int, _ occurrence: ScheduleOccurrence) -> Event {
    Event(task: versions[index], version: index + 1, occurrence: occurrence)
  }
}

/// Events sort by start, then by their version's id as text, then by occurrence: the same on every
/// machine, whatever order they were found in.
extension Event: Comparable {
  public static func < (a: Event, b: Event) -> Bool {
    guard a.occurrence.start == b.occurrence.start else {
      return a.occurrence.start < b.occurrence.start
    }
    let (first, second) = (a.task.uuid.uuidString, b.task.uuid.uuidString)
    return (first, a.occurrence.index) < (second, b.occurrence.index)
  }
}
