import Agenda
import Care
package import CareStore
package import Foundation
import Localization
package import Logging
import ServiceLifecycle

/// Records reminders, fallbacks, alerts and what rules do, when they are due and when the store
/// changes.
package struct AgendaService: Service {
  package let store: SQLStore
  package let logger: Logger
  /// The current time.
  package var now: @Sendable () -> Date = { Date() }
  /// The clock of the pauses.
  package var clock: any Clock<Duration> = ContinuousClock()

  package init(
    store: SQLStore, logger: Logger, now: @escaping @Sendable () -> Date = { Date() },
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.store = store
    self.logger = logger
    self.now = now
    self.clock = clock
  }

  /// The longest pause: the machine's time can be set meanwhile.
  private static let longestPause: TimeInterval = 60
  /// The pause after a look, so that a stream of samples does not lead to one for each of them.
  private static let shortestPause = Duration.seconds(1)
  /// The pause between two changes that lead to a look.
  private static let pauseOfChanges = Duration.seconds(3)

  package func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
  }

  /// Works until it is cancelled.
  func work() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // A state of its own for each reading: any change may make something due.
    let changes = FollowedState(
      of: store, every: Self.pauseOfChanges, now: now, clock: clock, logger: logger
    ) { _ in UUID() }
    let observer = Task { await changes.forEach { _ in wake.yield() } }
    defer { observer.cancel() }
    var iterator = wakes.makeAsyncIterator()
    while !Task.isCancelled {
      let pause = await look()
      let timer = Task {
        if (try? await clock.sleep(for: .seconds(pause))) != nil { wake.yield() }
      }
      defer { timer.cancel() }
      let rest = min(Duration.seconds(pause), Self.shortestPause)
      guard (try? await clock.sleep(for: rest)) != nil, await iterator.next() != nil else { return }
    }
  }

  /// Records what is due, now and once, also while the service looks itself.
  ///
  /// - Returns: The seconds until the next look.
  @discardableResult package func look() async -> TimeInterval {
    do {
      let date = now()
      let look = try await store.read { try Agenda.look($0, now: date) }
      guard look.due.isEmpty else {
        let (fired, words) = try await store.write { writer in
          (
            try Agenda.run(writer, now: date),
            try FiringWords(writer, in: Console.language, now: date)
          )
        }
        for stored in fired {
          logger.notice("\(words.logText(of: stored.firing))")
          logger.debug("\(words.line(of: stored.firing))")
        }
        return Self.longestPause
      }
      return min(max(look.wakeAt.timeIntervalSince(date), 0.001), Self.longestPause)
    } catch {
      // The daemon ends: the next start looks again.
      guard !Task.isCancelled else { return Self.longestPause }
      logger.error("Reminders and rules have to wait: \(Message.of(error))")
      return Self.longestPause
    }
  }
}
