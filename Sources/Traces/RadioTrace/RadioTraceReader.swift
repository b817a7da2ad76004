import Care
public import Foundation
public import Radio

/// A recording whose events are pulled one after the other.
public protocol TraceReader {
  /// The next event, `nil` after the last. Its time is never earlier than the one before.
  mutating func next() throws(TraceError) -> TimedEvent?

  /// How many bytes of the recording have been read.
  var bytesRead: Int { get }
}

/// Reads a radio trace (JSON Lines) in constant memory.
///
/// The first line names the format's version and the start; each other line is one event, its `t`
/// in seconds from the start and never decreasing. Blank lines are passed over.
public struct RadioTraceReader: TraceReader {
  /// When the trace starts.
  public let start: Date
  private var lines: LineReader
  private var lastT = 0.0
  private let decoder = JSONDecoder()

  public var bytesRead: Int { lines.bytesRead }

  /// Reads the trace's first line.
  ///
  /// - Throws: ``TraceError`` where it is no trace, or one of another version.
  public init(_ stream: any ByteStream) throws(TraceError) {
    lines = LineReader(stream)
    guard let line = try lines.next() else {
      throw TraceError(file: stream.name, reason: "the file is empty; a trace has a first line")
    }
    guard let header = try? decoder.decode(TraceHeader.self, from: Data(line)) else {
      throw TraceError(
        file: stream.name, line: 1,
        reason: "this is no radio trace: the first line must be"
          + " {\"measured-trace\":1,\"start\":\"…\"}")
    }
    guard header.version == 1 else {
      throw TraceError(
        file: stream.name, line: 1,
        reason: "the trace has version \(header.version), and this program reads version 1")
    }
    guard let start = Date(rfc3339: header.start) else {
      throw TraceError(
        file: stream.name, line: 1,
        reason: "‘start’ is ‘\(header.start)’; write it like 2026-11-20T07:09:58-08:00")
    }
    self.start = start
  }

  public mutating func next() throws(TraceError) -> TimedEvent? {
    while let line = try lines.next() {
      guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else {
        continue
      }
      do {
        return try event(line)
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, reason: error.reason)
      }
    }
    return nil
  }

  private mutating func event(_ bytes: [UInt8]) throws(LineProblem) -> TimedEvent {
    let line: TraceLine
    do {
      line = try decoder.decode(TraceLine.self, from: Data(bytes))
    } catch {
      throw LineProblem("this line is no event: \(Self.explain(error))")
    }
    guard line.t.isFinite, line.t >= lastT, line.t < 1e10 else {
      throw LineProblem("‘t’ is \(line.t), earlier than the \(lastT) before it; it never decreases")
    }
    lastT = line.t
    let time = Date(microseconds: start.microseconds + Int64((line.t * 1_000_000).rounded()))
    return TimedEvent(time: time, event: try line.event())
  }

  private static func explain(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "‘\(key.stringValue)’ is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "‘\(context.codingPath.map(\.stringValue).joined(separator: "."))’ has the wrong type"
    default: "it is not valid JSON; the file may be cut off here"
    }
  }
}
