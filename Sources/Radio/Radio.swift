public import Foundation

/// A source of radio events: bluetoothd, the kernel, or a recorded trace.
///
/// One consumer calls ``next(until:)`` repeatedly and processes each step before it requests the
/// next. A live radio buffers a bounded number of events and counts the dropped ones; a trace is
/// read on demand and drops nothing.
public protocol Radio: AnyObject {
  /// The next event, or `deadline` if that comes first.
  ///
  /// - Parameter deadline: When the consumer wakes at the latest; `nil` if it has no timer pending.
  /// - Returns: The event, the deadline that came first, or the end of the recording.
  /// - Throws: ``RadioError`` when the source failed.
  func next(until deadline: Date?) async throws(RadioError) -> RadioStep

  /// Whether the next event is available without waiting; `false` if the radio cannot tell.
  ///
  /// If so, a consumer may store its results together with those of the next event in one
  /// transaction, provided that it has acknowledged none of them.
  var hasNext: Bool { get }

  /// Performs a session's command. A recorded trace ignores it.
  ///
  /// - Throws: ``RadioError`` if the radio cannot accept the command; the device's response is
  ///   reported
  ///   as an event.
  func send(_ command: RadioCommand) async throws(RadioError)
}

extension Radio {
  /// The default: the consumer stores the results of each event separately.
  public var hasNext: Bool { false }
}

/// The result of ``Radio/next(until:)``.
public enum RadioStep: Hashable, Sendable {
  /// An event.
  case event(TimedEvent)
  /// There was no event up to the requested deadline.
  case deadline(Date)
  /// The wall clock was set forward by that many seconds (back if negative) and shows `at` now. The
  /// consumer moves its deadlines and pauses by the same time, so that they last as long as before.
  case clockSet(by: TimeInterval, at: Date)
  /// There are no more events; the time is that of the last event, `nil` if there was none.
  case end(Date?)
}
