public import Foundation

/// All versions of one task, and which of them owns each occurrence.
///
/// An occurrence belongs to the version in force when it begins. A version is in force from its
/// effective date until the next one's; of two with the same date the newer one is. So a version
/// changes no day before its effective date, and no edit shows an occurrence twice. A version that
/// closes later ones (a plan's import does) outranks every earlier made version that would take
/// effect after it.
///
/// Versions order by effective date, then created date, then id, so that every store numbers them
/// alike.
public struct TaskHistory: Hashable, Sendable {
  /// The versions in their order: the first is version 1.
  public let versions: [CareTask]
  /// The periods in which versions are in force, by date.
  private let periods: [Period]

  private struct Period: Hashable {
    var index: Int
    var from: Date
    var until: Date?
  }

  /// Takes the versions of one task, in any order.
  public init(_ versions: [CareTask]) {
    let ordered = versions.sorted(by: CareTask.precedes)
    self.versions = ordered
    let open = ordered.indices.filter { index in
      !ordered.contains { $0.closes(ordered[index]) }
    }
    let inForce = open.enumerated().filter { place, index in
      guard place + 1 < open.count else { return true }
      return ordered[open[place + 1]].effectiveDate != ordered[index].effectiveDate
    }.map(\.element)
    periods = inForce.enumerated().map { place, index in
      Period(
        index: index, from: ordered[index].effectiveDate,
        until: place + 1 < inForce.count ? ordered[inForce[place + 1]].effectiveDate : nil)
    }
  }

  /// A version, and the time in which it is in force.
  package struct Span: Sendable {
    /// The version.
    package var version: CareTask
    /// The first instant.
    package var from: Date
    /// The first instant of the next one; `nil` for the last.
    package var until: Date?
  }

  /// The versions that are ever in force, by date.
  package var spans: [Span] {
    periods.map { Span(version: versions[$0.index], from: $0.from, until: $0.until) }
  }

  /// The events that start before `to` and end at `from` or after, sorted; without outcomes.
  ///
  /// - Throws: ``ScheduleError/tooManyOccurrences(limit:)`` beyond ``EventExpansion/limit``.
  public func events(from: Date, to: Date) throws(ScheduleError) -> [Event] {
    do {
      return try events(from: from, to: to, limit: EventExpansion.limit)
    } catch .tooManyOccurrences {
      throw .tooManyOccurrences(limit: EventExpansion.limit)
    }
  }

  /// Whether there are more events in a span than a list of several tasks shows of each: more than
  /// one a minute (``EventExpansion/dailyLimit`` a day).
  public func isCrowded(from: Date, to: Date) -> Bool {
    (try? events(from: from, to: to, limit: EventExpansion.crowd(from: from, to: to))) == nil
  }

  /// The events of a span, if they are at most `limit`.
  func events(from: Date, to: Date, limit: Int) throws(ScheduleError) -> [Event] {
    var events: [Event] = []
    for period in periods where period.from < to && !versions[period.index].isEnded {
      let schedule = versions[period.index].schedule
      // Occurrences that the version does not own are left out below; they are bounded as well.
      let occurrences = try schedule.occurrences(
        from: max(from, period.from), to: min(to, period.until ?? to),
        limit: limit - events.count)
      events.reserveCapacity(events.count + occurrences.count)
      var previous: (index: Int, start: Date, ordinal: Int)?
      for occurrence in occurrences {
        let ordinal = ordinal(of: occurrence, after: previous, in: schedule)
        previous = (occurrence.index, occurrence.start, ordinal)
        // Occurrences of one start have one owner, so skipping them keeps their ordinals.
        guard occurrence.start >= period.from else { continue }
        events.append(event(period.index, occurrence, ordinal: ordinal))
      }
    }
    return events
  }

  /// The events with this occurrence number, one for each version that owns such an occurrence.
  ///
  /// Every version counts its own occurrences, so there can be several.
  public func events(at occurrence: Int) -> [Event] {
    periods.compactMap { ownedEvent(at: occurrence, in: $0) }.sorted { $0.version < $1.version }
  }

  /// The event of a reference.
  ///
  /// - Returns: `nil` if there is no such version or occurrence, or it belongs to another version.
  public func event(_ reference: EventReference) -> Event? {
    periods.first { versions[$0.index].uuid == reference.taskUUID }
      .flatMap { ownedEvent(at: reference.occurrence, in: $0) }
  }

  /// The event that starts then: the one of that ordinal among those that start together.
  ///
  /// - Returns: `nil` if nothing starts then.
  public func event(startingAt start: Date, ordinal: Int) -> Event? {
    guard let period = periods.last(where: { $0.from <= start }) else { return nil }
    let next = Date(microseconds: start.microseconds + 1)
    return try? events(from: start, to: min(next, period.until ?? next))
      .first { $0.occurrence.start == start && $0.ordinal == ordinal }
  }

  /// The version in force at `date`; `nil` before the first.
  public func version(at date: Date) -> CareTask? {
    periods.last { $0.from <= date }.map { versions[$0.index] }
  }

  /// The newest version in force at `date`, else the first that will be: the task as people see it.
  public func current(at date: Date) -> CareTask? {
    (periods.last { $0.from <= date } ?? periods.first).map { versions[$0.index] }
  }

  /// Returns `event` with the words of the newest version in force at `now`, so that a corrected
  /// title shows at once; after the event's local day, with those of its owner.
  ///
  /// The schedule, targets, linkage, assessment and kind of the event stay its owner's.
  public func presented(_ event: Event, at now: Date) -> Event {
    guard let newest = periods.last(where: { $0.from <= now }),
      newest.from > event.task.effectiveDate, newest.index != event.version - 1,
      now < event.occurrence.nextMidnight
    else { return event }
    var event = event
    event.task.planned.takeWords(of: versions[newest.index].planned)
    return event
  }

  private func ownedEvent(at index: Int, in period: Period) -> Event? {
    let version = versions[period.index]
    guard !version.isEnded, let found = version.schedule.occurrence(at: index),
      found.start >= period.from, period.until.map({ found.start < $0 }) ?? true
    else { return nil }
    let ordinal = ordinal(of: found, after: nil, in: version.schedule)
    return event(period.index, found, ordinal: ordinal)
  }

  /// The place of an occurrence among those of its schedule that start together.
  private func ordinal(
    of occurrence: ScheduleOccurrence,
    after previous: (index: Int, start: Date, ordinal: Int)?, in schedule: Schedule
  ) -> Int {
    guard schedule.elements.count > 1 else { return 0 }
    if let previous, previous.index == occurrence.index - 1 {
      return previous.start == occurrence.start ? previous.ordinal + 1 : 0
    }
    return schedule.ordinal(ofOccurrence: occurrence.index, startingAt: occurrence.start)
  }

  private func event(_ index: Int, _ occurrence: ScheduleOccurrence, ordinal: Int) -> Event {
    Event(
      task: versions[index], version: index + 1, occurrence: occurrence, ordinal: ordinal)
  }
}

extension CareTask {
  /// Whether `a` comes before `b` in a task's history.
  static func precedes(_ a: CareTask, _ b: CareTask) -> Bool {
    (a.effectiveDate, a.createdDate, a.uuid.uuidString)
      < (b.effectiveDate, b.createdDate, b.uuid.uuidString)
  }

  /// Whether this version keeps `other`, which was made before it, from ever taking effect.
  package func closes(_ other: CareTask) -> Bool {
    closesLater && effectiveDate <= other.effectiveDate
      && (other.createdDate, other.uuid.uuidString) < (createdDate, uuid.uuidString)
  }
}

extension Schedule {
  /// The place of an occurrence among those that start together with it, from 0.
  package func ordinal(ofOccurrence index: Int) -> Int {
    guard let start = occurrence(at: index)?.start else { return 0 }
    return ordinal(ofOccurrence: index, startingAt: start)
  }

  /// The place of an occurrence that starts then: what comes before it less what starts before.
  ///
  /// The cost grows with the number of elements.
  func ordinal(ofOccurrence index: Int, startingAt start: Date) -> Int {
    let before = elements.reduce(0) { $0 + ElementExpansion($1).count(before: start) }
    return min(max(index - before, 0), elements.count - 1)
  }
}

extension ScheduleOccurrence {
  /// The end of the local day on which it starts.
  package var nextMidnight: Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = element.timeZone
    let tomorrow = calendar.date(byAdding: .day, value: 1, to: start) ?? end
    return calendar.startOfDay(for: tomorrow)
  }
}

// MARK: - Task query

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
