import ArgumentParser
import Care
import Foundation
import Radio

/// A point in time on the command line: RFC 3339, or a local date or date and time in some zone.
struct TimeArgument: ExpressibleByArgument {
  private let text: String

  init?(argument: String) {
    guard Date(rfc3339: argument) != nil || LocalDateTime(argument) != nil else { return nil }
    text = argument
  }

  /// The instant; `timeZone` is the zone of a time without an offset.
  func date(in timeZone: TimeZone) -> Date? {
    Date(rfc3339: text) ?? LocalDateTime(text)?.resolved(in: timeZone)
  }
}

extension TimeArgument {
  /// The instant; `timeZone` is the zone of a time without an offset.
  ///
  /// - Throws: ``CommandFailure`` for a time that no calendar has.
  func instant(in timeZone: TimeZone) throws(CommandFailure) -> Date {
    guard let date = date(in: timeZone) else {
      throw CommandFailure(.malformedArgument, "There is no time ‘\(text)’.")
    }
    return date
  }
}

/// The flags of a command that works on a span of time.
struct SpanOptions: ParsableArguments {
  @Option(help: "The first moment.")
  var from: TimeArgument

  @Option(help: "The moment after the last.")
  var to: TimeArgument

  /// The span; `timeZone` is the zone of times without an offset.
  func range(in timeZone: TimeZone) throws -> Range<Date> {
    try TimeArgument.range(from: from.instant(in: timeZone), to: to.instant(in: timeZone))
  }
}

/// The flags of a command that works on everything, or on a span of time.
struct OptionalSpanOptions: ParsableArguments {
  @Option(help: "Only from this time on (inclusive).")
  var from: TimeArgument?

  @Option(help: "Only up to this time (exclusive).")
  var to: TimeArgument?

  /// The ends that are given; `timeZone` is the zone of times without an offset.
  func ends(in timeZone: TimeZone) throws -> (from: Date?, to: Date?) {
    let ends = (from: try from?.instant(in: timeZone), to: try to?.instant(in: timeZone))
    if let from = ends.from, let to = ends.to { _ = try TimeArgument.range(from: from, to: to) }
    return ends
  }
}

extension TimeArgument {
  /// The span, which may be empty.
  fileprivate static func range(from: Date, to: Date) throws(CommandFailure) -> Range<Date> {
    guard from <= to else {
      throw CommandFailure(.malformedArgument, "--to must be later than --from")
    }
    return from..<to
  }
}

/// The address of a device on the command line.
struct AddressArgument: ExpressibleByArgument {
  var address: DeviceAddress

  init?(argument: String) {
    guard let address = DeviceAddress(argument) else { return nil }
    self.address = address
  }
}
