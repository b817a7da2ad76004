public import Foundation

extension Date {
  /// Whole microseconds since 1970-01-01T00:00:00Z, rounded to the nearest, clamped to `Int64`.
  ///
  /// Before 1865 and after 2137 a date has no sure room for microseconds, so that milliseconds are
  /// whole: a date that is made of the number has the same number again.
  public var microseconds: Int64 {
    let seconds = timeIntervalSinceReferenceDate
    let scaled =
      abs(seconds) < Self.roomForMicroseconds
      ? (seconds * 1_000_000).rounded() : (seconds * 1000).rounded() * 1000
    guard let whole = Int64(exactly: scaled) else { return scaled < 0 ? .min : .max }
    let (sum, overflow) = whole.addingReportingOverflow(Self.referenceMicroseconds)
    return overflow ? .max : sum
  }

  /// The instant `microseconds` after 1970-01-01T00:00:00Z, whole milliseconds where a date has no
  /// room for more.
  public init(microseconds: Int64) {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(
      Self.referenceMicroseconds)
    let sinceReference = overflow ? .min : difference
    let seconds = Double(sinceReference) / 1_000_000
    self.init(
      timeIntervalSinceReferenceDate: abs(seconds) < Self.roomForMicroseconds
        ? seconds : (Double(sinceReference) / 1000).rounded() / 1000)
  }

  /// Up to so many seconds from the reference date, a date has room for microseconds.
  private static var roomForMicroseconds: Double { 0x1p32 }

  /// 2001-01-01T00:00:00Z, Foundation's reference date, in microseconds since 1970.
  private static var referenceMicroseconds: Int64 { 978_307_200_000_000 }
}

// MARK: - RFC 5322

extension Date {
  /// The second as mails (RFC 5322) and HTTP (RFC 9110 §5.6.7) write it, in UTC and without the zone that
  /// each names in its own way: `Sun, 06 Nov 1994 08:49:37`.
  package var internetMessage: String {
    let (days, second) = microseconds.flooredDivision(by: 1_000_000).quotient
      .flooredDivision(by: 86_400)
    let local = LocalDateTime(daysSince1970: days, secondOfDay: Int(second))
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let weekday = weekdays[Int(days.flooredDivision(by: 7).remainder)]
    let text = local.description
    return "\(weekday), \(text.dropFirst(8).prefix(2)) \(months[local.month - 1]) \(text.prefix(4))"
      + " \(text.suffix(8))"
  }
}

// MARK: - RFC 3339

extension Date {
  /// The instant that an RFC 3339 date-time names: `2026-11-20T07:09:58-08:00`.
  ///
  /// An offset is required; a fraction is kept to the microsecond.
  ///
  /// - Returns: `nil` for anything else, and for a date that is not real.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, let local = LocalDateTime(rfc3339: bytes[..<19]) else { return nil }
    var rest = bytes[19...]
    var fraction: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      var scale: Int64 = 100_000
      for digit in digits.prefix(6) {
        fraction += Int64(digit - 0x30) * scale
        scale /= 10
      }
      rest = rest.dropFirst(1 + digits.count)
    }
    guard let offset = Self.offset(rest), let seconds = local.secondsSince1970 else { return nil }
    self.init(microseconds: (seconds - offset) * 1_000_000 + fraction)
  }

  private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) { return 0 }
    let bytes = Array(text)
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      let hours = decimal(bytes[1..<3]), let minutes = decimal(bytes[4..<6]),
      hours < 24, minutes < 60
    else { return nil }
    let seconds = Int64(hours * 3600 + minutes * 60)
    return bytes[0] == UInt8(ascii: "-") ? -seconds : seconds
  }

  /// The RFC 3339 form with the zone's offset at this instant, in whole seconds if it has no
  /// fraction, else to the microsecond.
  public func rfc3339(in timeZone: TimeZone) -> String {
    // Before 1972 a few zones had offsets with seconds, which RFC 3339 cannot write: the local time
    // then shifts with the offset, so that the instant stays the same.
    let offset = timeZone.secondsFromGMT(for: self) / 60 * 60
    let local = microseconds.addingReportingOverflow(Int64(offset) * 1_000_000)
    guard !local.overflow else { return "out of range" }
    let (days, inDay) = local.partialValue.flooredDivision(by: 86_400_000_000)
    var text = LocalDateTime(daysSince1970: days, secondOfDay: Int(inDay / 1_000_000)).description
    let fraction = inDay % 1_000_000
    if fraction != 0 {
      let digits = String(fraction)
      text += "." + String(repeating: "0", count: 6 - digits.count) + digits
    }
    let minutes = abs(offset) / 60
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
    return text + (offset < 0 ? "-" : "+") + "\(two(minutes / 60)):\(two(minutes % 60))"
  }
}

extension Date {
  /// The instant that `text` names: an RFC 3339 time with an offset, or a date or time without one,
  /// which is read in `timeZone` as ``LocalDateTime/resolved(in:)`` does.
  ///
  /// - Returns: `nil` for anything else, and for a date or time that is not real.
  public init?(_ text: String, in timeZone: TimeZone) {
    if let local = LocalDateTime(text) {
      guard let date = local.resolved(in: timeZone) else { return nil }
      self = date
    } else {
      self.init(rfc3339: text)
    }
  }
}

extension TimeZone {
  /// The zone of an IANA name: `Europe/Berlin`, `UTC`.
  ///
  /// - Returns: `nil` for other names: abbreviations such as `PST` and offsets such as `GMT+3`
  ///   keep no calendar.
  public init?(iana name: String) {
    guard name.contains("/") || name == "UTC" || name == "GMT" else { return nil }
    self.init(identifier: name)
  }
}

// MARK: - Coding

/// An instant as the payloads of a store hold it: RFC 3339 in UTC, exact to the microsecond,
/// independent of a coder's strategy for dates.
struct CodedTime: Codable {
  var date: Date

  init(_ date: Date) {
    self.date = date
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = Date(rfc3339: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "‘\(text)’ is no RFC 3339 time")
    }
    self.date = date
  }

  func encode(to encoder: any Encoder) throws {
    // RFC 3339 has four digits for a year, from 1 on.
    guard (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970) else {
      throw EncodingError.invalidValue(
        date, .init(codingPath: encoder.codingPath, debugDescription: "no time of RFC 3339"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(date.rfc3339(in: .gmt))
  }
}

/// A time zone under its name.
struct CodedZone: Codable {
  var timeZone: TimeZone

  init(_ timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let timeZone = TimeZone(identifier: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this system knows no time zone ‘\(name)’")
    }
    self.timeZone = timeZone
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(timeZone.identifier)
  }
}
