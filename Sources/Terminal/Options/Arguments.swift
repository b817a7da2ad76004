import Actions
package import ArgumentParser
import Care
package import Foundation
import Localization
package import Radio

/// A point in time on the command line: RFC 3339, a local date or date and time in some zone, or a
/// day by its name.
package struct TimeArgument {
  private let text: String

  /// The names of days.
  private enum NamedDay: String {
    case yesterday, today, tomorrow

    /// Its first instant.
    func start(in timeZone: TimeZone, now: Date) -> Date {
      let today = Adherence.Period.day.span(around: now, in: timeZone)
      return switch self {
      case .yesterday:
        Adherence.Period.day.span(around: today.lowerBound - 1, in: timeZone).lowerBound
      case .today: today.lowerBound
      case .tomorrow: today.upperBound
      }
    }
  }

  /// Reads an option's value.
  ///
  /// - Throws: `ValidationError` that says what can be written.
  package init(entered text: String) throws {
    guard
      NamedDay(rawValue: text.lowercased()) != nil || Date(rfc3339: text) != nil
        || LocalDateTime(text) != nil || LocalDateTime(Self.onSomeDay(text)) != nil
    else {
      let isDate = text.utf8.prefix(10).enumerated().allSatisfy { place, byte in
        [4, 7].contains(place)
          ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
      throw ValidationError(
        isDate && (text.utf8.count == 10 || text.utf8.dropFirst(10).first == UInt8(ascii: "T"))
          ? LocalizedText("command.time.none", ["text": "\(text)"]).message
          : LocalizedText("command.time.format").message)
    }
    self.text = text
  }

  private static func onSomeDay(_ text: String) -> String { "2000-01-01T" + text.withTwoDigitHour }

  /// The instant.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of a day and of a time without an offset.
  ///   - now: The current time.
  ///   - day: An instant of the day that a time of day is of; `now` for `nil`.
  /// - Returns: The instant.
  /// - Throws: ``CommandFailure`` for a time that no calendar has.
  package func instant(
    in timeZone: TimeZone, now: Date, day: Date? = nil
  ) throws(CommandFailure) -> Date {
    if let day = NamedDay(rawValue: text.lowercased()) { return day.start(in: timeZone, now: now) }
    if LocalDateTime(Self.onSomeDay(text)) != nil {
      let text = (day ?? now).day(in: timeZone) + "T" + text.withTwoDigitHour
      if let date = LocalDateTime(text)?.resolved(in: timeZone) { return date }
    }
    guard let date = Date(rfc3339: text) ?? LocalDateTime(text)?.resolved(in: timeZone) else {
      throw CommandFailure(
        .malformedArgument, LocalizedText("command.time.none", ["text": "\(text)"]))
    }
    return date
  }
}

/// The flags of a command that works on a span of time.
package struct SpanOptions: ParsableArguments {
  @Option(
    help: "The first moment: a day such as 2026-11-20 or yesterday, or a time.",
    transform: TimeArgument.init(entered:))
  package var from: TimeArgument

  @Option(
    help: "The moment after the last: a day such as 2026-11-20 or tomorrow, or a time.",
    transform: TimeArgument.init(entered:))
  package var to: TimeArgument

  package init() {}

  /// The span; `timeZone` is the zone of days and of times without an offset.
  package func range(in timeZone: TimeZone, now: Date) throws -> Range<Date> {
    try TimeArgument.range(
      from: from.instant(in: timeZone, now: now), to: to.instant(in: timeZone, now: now))
  }
}

/// The flags of a command that works on everything, or on a span of time.
package struct OptionalSpanOptions: ParsableArguments {
  @Option(
    help: "Only from this time on (inclusive): a day such as 2026-11-20 or yesterday, or a time.",
    transform: TimeArgument.init(entered:))
  package var from: TimeArgument?

  @Option(
    help: "Only up to this time (exclusive): a day such as 2026-11-20 or today, or a time.",
    transform: TimeArgument.init(entered:))
  package var to: TimeArgument?

  package init() {}

  /// The ends that are given; `timeZone` is the zone of days and of times without an offset.
  package func ends(in timeZone: TimeZone, now: Date) throws -> (from: Date?, to: Date?) {
    let ends = (
      from: try from?.instant(in: timeZone, now: now), to: try to?.instant(in: timeZone, now: now)
    )
    if let from = ends.from, let to = ends.to { _ = try TimeArgument.range(from: from, to: to) }
    return ends
  }
}

extension TimeArgument {
  /// The span, which may be empty.
  fileprivate static func range(from: Date, to: Date) throws(CommandFailure) -> Range<Date> {
    guard from <= to else {
      throw CommandFailure(.malformedArgument, "command.time.order")
    }
    return from..<to
  }
}

/// The address of a device on the command line.
package struct AddressArgument {
  package var address: DeviceAddress

  /// Reads an option's value.
  ///
  /// - Throws: `ValidationError` that says what can be written.
  package init(entered text: String) throws {
    guard let address = DeviceAddress(text) else {
      throw ValidationError(LocalizedText("command.address.format").message)
    }
    self.address = address
  }
}
