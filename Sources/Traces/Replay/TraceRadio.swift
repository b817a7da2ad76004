public import Foundation
public import Radio

/// A radio that plays recordings: several are merged by absolute time, none of them ever held whole.
///
/// Events of the same instant keep the order of the recordings as they were given. After the last
/// event the recording's clock runs on while its consumer has something pending, at most
/// ``overrun`` seconds, so that what waits for time to pass comes to its end.
public final class TraceRadio: Radio {
  /// How long the clock runs on after the last event, in seconds.
  public static let overrun: TimeInterval = 60

  /// How fast a recording is played.
  public enum Pace: Sendable {
    /// As fast as its consumer takes it.
    case unbounded
    /// In its own time, so many times as fast, on a clock.
    case times(Double, any Clock<Duration>)
  }

  private struct Source {
    var reader: any TraceReader
    var head: TimedEvent?
    var isAtEnd = false
  }

  private var sources: [Source]
  private let pace: Pace
  private var clock: Date?
  private var lastEvent: Date?

  /// Plays `readers`.
  public init(_ readers: [any TraceReader], pace: Pace = .unbounded) {
    sources = readers.map { Source(reader: $0) }
    self.pace = pace
  }

  /// How many bytes of the recordings have been read.
  public var bytesRead: Int { sources.reduce(0) { $0 + $1.reader.bytesRead } }

  /// When the first event is; `nil` where there is none.
  ///
  /// - Throws: ``RadioError`` where the recordings cannot be read so far.
  public func start() throws(RadioError) -> Date? {
    try earliest().flatMap { sources[$0].head?.time }
  }

  public func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    guard let index = try earliest(), let event = sources[index].head else {
      guard let deadline, let lastEvent,
        deadline <= lastEvent.addingTimeInterval(Self.overrun)
      else { return .end(lastEvent) }
      try await run(to: deadline)
      return .deadline(deadline)
    }
    if let deadline, deadline <= event.time {
      try await run(to: deadline)
      return .deadline(deadline)
    }
    try await run(to: event.time)
    sources[index].head = nil
    lastEvent = event.time
    return .event(event)
  }

  /// Whether there is more of a recording that is played as fast as it is taken.
  public var hasNext: Bool {
    guard case .unbounded = pace else { return false }
    return sources.contains { !$0.isAtEnd }
  }

  /// Does nothing: what the recorded device answered is in the recording.
  public func send(_ command: RadioCommand) async throws(RadioError) {}

  /// Reads what is missing of the sources' next events, and finds the first of them.
  private func earliest() throws(RadioError) -> Int? {
    var first: (index: Int, time: Date)?
    for index in sources.indices {
      if sources[index].head == nil, !sources[index].isAtEnd {
        do {
          sources[index].head = try sources[index].reader.next()
        } catch {
          throw RadioError(error.description)
        }
        sources[index].isAtEnd = sources[index].head == nil
      }
      guard let time = sources[index].head?.time else { continue }
      if first.map({ time < $0.time }) ?? true { first = (index, time) }
    }
    return first?.index
  }

  /// Lets the recording's clock run to `time`, at the pace asked for.
  private func run(to time: Date) async throws(RadioError) {
    defer { clock = max(clock ?? time, time) }
    guard case .times(let speed, let wall) = pace, let clock, time > clock, speed > 0 else {
      return
    }
    do {
      try await wall.sleep(for: .seconds(time.timeIntervalSince(clock) / speed))
    } catch {
      throw RadioError("the replay was stopped")
    }
  }
}
