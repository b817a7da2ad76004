import Care
public import Foundation
public import Radio

/// Spells events as the lines of a radio trace.
public struct RadioTraceWriter {
  /// When the trace starts; every event's `t` counts from here.
  public let start: Date
  private let encoder: JSONEncoder

  /// Makes a writer for a trace that starts at `start`.
  public init(start: Date) {
    self.start = start
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// The first line, its end included.
  public func header(adapter: String?, timeZone: TimeZone) throws -> Data {
    try line(TraceHeader(version: 1, start: start.rfc3339(in: timeZone), adapter: adapter))
  }

  /// The line of one event, its end included.
  public func line(_ event: TimedEvent) throws -> Data {
    let microseconds = event.time.microseconds - start.microseconds
    return try line(TraceLine(event.event, t: Double(microseconds) / 1_000_000))
  }

  private func line(_ value: some Encodable) throws -> Data {
    try encoder.encode(value) + Data("\n".utf8)
  }
}
