package import Foundation
package import Radio

/// The radio of this machine, through bluetoothd or through the kernel.
package final class LiveRadio: Radio, Sendable {
  /// What does the work.
  package let backend: any RadioBackend
  private let events: EventBuffer

  /// Makes a radio of a backend that was given the same buffer.
  package init(backend: any RadioBackend, events: EventBuffer) {
    self.backend = backend
    self.events = events
  }

  package func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    await events.next(until: deadline)
  }

  package var isBehind: Bool { events.isBehind }

  /// Tells the consumer an end once it has taken what was heard until now.
  package func interrupt() { events.interrupt() }

  /// How long the consumer has been busy with one event.
  package var stall: Duration { events.stall }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    try await backend.send(command)
  }
}
