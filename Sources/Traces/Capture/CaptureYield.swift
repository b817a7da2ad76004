import Radio

/// What the packets of a capture amount to: events in order, and counts of what was skipped.
struct CaptureYield {
  private var events: ArraySlice<RadioEvent> = []
  private(set) var skipped: [CaptureSkip: Int] = [:]

  /// Takes the oldest event out, `nil` where there is none.
  mutating func next() -> RadioEvent? {
    events.popFirst()
  }

  /// Adds an event after those that wait.
  mutating func emit(_ event: RadioEvent) {
    events.append(event)
  }

  /// Counts something that becomes no event.
  mutating func skip(_ reason: CaptureSkip) {
    skipped[reason, default: 0] += 1
  }
}
