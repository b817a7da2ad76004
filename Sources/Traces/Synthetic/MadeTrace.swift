public import Radio

/// A recording that was made rather than recorded, a part at a time.
///
/// Each part is made when the one before has been played, so that a week takes no more memory than
/// its longest part.
public struct MadeTrace: TraceReader {
  private var parts: [@Sendable () -> [TimedEvent]]
  private var events: ArraySlice<TimedEvent> = []

  /// Always 0: there is no file.
  public var bytesRead: Int { 0 }

  /// Plays what `parts` make, one after the other; each begins no earlier than the one before ends.
  public init(_ parts: [@Sendable () -> [TimedEvent]]) {
    self.parts = parts.reversed()
  }

  /// Plays `events`.
  public init(_ events: [TimedEvent]) {
    parts = []
    self.events = events[...]
  }

  public mutating func next() throws(TraceError) -> TimedEvent? {
    while events.isEmpty {
      guard let part = parts.popLast() else { return nil }
      events = part()[...]
    }
    return events.popFirst()
  }
}
