import Care
public import Foundation
public import Radio

/// Reads a radio trace (JSON Lines) in constant memory.
///
/// The first line names the format's version and the start; each other line is one event, its `t`
/// in seconds from the start and never decreasing. Blank lines and a byte order mark are skipped. A
/// last line that is no JSON and has no end was being written when the recording ended: it is left
/// out, as ``CaptureSkip/cutLine``.
public struct RadioTraceReader: TraceReader {
  /// When the trace starts.
  public let start: Date
  /// The upper bound of `t`, in seconds: 317 years, which leaves room in `Int64` microseconds.
  private static let latestT = 1e10
  private var lines: LineReader
  private var isCut = false
  private var lastT = 0.0
  private let decoder = JSONDecoder()

  public var bytesRead: Int { lines.bytesRead }

  public var skipped: [CaptureSkip: Int] { isCut ? [.cutLine: 1] : [:] }

  /// Reads the trace's first line.
  ///
  /// - Throws: ``TraceError`` if it is no trace, or one of another version.
  public init(_ stream: any ByteStream) throws(TraceError) {
    lines = LineReader(stream)
    guard let line = try lines.next() else {
      throw TraceError(file: stream.name, .empty(.radioTrace))
    }
    let text = line.starts(with: byteOrderMark) ? line.dropFirst(byteOrderMark.count) : line[...]
    guard let header = try? decoder.decode(TraceHeader.self, from: Data(text)) else {
      throw TraceError(file: stream.name, line: 1, .noTraceHeader)
    }
    guard header.version == 1 else {
      throw TraceError(file: stream.name, line: 1, .traceVersion(header.version))
    }
    guard let start = Date(rfc3339: header.start) else {
      throw TraceError(file: stream.name, line: 1, .invalidStart(header.start))
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
      } catch .notJSON where lines.isOpenEnded && line.first == UInt8(ascii: "{") {
        isCut = true
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, error)
      }
    }
    return nil
  }

  private mutating func event(_ bytes: [UInt8]) throws(TraceError.Problem) -> TimedEvent {
    let line: TraceLine
    do {
      line = try decoder.decode(TraceLine.self, from: Data(bytes))
    } catch {
      throw Self.problem(error)
    }
    guard line.t < Self.latestT else { throw .timeTooLarge(line.t) }
    guard line.t >= 0 else { throw .timeBeforeStart(line.t) }
    guard line.t >= lastT else { throw .timeRunsBackwards(line.t, previous: lastT) }
    lastT = line.t
    let time = Date(
      microseconds:
        start.microseconds.saturatingSum(Int64(saturating: (line.t * 1_000_000).rounded())))
    return TimedEvent(time: time, event: try line.event())
  }

  fileprivate static func problem(_ error: any Error) -> TraceError.Problem {
    switch error {
    case DecodingError.keyNotFound(let key, _): .missingKey(key.stringValue)
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      .wrongType(key: context.codingPath.map(\.stringValue).joined(separator: "."))
    default: .notJSON
    }
  }
}

// MARK: - Single events

extension RadioEvent {
  /// Reads the event of a trace's line, without its time.
  ///
  /// - Throws: `TraceError.Problem`.
  package init(traceLine bytes: Data) throws(TraceError.Problem) {
    let line: TraceLine
    do {
      line = try JSONDecoder().decode(TraceLine.self, from: bytes)
    } catch {
      throw RadioTraceReader.problem(error)
    }
    self = try line.event()
  }
}

// MARK: - Writing

/// Encodes events as the lines of a radio trace.
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
