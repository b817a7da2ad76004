import Care
import CareStore
import Foundation
import Localization
import Logging
import Outlets
import ServiceLifecycle

/// Passes measurements on to the receivers of the settings, each by itself.
struct OutletService: Service {
  let store: SQLStore
  let outlets: [OutletSettings]
  let transport: Transport
  let logger: Logger
  /// The current time.
  var now: @Sendable () -> Date = { Date() }
  /// The clock of the pauses.
  var clock: any Clock<Duration> = ContinuousClock()

  /// The pause after a look, so that a stream of samples does not lead to one for each of them.
  private static let shortestPause = Duration.seconds(1)
  /// The longest pause while something is due later: the machine's time can be set meanwhile.
  private static let longestPause: TimeInterval = 60

  func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
  }

  /// Works until it is cancelled.
  func work() async {
    await withDiscardingTaskGroup { group in
      for settings in outlets { group.addTask { await work(settings) } }
    }
  }

  private func work(_ settings: OutletSettings) async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = Task {
      let changes = store.observe(in: .gmt, now: now, clock: clock) { reader, _ in
        (reader as? any OutletReader).map { try? $0.lastNumber() } ?? nil
      }
      do {
        for try await _ in changes { wake.yield() }
      } catch {
        logger.error("Changes of the store are not seen: \(Message.of(error))")
      }
    }
    defer { observer.cancel() }
    var iterator = wakes.makeAsyncIterator()
    var run: OutletRun?
    var lastFailure = ""
    while !Task.isCancelled {
      var until: TimeInterval?
      do {
        var current: OutletRun
        if let run {
          current = run
        } else {
          current = try await begin(settings)
        }
        let next = try await current.round()
        run = current
        lastFailure = ""
        guard case .rest(let date) = next else { continue }
        until = date.map { $0.timeIntervalSince(now()) }
      } catch {
        until = Self.longestPause
        let reason = Message.of(error)
        if reason != lastFailure { logger.error("The outlet \(settings.name) waits: \(reason)") }
        lastFailure = reason
      }
      let timer = Task { [until] in
        guard let until else { return }
        let pause = min(max(until, 1), Self.longestPause)
        if (try? await clock.sleep(for: .seconds(pause))) != nil { wake.yield() }
      }
      defer { timer.cancel() }
      guard (try? await clock.sleep(for: Self.shortestPause)) != nil, await iterator.next() != nil
      else { break }
    }
  }

  private func begin(_ settings: OutletSettings) async throws -> OutletRun {
    let zone = try await store.read { try $0.planTimeZone() } ?? .gmt
    let outlet = try settings.outlet(zone: zone, now: now) { [transport] in
      await transport.send($0)
    }
    let run = OutletRun(
      settings.name, of: outlet, scope: settings.scope, from: store, now: now,
      random: SystemRandomNumberGenerator())
    try await run.begin(receiver: settings.receiver)
    return run
  }
}
