import Foundation
import Logging
import Outlets
import ServiceLifecycle
import Terminal

/// Asks the servers of outlets for the plans of their people, once a day where somebody said so.
struct PlanInletService: Service {
  let asking: PlanAsking
  /// The outlets of the settings, which come before those of the store.
  let outlets: [OutletSettings]
  let logger: Logger
  /// The clock of the pauses.
  var clock: any Clock<Duration> = ContinuousClock()

  /// The pause between two looks at whether something is due.
  private static let pause = Duration.seconds(600)

  func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
  }

  /// Works until it is cancelled.
  func work() async {
    var lastFailure = ""
    repeat {
      do {
        try await asking.look(outlets)
        lastFailure = ""
      } catch {
        guard !Task.isCancelled else { break }
        let reason = Message.of(error)
        if reason != lastFailure { logger.error("No plan is asked for: \(reason)") }
        lastFailure = reason
      }
    } while (try? await clock.sleep(for: Self.pause)) != nil
  }
}
