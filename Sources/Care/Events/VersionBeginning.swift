package import Foundation

extension TaskHistory {
  /// When a next version with this schedule begins, if nobody says when.
  ///
  /// It begins now, unless the day would then ask for more or less than a whole day of the new
  /// schedule: a plan that moves a dose taken at 08:00 to 10:00 does not ask for it again. Such a
  /// version begins with the day as long as nothing of the day was answered or is over, else at the
  /// next local midnight, and the day goes on as it began.
  ///
  /// - Parameters:
  ///   - schedule: The new version's schedule, in whose first element's zone days begin.
  ///   - now: When the version is made.
  ///   - isAnswered: Whether an event of the day has an outcome.
  /// - Returns: The effective date.
  /// - Throws: The errors of `isAnswered`.
  package func beginning<Failure: Error>(
    of schedule: Schedule, madeAt now: Date, isAnswered: (Event) throws(Failure) -> Bool
  ) throws(Failure) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = schedule.elements.first?.timeZone ?? .gmt
    let today = calendar.startOfDay(for: now)
    guard let after = calendar.date(byAdding: .day, value: 1, to: today),
      let old = (try? events(from: today, to: after))?.filter({ $0.occurrence.start >= today }),
      let new = (try? schedule.occurrences(from: today, to: after))?.filter({ $0.start >= today })
    else { return now }
    func isWhole(from date: Date) -> Bool {
      old.count { $0.occurrence.start < date } + new.count { $0.start >= date } == new.count
    }
    if isWhole(from: now) { return now }
    let tomorrow = calendar.startOfDay(for: after)
    // A version that began today is replaced, not preceded.
    let first = max(today, versions.map(\.effectiveDate).filter { $0 <= now }.max() ?? today)
    guard isWhole(from: first), !new.contains(where: { $0.overFrom <= now }),
      !old.contains(where: { $0.occurrence.overFrom <= now })
    else { return tomorrow }
    for event in old where try isAnswered(event) { return tomorrow }
    return first
  }
}

extension ScheduleElement {
  /// The element of a new task: without the occurrences of today that are over already, which
  /// nobody could have answered.
  ///
  /// An element that began before today, or whose later occurrences depend on the first one (the
  /// 31st of each month), stays as it is.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The element, which begins with its first occurrence that is not over.
  package func begun(at now: Date) -> ScheduleElement {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let expansion = ElementExpansion(self)
    guard start <= now, expansion.start(0) >= calendar.startOfDay(for: now) else { return self }
    var first = 0
    if case .seconds(let seconds) = duration {
      first = max(0, expansion.count(before: now - max(seconds, 1)) - 1)
    }
    while expansion.occurrence(first, startingAt: expansion.start(first)).overFrom <= now {
      first += 1
      guard expansion.start(first) < expansion.limit else { return self }
    }
    guard first > 0,
      let later = try? ScheduleElement(
        start: expansion.start(first), end: end, interval: interval, duration: duration,
        targets: targets, text: text, timeZone: timeZone,
        selection: selection.anchored(CalendarDate(start, in: timeZone)))
    else { return self }
    let moved = ElementExpansion(later)
    let isAlike = (1...12).allSatisfy { moved.start($0) == expansion.start(first + $0) }
    return isAlike ? later : self
  }
}

extension Schedule {
  /// The schedule of a new task: see ``ScheduleElement/begun(at:)``.
  package func begun(at now: Date) -> Schedule {
    (try? Schedule(elements.map { $0.begun(at: now) })) ?? self
  }
}
