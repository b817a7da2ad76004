import Care
import Foundation

/// A date or time of FHIR, with the precision to which it is written.
struct FHIRTime: Hashable {
  /// How precisely it is written.
  enum Precision: Int, Comparable {
    case year, month, day, second, fraction

    static func < (a: Precision, b: Precision) -> Bool { a.rawValue < b.rawValue }
  }

  var precision: Precision
  private var local: LocalDateTime
  /// The instant of one with an offset; a date has none.
  private var instant: Date?
  /// The number of digits of its fraction.
  private var digits = 0

  /// Reads `2026`, `2026-11`, `2026-11-01` or `2026-11-01T09:00:00.5+01:00`.
  init?(_ text: String) {
    switch text.utf8.count {
    case 4:
      precision = .year
      guard let date = LocalDateTime(text + "-01-01") else { return nil }
      local = date
    case 7:
      precision = .month
      guard let date = LocalDateTime(text + "-01") else { return nil }
      local = date
    case 10:
      precision = .day
      guard let date = LocalDateTime(text) else { return nil }
      local = date
    default:
      let bytes = Array(text.utf8)
      guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes.last != UInt8(ascii: "z"),
        let date = Date(rfc3339: text),
        let local = LocalDateTime(String(text.prefix(19)))
      else { return nil }
      let fraction = bytes[19...].drop { $0 == UInt8(ascii: ".") }
        .prefix { (0x30...0x39).contains($0) }
      digits = bytes[19] == UInt8(ascii: ".") ? fraction.count : 0
      precision = digits > 0 ? .fraction : .second
      (self.local, instant) = (local, date)
    }
  }

  /// Its first moment; a date is one of `timeZone`.
  func start(in timeZone: TimeZone) -> Date? { instant ?? local.resolved(in: timeZone) }

  /// The first moment that is no longer part of it: FHIR's periods include their end, to the
  /// precision in which it is written.
  func end(in timeZone: TimeZone) -> Date? {
    switch precision {
    case .year:
      return LocalDateTime(year: local.year + 1, month: 1, day: 1).resolved(in: timeZone)
    case .month:
      let isLast = local.month == 12
      return LocalDateTime(
        year: local.year + (isLast ? 1 : 0), month: isLast ? 1 : local.month + 1, day: 1
      ).resolved(in: timeZone)
    case .day:
      return CalendarDate(String(local.description.prefix(10)))?.adding(days: 1)
        .midnight(in: timeZone)
    case .second: return instant.map { $0 + 1 }
    case .fraction:
      // More than six digits are not kept.
      let step = (digits..<6).reduce(Int64(1)) { step, _ in step * 10 }
      return instant.map { Date(microseconds: $0.microseconds.saturatingSum(step)) }
    }
  }

  /// A moment, in whole seconds if it has no fraction; `nil` outside FHIR's years.
  static func text(_ date: Date, in timeZone: TimeZone) -> String? {
    let text = date.rfc3339(in: timeZone)
    guard FHIRTime(text) != nil, Date(rfc3339: text)?.microseconds == date.microseconds else {
      return nil
    }
    return text
  }

  /// The end of a period that FHIR includes, from the first moment after it.
  ///
  /// A midnight becomes the day before, so that people read the last day; not that of the start,
  /// with which a bare day cannot be compared (rule per-1).
  static func inclusiveEnd(_ end: Date, after start: String, in timeZone: TimeZone) -> String? {
    let local = LocalDateTime(end, in: timeZone)
    if local.hour == 0, local.minute == 0, local.second == 0, end.microseconds % 1_000_000 == 0,
      let day = CalendarDate(String(local.description.prefix(10)))
    {
      let before = day.adding(days: -1).description
      if before != start.prefix(10), FHIRTime(before)?.end(in: timeZone) == end { return before }
    }
    guard end.microseconds % 1_000_000 != 0 else { return text(end - 1, in: timeZone) }
    let last = Date(microseconds: end.microseconds - 1)
    guard let text = text(last, in: timeZone) else { return nil }
    // A fraction says all its six digits, or the period would end later.
    return text.contains(".") ? text : text.prefix(19) + ".000000" + text.dropFirst(19)
  }

  /// The second of a day and its fraction in microseconds, of `09:00:00`; `nil` for anything else.
  static func secondOfDay(_ text: String) -> (second: Int, microseconds: Int64)? {
    guard text.utf8.count >= 8, let date = Date(rfc3339: "1970-01-01T" + text + "Z") else {
      return nil
    }
    let (second, microseconds) = (date.microseconds / 1_000_000, date.microseconds % 1_000_000)
    return (Int(second), microseconds)
  }
}
