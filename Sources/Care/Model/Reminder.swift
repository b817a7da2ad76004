public import Foundation

/// When a person is reminded of an event that is not done.
///
/// In a plan `{before: 15m}`, `{after: 8h}` or `{before: 15m, every: 10m, times: 3}`. In an all-day event the time is read on the clock:
/// `after: 8h` is 08:00, also on a day that has 23 or 25 hours.
public struct Reminder: Hashable, Sendable {
  /// The time from the event's start to the first reminder, in seconds; negative before the start.
  public var offset: TimeInterval
  /// The time from one reminder to the next, in seconds, more than 0.
  public var every: TimeInterval
  /// How often it reminds at most.
  public var times: Int

  /// Makes a single reminder.
  public init(offset: TimeInterval) {
    self.init(offset: offset, every: 600, times: 1)
  }

  /// Makes several reminders.
  public init(offset: TimeInterval, every: TimeInterval, times: Int) {
    self.offset = offset
    self.every = every
    self.times = times
  }

  /// How long a page offers to put a reminder off, in minutes.
  package static let putOffs = [15, 60, 180]

  /// The longest time between a reminder and its event, in seconds: a week.
  public static let longest: TimeInterval = 7 * 86_400
  /// The offsets that a reminder may have.
  package static let offsets = -longest...longest
}

/// When a person is asked to measure or to enter a value, because no reading has arrived.
///
/// In a plan `{after: 2h}`, from the event's start. In an all-day event the time is read on the
/// clock: `after: 10h` is 10:00.
public struct Fallback: Hashable, Sendable {
  /// The time from the event's start to the question, in seconds; more than 0.
  public var after: TimeInterval

  /// Makes a fallback.
  public init(after: TimeInterval) {
    self.after = after
  }

  /// The times that a fallback may have: as long as an event at most.
  package static let times = TimeInterval.leastNonzeroMagnitude...EventDuration.longest
}

// MARK: - The moments of an event

extension Event {
  /// When its reminder is due; `nil` without one.
  public var reminderDate: Date? {
    task.reminder.map { occurrence.moment(at: $0.offset) }
  }

  /// The times at which each of its reminders is of use: until the next one comes, and the last
  /// until the event is over.
  public var reminderSpans: [Range<Date>] {
    guard let reminder = task.reminder, let span = reminderSpan, !span.isEmpty else { return [] }
    let dues = (0..<max(1, reminder.times)).map { span.lowerBound + Double($0) * reminder.every }
      .filter { $0 < span.upperBound }
    return dues.indices.map { place in
      dues[place]..<(place + 1 < dues.count ? dues[place + 1] : span.upperBound)
    }
  }

  /// When its fallback is due; `nil` without one.
  public var fallbackDate: Date? {
    task.fallback.map { occurrence.moment(at: $0.after) }
  }

  /// The times at which a reminder is of use: from its due time until the event is over, or until
  /// the fallback asks instead.
  ///
  /// Empty if the fallback comes first; `nil` without a reminder.
  public var reminderSpan: Range<Date>? {
    guard let due = reminderDate else { return nil }
    let end = occurrence.overFrom
    return due..<max(due, fallbackDate.map { min($0, end) } ?? end)
  }

  /// The times at which its fallback is of use: from its due time until the event and its local day
  /// are over; `nil` without a fallback.
  public var fallbackSpan: Range<Date>? {
    guard let due = fallbackDate else { return nil }
    return due..<max(due, occurrence.linkageEnd, occurrence.nextMidnight)
  }

  /// Until when it may ask for something: until it is over, and with a fallback until its day is.
  package var promptsUntil: Date {
    max(occurrence.overFrom, fallbackSpan?.upperBound ?? .distantPast)
  }

  /// Whether a reminder would still be of use: a person has not answered it, and it is not complete.
  public var awaitsReminder: Bool {
    task.kind != .readOnly && !isDeclined && !progress.isCompleted
  }

  /// Whether a fallback would still be of use: there is no answer and no value.
  public var awaitsFallback: Bool {
    awaitsReminder && outcome?.values.isEmpty ?? true
  }
}

extension ScheduleOccurrence {
  /// The instant `offset` seconds from the start, on the local clock for an all-day occurrence.
  fileprivate func moment(at offset: TimeInterval) -> Date {
    guard isAllDay else { return start + offset }
    let day = LocalDateTime(start, in: element.timeZone)
    let midnight = LocalDateTime(year: day.year, month: day.month, day: day.day)
    guard let shown = midnight.resolved(in: .gmt) else { return start + offset }
    return LocalDateTime(shown + offset, in: .gmt).resolved(in: element.timeZone) ?? start + offset
  }
}

// MARK: - Coding

extension Decoder {
  /// Refuses what cannot be.
  func require(_ isPossible: Bool, _ description: String) throws {
    guard !isPossible else { return }
    throw DecodingError.dataCorrupted(
      .init(codingPath: codingPath, debugDescription: description))
  }
}

/// Coded in seconds: `{"after":7200}`.
extension Fallback: Codable {
  private enum CodingKeys: String, CodingKey {
    case after
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(after: try container.decode(TimeInterval.self, forKey: .after))
    try decoder.require(
      Self.times.contains(after), "a fallback comes after the event's start, in its length")
  }
}

/// Coded in seconds, under the keys of a plan: `{"before":900}`, `{"after":28800}`.
extension Reminder: Codable {
  private enum CodingKeys: String, CodingKey {
    case before, after, every, times
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let after = try container.decodeIfPresent(TimeInterval.self, forKey: .after) {
      self.init(offset: after)
    } else {
      self.init(offset: -(try container.decode(TimeInterval.self, forKey: .before)))
    }
    every = try container.decodeIfPresent(TimeInterval.self, forKey: .every) ?? every
    times = try container.decodeIfPresent(Int.self, forKey: .times) ?? times
    try decoder.require(Self.offsets.contains(offset), "a reminder is at most a week away")
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(abs(offset), forKey: offset > 0 ? .after : .before)
    guard times > 1 else { return }
    try container.encode(every, forKey: .every)
    try container.encode(times, forKey: .times)
  }
}
