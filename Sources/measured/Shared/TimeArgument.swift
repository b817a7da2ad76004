import ArgumentParser
import Care
import Foundation

/// A point in time on the command line: RFC 3339, or a local date or date and time in some zone.
struct TimeArgument: ExpressibleByArgument {
  private let text: String

  init?(argument: String) {
    guard Date(rfc3339: argument) != nil || Self.local(argument) != nil else { return nil }
    text = argument
  }

  /// The instant, where `timeZone` says what a time without an offset means.
  func date(in timeZone: TimeZone) -> Date? {
    Date(rfc3339: text) ?? Self.local(text)?.resolved(in: timeZone)
  }

  private static func local(_ text: String) -> LocalDateTime? {
    LocalDateTime(text)
  }
}
