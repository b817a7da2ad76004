public import Foundation
public import Radio

/// A radio that replays recordings: it streams them, and merges several by absolute time.
///
/// Events of the same instant keep the order of their recordings. After the last event the
/// recording's clock runs on while its consumer has a deadline, at most ``overrun`` seconds, so that
/// pending timers fire.
public final class TraceRadio: Radio {
  /// How long the clock runs on after the last event, in seconds.
  public static let overrun: TimeInterval = 60
  /// The most deadlines between two events: a device that is spoken to each second would otherwise
  /// take seconds of work for each month of silence.
  ///
  /// The last of them comes late, ``overrun`` before the next event, as on a machine that slept.
  public static let mostDeadlines = 600

  /// The speed of a replay.
  public enum Pace: Sendable {
    /// As fast as the consumer reads.
    case unbounded
    /// At a multiple of real time, on a clock.
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
  private var deadlinesSinceEvent = 0

  /// Why a recording could not be read any further; `nil` while all can.
  public private(set) var failure: TraceError?

  /// Replays `readers`.
  public init(_ readers: [any TraceReader], pace: Pace = .unbounded) {
    sources = readers.map { Source(reader: $0) }
    self.pace = pace
  }

  /// How many bytes of the recordings have been read.
  public var bytesRead: Int { sources.reduce(0) { $0 + $1.reader.bytesRead } }

  /// How many packets of each capture became no event so far, in the order of the recordings.
  public var skipped: [[CaptureSkip: Int]] { sources.map(\.reader.skipped) }

  /// The time of the first event; `nil` if there is none.
  ///
  /// - Throws: `RadioError` if a recording cannot be read up to its first event.
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
      deadlinesSinceEvent += 1
      let isLast = deadlinesSinceEvent >= Self.mostDeadlines
      let date = isLast ? max(deadline, event.time - Self.overrun) : deadline
      try await run(to: date)
      return .deadline(date)
    }
    try await run(to: event.time)
    sources[index].head = nil
    lastEvent = event.time
    deadlinesSinceEvent = 0
    return .event(event)
  }

  /// Whether another event is available without waiting.
  public var hasNext: Bool {
    guard case .unbounded = pace else { return false }
    return sources.contains { !$0.isAtEnd }
  }

  /// Does nothing: the recording contains the device's answers.
  public func send(_ command: RadioCommand) async throws(RadioError) {}

  /// Reads the next event of each source, and finds the earliest.
  private func earliest() throws(RadioError) -> Int? {
    var first: (index: Int, time: Date)?
    for index in sources.indices {
      if sources[index].head == nil, !sources[index].isAtEnd {
        do {
          sources[index].head = try sources[index].reader.next()
        } catch {
          failure = error
          throw .recording(error.description)
        }
        sources[index].isAtEnd = sources[index].head == nil
      }
      guard let time = sources[index].head?.time else { continue }
      if first.map({ time < $0.time }) ?? true { first = (index, time) }
    }
    return first?.index
  }

  /// Advances the recording's clock to `time` at the replay's pace.
  private func run(to time: Date) async throws(RadioError) {
    defer { clock = max(clock ?? time, time) }
    guard case .times(let speed, let wall) = pace, let clock, time > clock, speed > 0 else {
      return
    }
    do {
      try await wall.sleep(for: .seconds(time.timeIntervalSince(clock) / speed))
    } catch {
      throw .stopped
    }
  }
}
