public import Foundation

/// All versions of one task, and which of them each occurrence belongs to.
///
/// A version is effective from its effective date until the next one's. Of two with the same date
/// only the newer one is. An occurrence that started before the next version became effective stays
/// with its own version, even if it lasts longer, so the day of a change may have two events.
public struct TaskHistory: Hashable, Sendable {
  /// The versions, oldest first: the first is version 1.
  public let versions: [CareTask]
  /// The periods in which versions are effective, by date.
  private let periods: [EffectivePeriod]

  private struct EffectivePeriod: Hashable {
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
    periods = zip(ordered, nexts).compactMap { version, next in
      let from = version.element.effectiveDate
      guard next?.element.effectiveDate != from else { return nil }
      return EffectivePeriod(index: version.offset, from: from, until: next?.element.effectiveDate)
    }
  }

  /// The events that start before `to` and end at `from` or after, sorted; without outcomes.
  ///
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` for too long a span.
  public func events(from: Date, to: Date) throws(ScheduleError) -> [Event] {
    var events: [Event] = []
    for period in periods {
      let occurrences = try versions[period.index].schedule.occurrences(
        from: max(from, period.from), to: min(to, period.until ?? to))
      events += occurrences.map { event(period.index, $0) }
    }
    return events.sorted()
  }

  /// The events with this occurrence number, one for each version that owns such an occurrence.
  ///
  /// Every version counts its own occurrences, so there can be several.
  public func events(at occurrence: Int) -> [Event] {
    periods.compactMap { period in
      guard let found = versions[period.index].schedule.occurrence(at: occurrence),
        owns(found, in: period)
      else { return nil }
      return event(period.index, found)
    }.sorted { $0.version < $1.version }
  }

  /// The event of a reference.
  ///
  /// - Returns: `nil` if there is no such version or occurrence, or it belongs to another version.
  public func event(_ reference: EventReference) -> Event? {
    guard let period = periods.first(where: { versions[$0.index].uuid == reference.taskUUID }),
      let found = versions[period.index].schedule.occurrence(at: reference.occurrence),
      owns(found, in: period)
    else { return nil }
    return event(period.index, found)
  }

  /// The version that is effective at `date`; `nil` before the first.
  public func version(at date: Date) -> CareTask? {
    periods.last { $0.from <= date }.map { versions[$0.index] }
  }

  private func owns(_ occurrence: ScheduleOccurrence, in period: EffectivePeriod) -> Bool {
    guard occurrence.end >= period.from else { return false }
    guard let until = period.until else { return true }
    return occurrence.start < until
  }

  private func event(_ index: Int, _ occurrence: ScheduleOccurrence) -> Event {
    Event(task: versions[index], version: index + 1, occurrence: occurrence)
  }
}
