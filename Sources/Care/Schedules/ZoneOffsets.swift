import Foundation
import Synchronization

/// The spans from 1970 to 2100 in which a time zone keeps one offset.
///
/// A span ends before the next change of clocks, by as much as clocks then change and at least an
/// hour, and begins as long after the last: within it no local time is skipped or occurs twice.
/// Local time is UTC plus the offset, and arithmetic gives what `Calendar` gives, in nanoseconds
/// instead of microseconds. Elsewhere `Calendar` decides.
struct ZoneOffsets: Sendable {
  /// A span with one offset; times are seconds since 2001-01-01 UTC, as `Date` stores them.
  struct Span {
    let times: Range<Double>
    /// Local time minus UTC, in seconds.
    let offset: Double
  }

  /// The Gregorian calendar of the zone.
  let calendar: Calendar
  /// In ascending order.
  private let spans: [Span]

  /// Reads the offsets from Foundation: 0.1 ms for a zone that changes its clocks twice a year.
  private init(_ timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
    var spans: [Span] = []
    var start = Self.dates.lowerBound
    var marginAfterStart = Self.day
    while start < Self.dates.upperBound {
      let change = timeZone.nextDaylightSavingTimeTransition(after: start) ?? .distantFuture
      guard change > start else { break }
      let end = min(change, Self.dates.upperBound)
      let offset = timeZone.secondsFromGMT(for: start)
      let step = abs(timeZone.secondsFromGMT(for: end) - offset)
      let margin = change == end ? max(3600, Double(step)) : Self.day
      let low = start.timeIntervalSinceReferenceDate + marginAfterStart
      let high = end.timeIntervalSinceReferenceDate - margin
      if low < high, offset == timeZone.secondsFromGMT(for: end - 1) {
        spans.append(Span(times: low..<high, offset: Double(offset)))
      }
      start = end
      marginAfterStart = margin
    }
    self.spans = spans
  }

  private static let day: Double = 86_400

  /// 1970-01-01 to 2100-12-31, the years of nearly every plan.
  private static let dates =
    Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 4_133_980_800)

  /// The span that contains a time; `nil` near a change of clocks and outside 1970…2100.
  func span(at time: Double) -> Span? {
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].times.upperBound <= time { low = middle + 1 } else { high = middle }
    }
    guard low < spans.count, spans[low].times.contains(time) else { return nil }
    return spans[low]
  }
}

// MARK: - One table for each zone

extension ZoneOffsets {
  private struct Key: Hashable {
    let identifier: String
    /// Tells `TimeZone(secondsFromGMT: 3601)` from `3600`, which share an identifier.
    let fixedOffset: Int?
  }

  /// Every schedule of a zone reads the same offsets, which never change: one table serves all.
  private static let tables = Mutex<[Key: ZoneOffsets]>([:])
  /// A store's plans name a few zones; 64 tables of at most 304 spans take 0.5 MB.
  private static let limit = 64

  /// The offsets of a zone.
  static func of(_ timeZone: TimeZone) -> ZoneOffsets {
    let identifier = timeZone.identifier
    let isFixed = identifier.hasPrefix("GMT")
    let key = Key(
      identifier: identifier,
      fixedOffset: isFixed ? timeZone.secondsFromGMT(for: dates.lowerBound) : nil)
    if let table = tables.withLock({ $0[key] }) { return table }
    let table = ZoneOffsets(timeZone)
    tables.withLock {
      if $0.count >= limit { $0.removeAll() }
      $0[key] = table
    }
    return table
  }
}

// MARK: - Local time

/// A time with the offset of its zone.
struct ZonedTime {
  /// Seconds since 2001-01-01 UTC.
  let time: Double
  /// Local time minus UTC, in seconds.
  let offset: Double

  /// The time of day is kept, as `Calendar` keeps it; `nil` if only `Calendar` knows the result.
  func adding(days: Int, in zone: ZoneOffsets) -> ZonedTime? {
    guard days != 0 else { return self }
    let whole = time.rounded(.down)
    let unadjusted = whole + Double(days) * 86_400
    guard let span = zone.span(at: unadjusted) else { return nil }
    // Where the zone skipped a whole day the time of day is right without a correction.
    let change = offset - span.offset
    let correction = abs(change) == 86_400 ? 0 : change
    let result = unadjusted + correction
    guard span.times.contains(result) else { return nil }
    return ZonedTime(time: result + (time - whole), offset: span.offset)
  }

  /// The time of day and the day of the month are kept, the last day if the month is shorter.
  ///
  /// - Returns: `nil` if only `Calendar` knows the result.
  func adding(months: Int, in zone: ZoneOffsets) -> ZonedTime? {
    guard months != 0 else { return self }
    let whole = time.rounded(.down)
    let (day, second) = Int64(saturating: whole + offset + Self.secondsTo2001).flooredDivision(
      by: 86_400)
    var local = LocalDateTime(daysSince1970: day, secondOfDay: Int(second))
    let (years, month) = Int64(local.month - 1 + months).flooredDivision(by: 12)
    local.year += Int(years)
    local.month = Int(month) + 1
    local.day = min(local.day, LocalDateTime.days(inMonth: local.month, of: local.year))
    guard let seconds = local.secondsSince1970 else { return nil }
    let moved = Double(seconds) - Self.secondsTo2001
    guard let span = zone.span(at: moved - offset),
      span.times.contains(moved - span.offset)
    else { return nil }
    return ZonedTime(time: moved - span.offset + (time - whole), offset: span.offset)
  }

  /// Hours, minutes and seconds are absolute; the last units, so the offset is not read again.
  func adding(seconds: Int) -> ZonedTime {
    guard seconds != 0 else { return self }
    let whole = time.rounded(.down)
    return ZonedTime(time: whole + Double(seconds) + (time - whole), offset: offset)
  }

  private static let secondsTo2001: Double = 978_307_200
}
