import Care
import Foundation
import StrictYAML

/// A number of a device's time, in a frame that is read or written.
enum TimePart: String, Hashable, Sendable, CaseIterable {
  /// Seconds since the start of 1970, 2000 or 2010.
  case since1970, since2000, since2010
  /// The year; of one byte, or of fewer bits, the years since 2000.
  case year
  case month, day, hour, minute, second
  /// Seconds that have passed since the measurement. Only read.
  case age
  /// The day of the week, from Monday, 1. Only written.
  case weekday
  /// The day of the year, from 1. Only written.
  case dayOfYear
  /// The minutes by which the zone is ahead of UTC, daylight-saving time included. Only written.
  case zoneMinutes

  /// The start of the count in seconds since 1970; `nil` for other parts.
  var epoch: Int64? {
    switch self {
    case .since1970: 0
    case .since2000: 946_684_800
    case .since2010: 1_262_304_000
    default: nil
    }
  }

  /// Whether a frame that is read may have it.
  var isRead: Bool {
    switch self {
    case .weekday, .dayOfYear, .zoneMinutes: false
    default: true
    }
  }

  /// Whether a frame that is written may have it.
  var isWritten: Bool { self != .age }
}

/// A part of a time, and the clock that counts its seconds.
struct TimeRule: Hashable, Sendable {
  var part: TimePart
  /// Whether the seconds since an epoch are those of a clock that shows local time, not UTC.
  var isLocal = false
}

extension TimeRule {
  /// Reads `time` and `zone`; `nil` without a `time`.
  init?(_ mapping: inout MappingReader) throws(YAMLError) {
    let zone = mapping.optional("zone")
    guard let time = mapping.optional("time") else {
      if let zone { throw zone.error("a ‘zone’ without a ‘time’") }
      return nil
    }
    part = try time.choice()
    if let zone {
      guard part.epoch != nil else {
        throw zone.error("‘zone’ is for seconds since an epoch; other parts are always local")
      }
      isLocal = try zone.choice(of: Zone.self) == .local
    }
  }

  private enum Zone: String, CaseIterable { case utc, local }
}

// MARK: - Written

extension TimeRule {
  /// The number at `time` for a clock in `timeZone`, in a field of some bits.
  func number(at time: Date, in timeZone: TimeZone, bits: Int) -> Int64 {
    if let epoch = part.epoch {
      let seconds = time.microseconds / 1_000_000
      let offset = isLocal ? Int64(timeZone.secondsFromGMT(for: time)) : 0
      return seconds + offset - epoch
    }
    let local = LocalDateTime(time, in: timeZone)
    switch part {
    case .year: return Int64(bits <= 8 ? local.year - 2000 : local.year)
    case .month: return Int64(local.month)
    case .day: return Int64(local.day)
    case .hour: return Int64(local.hour)
    case .minute: return Int64(local.minute)
    case .second: return Int64(local.second)
    case .weekday:
      // The first day of 1970 was a Thursday.
      return (Self.days(local) % 7 + 10) % 7 + 1
    case .dayOfYear:
      return Self.days(local) - Self.days(LocalDateTime(year: local.year, month: 1, day: 1)) + 1
    case .zoneMinutes: return Int64(timeZone.secondsFromGMT(for: time) / 60)
    case .age, .since1970, .since2000, .since2010: return 0
    }
  }

  private static func days(_ time: LocalDateTime) -> Int64 {
    (time.secondsSince1970 ?? 0) / 86_400
  }
}

// MARK: - Read

/// The time of a frame, put together from its parts.
struct FrameTime: Hashable, Sendable {
  /// When the frame arrived; `nil` if that is unknown.
  var arrival: Date?
  var timeZone: TimeZone
  private var whole: LocalDateTime?
  /// Whether it was counted back from the arrival.
  private(set) var isAge = false
  private var parts: [TimePart: Int] = [:]

  init(arrival: Date?, timeZone: TimeZone) {
    self.arrival = arrival
    self.timeZone = timeZone
  }

  /// Adds a whole time; `nil` for one that the device does not know.
  mutating func add(_ time: LocalDateTime?) { whole = time }

  /// Adds a number of `bits` bits.
  mutating func add(_ number: Int64, _ rule: TimeRule, bits: Int) {
    if let epoch = rule.part.epoch {
      let date = Date(timeIntervalSince1970: Double(number + epoch))
      whole = LocalDateTime(date, in: rule.isLocal ? .gmt : timeZone)
    } else if rule.part == .age {
      whole = arrival.map { LocalDateTime($0.addingTimeInterval(-Double(number)), in: timeZone) }
      isAge = true
    } else {
      parts[rule.part] = Int(number) + (rule.part == .year && bits <= 8 ? 2000 : 0)
    }
  }

  /// The time; `nil` if the frame has none, or no year, month or day.
  var value: LocalDateTime? {
    if let whole { return whole }
    guard let year = parts[.year], let month = parts[.month], let day = parts[.day],
      year > 0, month > 0, day > 0
    else { return nil }
    return LocalDateTime(
      year: year, month: month, day: day, hour: parts[.hour] ?? 0, minute: parts[.minute] ?? 0,
      second: parts[.second] ?? 0)
  }
}
