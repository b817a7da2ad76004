import Care
public import Foundation

/// How a motion file gives the times of its rows.
enum MotionTime: Hashable, Sendable {
  /// Numbers in seconds; they are the samples' times.
  case seconds
  /// Numbers; times 10^`decimals` they are microseconds. Times count from the first row.
  case ticks(decimals: Int)
  /// Dates; times count from the first row.
  case date(DateOrder)
  /// No times: so many rows in 1000 seconds.
  case rate(millihertz: Int64)

  /// Whether the samples' times count from the first row's.
  var countsFromFirstRow: Bool {
    switch self {
    case .ticks, .date: true
    case .seconds, .rate: false
    }
  }

  /// Reads a field: microseconds, from 1970 for a date, and whether it is a date without a zone.
  func read(
    _ bytes: Span<UInt8>, in range: Range<Int>, point: UInt8
  ) -> (microseconds: Int64, isLocal: Bool)? {
    switch self {
    case .seconds:
      DecimalField.number(bytes, in: range, decimals: 9, point: point).map { ($0 / 1000, false) }
    case .ticks(let decimals):
      DecimalField.number(bytes, in: range, decimals: decimals, point: point).map { ($0, false) }
    case .date(let order): DateField.read(bytes, in: range, order)
    case .rate: nil
    }
  }
}

/// When a recording starts, by the clock of its device.
public struct RecordingStart: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00 on that clock.
  public var microseconds: Int64
  /// Whether the clock shows local time without a zone; else UTC.
  public var isLocal: Bool

  /// Makes a start.
  public init(microseconds: Int64, isLocal: Bool) {
    self.microseconds = microseconds
    self.isLocal = isLocal
  }

  /// The possible values of a column of Unix time, in microseconds: 2001 to 2100.
  ///
  /// A smaller number counts from when the device was switched on.
  static let unixTimes: ClosedRange<Int64> = 1_000_000_000_000_000...4_102_444_800_000_000

  /// The instant.
  ///
  /// - Parameter timeZone: The zone of a local clock.
  /// - Returns: `nil` for a local time that is no real date.
  public func date(in timeZone: TimeZone) -> Date? {
    guard isLocal else { return Date(microseconds: microseconds) }
    let (seconds, fraction) = microseconds.flooredDivision(by: 1_000_000)
    let (days, inDay) = seconds.flooredDivision(by: 86_400)
    guard
      let date = LocalDateTime(daysSince1970: days, secondOfDay: Int(inDay)).resolved(in: timeZone)
    else { return nil }
    return Date(microseconds: date.microseconds + fraction)
  }
}

// MARK: - Dates

/// The order of day, month and year in a date.
enum DateOrder: Hashable, Sendable {
  case yearMonthDay, monthDayYear, dayMonthYear

  /// Reads a pattern such as `M/d/yyyy` or `dd.MM.yyyy`.
  init?(pattern: String) {
    switch String(
      pattern.filter { "dMy".contains($0) }.reduce(into: "") { text, letter in
        if text.last != letter { text.append(letter) }
      })
    {
    case "yMd": self = .yearMonthDay
    case "Mdy": self = .monthDayYear
    case "dMy": self = .dayMonthYear
    default: return nil
    }
  }
}

/// Reads dates with a time of day.
enum DateField {
  /// Reads `2026-11-20 09:00:00.010`, with `T` or a space between, and behind it optionally `Z` or
  /// an offset (`+0100`, `+01:00`) and a zone's name in brackets.
  ///
  /// Of numbers, the order of day, month and year is `order`; between them stand `-`, `/` or `.`.
  ///
  /// - Returns: Microseconds since 1970, and whether the date has no zone; `nil` for anything else.
  static func read(
    _ bytes: Span<UInt8>, in range: Range<Int>, _ order: DateOrder
  ) -> (microseconds: Int64, isLocal: Bool)? {
    var text = Cursor(range)
    text.skipBlanks(bytes)
    let isQuoted = text.take(bytes, UInt8(ascii: "\""))
    guard let first = text.number(bytes), text.takeDateSeparator(bytes),
      let second = text.number(bytes),
      text.takeDateSeparator(bytes), let third = text.number(bytes), text.takeAny(bytes, "T t"),
      let hour = text.number(bytes), text.take(bytes, UInt8(ascii: ":")),
      let minute = text.number(bytes)
    else { return nil }
    var seconds = 0
    var fraction: Int64 = 0
    if text.take(bytes, UInt8(ascii: ":")) {
      guard let whole = text.number(bytes) else { return nil }
      seconds = whole
      if text.takeAny(bytes, ".,") {
        guard let part = text.microseconds(bytes) else { return nil }
        fraction = part
      }
    }
    let (year, month, day) =
      switch order {
      case .yearMonthDay: (first, second, third)
      case .monthDayYear: (third, first, second)
      case .dayMonthYear: (third, second, first)
      }
    guard (1970...2199).contains(year),
      let local = LocalDateTime(
        year: year, month: month, day: day, hour: hour, minute: minute, second: seconds
      ).secondsSince1970
    else { return nil }
    text.skipBlanks(bytes)
    guard let zone = text.offset(bytes) else { return nil }
    text.skipBlanks(bytes)
    if text.take(bytes, UInt8(ascii: "[")) { text.skip(bytes, past: UInt8(ascii: "]")) }
    if isQuoted { guard text.take(bytes, UInt8(ascii: "\"")) else { return nil } }
    text.skipBlanks(bytes)
    guard text.isAtEnd else { return nil }
    return ((local - (zone.seconds ?? 0)) * 1_000_000 + fraction, zone.seconds == nil)
  }

  /// A position in a field.
  private struct Cursor {
    var index: Int
    let end: Int

    init(_ range: Range<Int>) {
      index = range.lowerBound
      end = range.upperBound
    }

    var isAtEnd: Bool { index == end }

    mutating func take(_ bytes: Span<UInt8>, _ byte: UInt8) -> Bool {
      guard index < end, bytes[index] == byte else { return false }
      index += 1
      return true
    }

    mutating func takeAny(_ bytes: Span<UInt8>, _ characters: StaticString) -> Bool {
      guard index < end else { return false }
      let byte = bytes[index]
      let isOne = unsafe UnsafeBufferPointer(
        start: characters.utf8Start, count: characters.utf8CodeUnitCount
      ).contains(byte)
      if isOne { index += 1 }
      return isOne
    }

    mutating func takeDateSeparator(_ bytes: Span<UInt8>) -> Bool { takeAny(bytes, "-/.") }

    mutating func skipBlanks(_ bytes: Span<UInt8>) {
      while index < end, bytes[index] == UInt8(ascii: " ") { index += 1 }
    }

    mutating func skip(_ bytes: Span<UInt8>, past byte: UInt8) {
      while index < end, bytes[index] != byte { index += 1 }
      if index < end { index += 1 }
    }

    /// A number of one to four digits.
    mutating func number(_ bytes: Span<UInt8>) -> Int? {
      let first = index
      var value = 0
      while index < end, index < first + 4, case let digit = bytes[index] &- 0x30, digit <= 9 {
        value = value * 10 + Int(digit)
        index += 1
      }
      return index > first ? value : nil
    }

    /// The digits of a fraction, to the microsecond.
    mutating func microseconds(_ bytes: Span<UInt8>) -> Int64? {
      let first = index
      var value: Int64 = 0
      var scale: Int64 = 100_000
      while index < end, case let digit = bytes[index] &- 0x30, digit <= 9 {
        value += Int64(digit) * scale
        scale /= 10
        index += 1
      }
      return index > first ? value : nil
    }

    /// `Z`, `+0100`, `+01:00`, or no zone; `nil` for anything else that begins like an offset.
    mutating func offset(_ bytes: Span<UInt8>) -> (seconds: Int64?, Void)? {
      if takeAny(bytes, "Zz") { return (0, ()) }
      let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
      guard takeAny(bytes, "+-") else { return (nil, ()) }
      guard let digits = number(bytes) else { return nil }
      var (hours, minutes) = (digits, 0)
      if take(bytes, UInt8(ascii: ":")) {
        guard let part = number(bytes) else { return nil }
        minutes = part
      } else if digits > 24 {
        (hours, minutes) = (digits / 100, digits % 100)
      }
      guard hours < 24, minutes < 60 else { return nil }
      let seconds = Int64(hours * 3600 + minutes * 60)
      return (isNegative ? -seconds : seconds, ())
    }
  }
}
