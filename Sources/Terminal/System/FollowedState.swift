package import Care
package import CareStore
package import Foundation
package import Logging

/// A state of a store, read for a service as the store changes.
///
/// A change is read at once if a pause has passed since the last reading, else after it. So a strap that
/// stores a beat each second does not wake every service for each of them.
package struct FollowedState<State: Equatable & Sendable>: Sendable {
  let store: SQLStore
  let pause: Duration
  let logger: Logger
  let now: @Sendable () -> Date
  let clock: any Clock<Duration>
  let query: @Sendable (any StoreReader) throws -> State

  /// Follows what `query` reads in one transaction; `pause` is the shortest time between two readings.
  package init(
    of store: SQLStore, every pause: Duration, now: @escaping @Sendable () -> Date,
    clock: any Clock<Duration>, logger: Logger,
    _ query: @escaping @Sendable (any StoreReader) throws -> State
  ) {
    self.store = store
    self.pause = pause
    self.logger = logger
    self.now = now
    self.clock = clock
    self.query = query
  }

  /// Performs something for the first state and for each that differs from the one before, until the task
  /// is cancelled or an error ends it, which the log names.
  package func forEach(_ perform: (State) async throws -> Void) async {
    var last: State?
    do {
      for try await look in store.observe(
        in: .gmt, now: now, clock: clock, { [query] reader, _ in Look(state: try query(reader)) })
      {
        if look.state != last { try await perform(look.state) }
        last = look.state
        try await clock.sleep(for: pause)
      }
    } catch {
      guard !Task.isCancelled else { return }
      logger.error("Changes of the store are not seen: \(Message.of(error))")
    }
  }
}

/// A reading of a state.
///
/// It differs from every other, so that an observation returns each reading, and a pause follows each.
private struct Look<State: Sendable>: Equatable, Sendable {
  let state: State

  static func == (_: Self, _: Self) -> Bool { false }
}
