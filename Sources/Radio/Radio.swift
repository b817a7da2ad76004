public import Foundation

/// A source of radio events: bluetoothd, the kernel, or a recorded trace.
///
/// The one consumer calls ``next(until:)`` repeatedly and handles each answer before it requests
/// the next. A live radio buffers a bounded number of events and counts the dropped ones; a trace
/// is pulled and loses nothing.
public protocol Radio: AnyObject {
  /// The next event, or `deadline` if that comes first.
  ///
  /// - Parameter deadline: When the consumer wants to be woken; `nil` if nothing is pending.
  /// - Returns: The event, the deadline that came first, or the end of the recording.
  /// - Throws: ``RadioError`` when the source failed.
  func next(until deadline: Date?) async throws(RadioError) -> RadioStep

  /// Whether the next event is available without waiting; `false` if the radio cannot tell.
  ///
  /// A consumer may then store its results together with those of the next event, in one
  /// transaction, as long as it has acknowledged none of them.
  var hasNext: Bool { get }

  /// Performs a session's command. A recorded trace ignores it.
  ///
  /// - Throws: ``RadioError`` when the radio cannot take the command; what the device then answers
  ///   comes as an event.
  func send(_ command: RadioCommand) async throws(RadioError)
}

extension Radio {
  /// The default, with which a consumer stores the results of every event at once.
  public var hasNext: Bool { false }
}

/// What a radio answers when it is asked for the next event.
public enum RadioStep: Hashable, Sendable {
  /// An event.
  case event(TimedEvent)
  /// There was no event up to the requested deadline.
  case deadline(Date)
  /// There will be no more events; the time is the last one's, `nil` if there was none.
  case end(Date?)
}
