public import Foundation

/// Whom a plan tells of something, and when.
///
/// In a plan `{for: alert, to: [nora], after: 30m, urgent: true, shows: value}`. Several of one kind
/// with a growing `after` are an escalation: each is told if nobody has answered until then.
public struct NotifyRule: Hashable, Sendable {
  /// The kinds of things that a plan tells.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A threshold that is an alert, or a rule that says something.
    case alert
    /// An event that is over, with neither a value nor an answer.
    case missed
    /// A reminder, or the request for a value that has not arrived.
    case reminder
    /// A measurement that waits for an answer: whose is it?
    case question
    /// A machine that needs somebody: an empty battery, a radio that failed.
    case machine
  }

  /// The kind of thing.
  public var kind: Kind
  /// The ids of the contacts and patients who are told together.
  public var to: [String]
  /// How long nobody has answered, in seconds.
  public var after: TimeInterval
  /// Whether it rings in quiet hours, too.
  public var isUrgent: Bool
  /// Whether it says names and values, which a locked telephone shows.
  public var showsValue: Bool

  /// Makes a rule.
  public init(
    _ kind: Kind, to: [String], after: TimeInterval = 0, isUrgent: Bool = false,
    showsValue: Bool = false
  ) {
    self.kind = kind
    self.to = to
    self.after = after
    self.isUrgent = isUrgent
    self.showsValue = showsValue
  }

  /// The longest time until somebody is told, in seconds: a week.
  public static let longest: TimeInterval = 7 * 86_400
  /// The most people of one rule.
  public static let mostPeople = 16
}

/// The hours in which nothing rings that can wait, on the clock of the reader.
///
/// In a plan `{from: 22:00, to: 7:00}`.
public struct QuietHours: Hashable, Sendable {
  /// The minute of the day at which they begin, 0…1439.
  public var from: Int
  /// The minute of the day at which they end; on the next day, unless it is after ``from``.
  public var to: Int

  /// Makes them; `nil` if a minute is none of a day, or both are the same.
  public init?(from: Int, to: Int) {
    guard Self.minutes.contains(from), Self.minutes.contains(to), from != to else { return nil }
    self.from = from
    self.to = to
  }

  private static let minutes = 0..<1_440

  /// The quiet hours that contain an instant; `nil` outside.
  ///
  /// A night is one span of time, so that an hour that a change of clocks repeats is quiet once.
  public func span(containing date: Date, in timeZone: TimeZone) -> Range<Date>? {
    spans(around: date, in: timeZone).first { $0.contains(date) }
  }

  /// The end of the quiet hours that ended last until `date`.
  public func lastEnd(until date: Date, in timeZone: TimeZone) -> Date? {
    spans(around: date, in: timeZone).map(\.upperBound).filter { $0 <= date }.max()
  }

  /// Those that begin on the days around an instant.
  private func spans(around date: Date, in timeZone: TimeZone) -> [Range<Date>] {
    let local = LocalDateTime(date, in: timeZone)
    guard
      let noon = LocalDateTime(year: local.year, month: local.month, day: local.day, hour: 12)
        .secondsSince1970
    else { return [] }
    func instant(_ day: Int64, _ minute: Int) -> Date? {
      LocalDateTime(
        daysSince1970: noon.flooredDivision(by: 86_400).quotient + day, secondOfDay: minute * 60
      ).resolved(in: timeZone)
    }
    return (Int64(-2)...1).compactMap { day in
      guard let begin = instant(day, from), let end = instant(day + (to > from ? 0 : 1), to),
        begin < end
      else { return nil }
      return begin..<end
    }
  }
}

/// A time in which a person is not at home, so that nothing is expected of them.
///
/// In a plan `{from: 2026-12-24, to: 2026-12-27}`: both days are part of it.
public struct Absence: Hashable, Sendable {
  /// The first and the last day.
  public var from: CalendarDate
  public var to: CalendarDate

  /// Makes an absence; `nil` if it ends before it begins.
  public init?(from: CalendarDate, to: CalendarDate) {
    guard from <= to else { return nil }
    self.from = from
    self.to = to
  }

  /// Whether an instant is part of it.
  public func contains(_ date: Date, in timeZone: TimeZone) -> Bool {
    let local = LocalDateTime(date, in: timeZone)
    let day = CalendarDate(year: local.year, month: local.month, day: local.day)
    return from <= day && day <= to
  }
}

// MARK: - Coding

/// Coded in seconds, under the keys of a plan.
extension NotifyRule: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind = "for"
    case to, after, urgent, shows
  }

  private enum Shown: String, Codable {
    case value
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind),
      to: try container.decode([String].self, forKey: .to),
      after: try container.decodeIfPresent(TimeInterval.self, forKey: .after) ?? 0,
      isUrgent: try container.decodeIfPresent(Bool.self, forKey: .urgent) ?? false,
      showsValue: try container.decodeIfPresent(Shown.self, forKey: .shows) != nil)
    try decoder.require(
      (0...Self.longest).contains(after) && (1...Self.mostPeople).contains(to.count),
      "somebody is told, within a week")
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(to, forKey: .to)
    if after > 0 { try container.encode(after, forKey: .after) }
    if isUrgent { try container.encode(true, forKey: .urgent) }
    if showsValue { try container.encode(Shown.value, forKey: .shows) }
  }
}

extension QuietHours {
  /// Reads `22:00` or `7:00` as a minute of the day; `nil` for anything else.
  public static func minute(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  /// A minute of the day as a plan writes it: `07:00`.
  public static func text(ofMinute minute: Int) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return padded(minute / 60) + ":" + padded(minute % 60)
  }
}

/// Coded as in a plan: `{"from":"22:00","to":"07:00"}`.
extension QuietHours: Codable {
  private enum CodingKeys: String, CodingKey {
    case from, to
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func minute(_ key: CodingKeys) throws -> Int? {
      Self.minute(try container.decode(String.self, forKey: key))
    }
    guard let from = try minute(.from), let to = try minute(.to),
      let hours = QuietHours(from: from, to: to)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .from, in: container, debugDescription: "quiet hours begin and end in a day")
    }
    self = hours
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.text(ofMinute: from), forKey: .from)
    try container.encode(Self.text(ofMinute: to), forKey: .to)
  }
}

extension Absence: Codable {
  private enum CodingKeys: String, CodingKey {
    case from, to
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard
      let absence = Absence(
        from: try container.decode(CalendarDate.self, forKey: .from),
        to: try container.decode(CalendarDate.self, forKey: .to))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .to, in: container, debugDescription: "an absence ends before it begins")
    }
    self = absence
  }
}
