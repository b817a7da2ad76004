public import Foundation

/// A source of radio events: bluetoothd, the kernel, or a recorded trace.
///
/// The one consumer calls ``next(until:)`` again and again and handles each answer before it asks
/// for the next. A live radio buffers a bounded number of events and counts what it drops; a trace
/// is pulled and loses nothing.
public protocol Radio: AnyObject {
  /// The next event, or the news that `deadline` came first.
  ///
  /// - Parameter deadline: When the consumer wants to be woken; `nil` where nothing is pending.
  /// - Returns: The event, the deadline that came first, or the end of the recording.
  /// - Throws: ``RadioError`` when the source failed.
  func next(until deadline: Date?) async throws(RadioError) -> RadioStep

  /// Whether the next event is available without waiting; `false` if the radio cannot tell.
  ///
  /// A consumer may then store its results together with those of the next event, in one
  /// transaction, as long as it has acknowledged none of them.
  var hasNext: Bool { get }

  /// Does what a session asks. A recorded trace has done it already.
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
  /// Something was heard.
  case event(TimedEvent)
  /// Nothing was heard up to this time, which was asked for.
  case deadline(Date)
  /// There will be no more events; the time is the last one's, `nil` where there was none.
  case end(Date?)
}

/// Why a radio failed.
public struct RadioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What happened, to what, why, and what to do, for people.
  public var description: String

  /// Makes an error.
  public init(_ description: String) {
    self.description = description
  }
}
