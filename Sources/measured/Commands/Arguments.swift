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

/// The flags of a command that works on a span of time.
struct SpanOptions: ParsableArguments {
  @Option(help: "The first moment.")
  var from: TimeArgument

  @Option(help: "The moment after the last.")
  var to: TimeArgument

  /// The span; `timeZone` is the zone of times without an offset.
  func range(in timeZone: TimeZone) throws -> Range<Date> {
    guard let start = from.date(in: timeZone), let end = to.date(in: timeZone), start < end else {
      throw CommandFailure(.malformedArgument, "--to must be later than --from")
    }
    return start..<end
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
