public import Foundation

/// A person with a care plan.
public struct Patient: Hashable, Sendable {
  /// The id that plans and the command line use.
  public var id: String
  /// The person's name.
  public var name: PersonName
  /// The values expected of this person, by quantity: evidence for attributing readings.
  public var expects: [String: Expectation]
  /// The units in which this person reads values; `nil` for the canonical ones.
  public var units: PreferredUnits?
  /// The zone of the person's days; `nil` for the plan's.
  public var timeZone: TimeZone?
  /// Where the person is from a day on, in another zone; by day.
  public var stays: [Stay]
  /// The language in which this person reads, a BCP 47 tag: `de`, `pt-BR`.
  public var language: String?
  /// The person's sex.
  public var sex: Sex?
  /// The date of birth.
  public var birthday: CalendarDate?
  /// The person's allergies.
  public var allergies: [String]
  /// The weights of housemates who use the same scale and of whom nothing is stored.
  public var others: [Expectation]
  /// Whom this person's tasks tell of what, unless they say so themselves.
  public var notify: [NotifyRule]
  /// The hours in which only what is urgent rings for this person.
  public var quiet: QuietHours?
  /// When the person is not at home, so that nothing is expected.
  public var away: [Absence]
  /// Whether programs may say when the person is at home, as evidence of whose a weighing is.
  public var saysPresence: Bool
  /// The ways by which messages reach the person, in the order in which they are tried.
  public var channels: [Channel]

  /// Makes a patient.
  public init(
    id: String, name: PersonName = PersonName(), expects: [String: Expectation] = [:],
    units: PreferredUnits? = nil, timeZone: TimeZone? = nil, stays: [Stay] = [],
    language: String? = nil, sex: Sex? = nil, birthday: CalendarDate? = nil,
    allergies: [String] = [],
    others: [Expectation] = [], notify: [NotifyRule] = [], quiet: QuietHours? = nil,
    away: [Absence] = [], saysPresence: Bool = false, channels: [Channel] = []
  ) {
    self.id = id
    self.name = name
    self.expects = expects
    self.units = units
    self.timeZone = timeZone
    self.stays = stays
    self.language = language
    self.sex = sex
    self.birthday = birthday
    self.allergies = allergies
    self.others = others
    self.notify = notify
    self.quiet = quiet
    self.away = away
    self.saysPresence = saysPresence
    self.channels = channels
  }
}

extension Patient {
  /// The name, or the id of a patient without one.
  package var displayName: String { name.full ?? id }
}

extension Patient {
  /// Whether the person is not at home.
  package func isAway(at date: Date, in plan: TimeZone) -> Bool {
    let zone = timeZone(at: date, in: plan)
    return away.contains { $0.contains(date, in: zone) }
  }
}

/// A person is in a zone from a day on.
public struct Stay: Hashable, Sendable {
  /// The first local day.
  public var from: CalendarDate
  /// The zone.
  public var timeZone: TimeZone

  /// Makes a stay.
  public init(from: CalendarDate, timeZone: TimeZone) {
    self.from = from
    self.timeZone = timeZone
  }
}

extension Patient {
  /// The zone of the person's day at `date`, in a plan of that zone.
  package func timeZone(at date: Date, in plan: TimeZone) -> TimeZone {
    let stay = stays.last { stay in
      stay.from.midnight(in: stay.timeZone).map { $0 <= date } ?? false
    }
    return stay?.timeZone ?? timeZone ?? plan
  }
}

extension CalendarDate {
  /// The first moment of the day.
  package func midnight(in timeZone: TimeZone) -> Date? {
    LocalDateTime(year: year, month: month, day: day).resolved(in: timeZone)
  }
}

/// A person's name.
public struct PersonName: Hashable, Sendable, Codable {
  /// The given name.
  public var given: String?
  /// The family name.
  public var family: String?

  /// Makes a name.
  public init(given: String? = nil, family: String? = nil) {
    self.given = given
    self.family = family
  }
}

extension PersonName {
  /// The whole name in the order of its own language: 林美華, Mei-hua Lin; `nil` without any part.
  package var full: String? {
    guard let given, let family else { return given ?? family }
    return isFamilyFirst ? family + given : given + " " + family
  }

  /// The first letters of the names: ML; of a name such as 林美華 the family's sign alone.
  package var initials: String {
    let parts = isFamilyFirst && family != nil ? [family] : [given, family]
    return String(parts.compactMap { $0?.first }).uppercased()
  }

  /// Whether it is written in Han characters, kana or Hangul, which put the family's name first and no
  /// space between.
  private var isFamilyFirst: Bool {
    let letters = ((given ?? "") + (family ?? "")).unicodeScalars.filter(\.properties.isAlphabetic)
    return !letters.isEmpty
      && letters.allSatisfy { letter in
        letter.properties.isIdeographic || (0x3040...0x30FF).contains(letter.value)
          || (0xAC00...0xD7A3).contains(letter.value)
      }
  }
}

/// A value near which a person's measurements are expected, in the quantity's canonical unit.
public struct Expectation: Hashable, Sendable, Codable {
  /// The expected value.
  public var value: Double
  /// The largest accepted difference; `nil` for the quantity's own rule.
  public var tolerance: Double?

  /// Makes an expectation.
  public init(value: Double, tolerance: Double? = nil) {
    self.value = value
    self.tolerance = tolerance
  }
}

/// The units in which a person reads values.
public enum PreferredUnits: String, Hashable, Sendable, Codable, CaseIterable {
  /// Kilograms, metres, degrees Celsius.
  case metric
  /// Pounds, miles, degrees Fahrenheit.
  case us
  /// Stones, miles, degrees Celsius.
  case uk
}

/// A person's sex.
public enum Sex: Hashable, Sendable {
  case male, female
  /// As the person says.
  case other(String)
}

/// A day of the calendar, without a time or zone.
public struct CalendarDate: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The year, 1…9999.
  public let year: Int
  /// The month, 1…12.
  public let month: Int
  /// The day of the month, 1…31.
  public let day: Int

  /// Makes a day, which must be a real one.
  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads `1952-02-29`.
  ///
  /// - Returns: `nil` for anything else, and for a date that is not real.
  public init?(_ text: String) {
    guard text.utf8.count == 10, let midnight = LocalDateTime(text) else { return nil }
    year = midnight.year
    month = midnight.month
    day = midnight.day
  }

  public static func < (a: CalendarDate, b: CalendarDate) -> Bool {
    (a.year, a.month, a.day) < (b.year, b.month, b.day)
  }

  /// The date in ISO 8601: `1952-02-29`.
  public var description: String {
    String(LocalDateTime(year: year, month: month, day: day).description.prefix(10))
  }
}

// MARK: - Coding

/// Everything but id, name and expectations is coded only if it is given.
extension Patient: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, name, expects, units, timeZone
    case stays = "timeZones"
    case language, sex, birthday, allergies, others, notify, quiet, away
    case saysPresence = "presence"
    case channels
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      name: try container.decode(PersonName.self, forKey: .name),
      expects: try container.decode([String: Expectation].self, forKey: .expects),
      units: try container.decodeIfPresent(PreferredUnits.self, forKey: .units),
      timeZone: try container.decodeIfPresent(CodedZone.self, forKey: .timeZone)?.timeZone,
      stays: try container.decodeIfPresent([Stay].self, forKey: .stays) ?? [],
      language: try container.decodeIfPresent(String.self, forKey: .language),
      sex: try container.decodeIfPresent(Sex.self, forKey: .sex),
      birthday: try container.decodeIfPresent(CalendarDate.self, forKey: .birthday),
      allergies: try container.decodeIfPresent([String].self, forKey: .allergies) ?? [],
      others: try container.decodeIfPresent([Expectation].self, forKey: .others) ?? [],
      notify: try container.decodeIfPresent([NotifyRule].self, forKey: .notify) ?? [],
      quiet: try container.decodeIfPresent(QuietHours.self, forKey: .quiet),
      away: try container.decodeIfPresent([Absence].self, forKey: .away) ?? [],
      saysPresence: try container.decodeIfPresent(Bool.self, forKey: .saysPresence) ?? false,
      channels: try container.decodeIfPresent([Channel].self, forKey: .channels) ?? [])
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(expects, forKey: .expects)
    try container.encodeIfPresent(units, forKey: .units)
    try container.encodeIfPresent(timeZone.map(CodedZone.init), forKey: .timeZone)
    try container.encodeIfNotEmpty(stays, forKey: .stays)
    try container.encodeIfPresent(language, forKey: .language)
    try container.encodeIfPresent(sex, forKey: .sex)
    try container.encodeIfPresent(birthday, forKey: .birthday)
    try container.encodeIfNotEmpty(allergies, forKey: .allergies)
    try container.encodeIfNotEmpty(others, forKey: .others)
    try container.encodeIfNotEmpty(notify, forKey: .notify)
    try container.encodeIfPresent(quiet, forKey: .quiet)
    try container.encodeIfNotEmpty(away, forKey: .away)
    if saysPresence { try container.encode(true, forKey: .saysPresence) }
    try container.encodeIfNotEmpty(channels, forKey: .channels)
  }
}

/// Coded as in a plan: `{"from":"2026-03-03","zone":"Asia/Tokyo"}`.
extension Stay: Codable {
  private enum CodingKeys: String, CodingKey {
    case from, zone
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      from: try container.decode(CalendarDate.self, forKey: .from),
      timeZone: try container.decode(CodedZone.self, forKey: .zone).timeZone)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(from, forKey: .from)
    try container.encode(CodedZone(timeZone), forKey: .zone)
  }
}

/// A sex is coded as `"male"`, `"female"` or `{"other":"…"}`.
extension Sex: Codable {
  private enum CodingKeys: String, CodingKey {
    case other
  }

  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodingKeys.self) {
      self = .other(try container.decode(String.self, forKey: .other))
      return
    }
    let container = try decoder.singleValueContainer()
    switch try container.decode(String.self) {
    case "male": self = .male
    case "female": self = .female
    case let text:
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "‘\(text)’ is not male, female or {other: …}")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .male, .female:
      var container = encoder.singleValueContainer()
      try container.encode(self == .male ? "male" : "female")
    case .other(let text):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .other)
    }
  }
}

/// A date is coded as its text, `"1952-02-29"`.
extension CalendarDate: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = CalendarDate(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "‘\(text)’ is no date such as 1952-02-29")
    }
    self = date
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
