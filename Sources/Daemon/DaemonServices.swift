import Care
import CareStore
import Foundation
import Hub
import Localization
import Logging
import Radio
import ServiceLifecycle
import SystemBus
import Terminal

/// The hub as a service: it works until a graceful shutdown, and begins again after a reload that
/// needs it.
struct HubService: Service {
  let radio: LiveRadio
  /// The devices that advertise nearby.
  let nearby: NearbyDevices
  /// The sessions with people; `nil` without a page.
  var desk: MeasuringDesk?
  /// Who else reads the radio's events.
  let tap: RadioTap
  /// Counts the hub's reports.
  let counts: HubCounts
  var store: SQLStore
  let configuration: ConfigurationInForce
  let status: DaemonStatus
  let notification: ServiceNotification
  let logger: Logger
  /// Whether the radio has left the controllers to bluetoothd, and the next start would use that.
  var isSuperseded: @Sendable () -> Bool = { false }
  /// The current time.
  var now: @Sendable () -> Date = { Date() }
  /// The clock of the pauses.
  var clock: any Clock<Duration> = ContinuousClock()
  /// The pause before a store that could not be written is tried again.
  var storePause = Duration.seconds(10)

  func run() async throws {
    let ended: Result<Void, any Error>
    do {
      try await withGracefulShutdownHandler {
        try await work()
      } onGracefulShutdown: {
        notification.stopping()
        radio.interrupt()
      }
      ended = .success(())
    } catch {
      ended = .failure(error)
    }
    // Also after a failure: bluetoothd survives an orderly end only.
    await radio.backend.stop()
    try ended.get()
  }

  private func work() async throws {
    try await configuration.begin()
    while true {
      let configured = configuration.current
      let zone = try await store.read { try $0.planTimeZone() } ?? .gmt
      var hub = try await Hub(
        radio: WatchedRadio(radio: radio, nearby: nearby, tap: tap), store: store,
        catalog: configured.catalog,
        patient: configured.settings.patient, desk: desk,
        isClockSynchronized: { MachineFacts.isClockSynchronized },
        storeCheck: Hub.StoreCheck(from: now()) { [store] in try store.requireUsable() }
      ) { [counts, nearby] report in
        counts.add(report)
        nearby.add(report, at: now())
        let level = report.logLevel
        guard level >= logger.logLevel else { return }
        logger.log(
          level: level, "\(report.logText(at: logger.logLevel, in: zone))")
      }
      status.ready(faults: configuration.currentFaults)
      let summary = try await run(&hub)
      logger.info(
        "\(summary.stored) readings stored, \(summary.completed) tasks completed since the start or the last reload."
      )
      guard !Task.isShuttingDownGracefully else { return }
      guard !isSuperseded() else {
        throw CommandFailure(.failed, "command.daemon.superseded")
      }
    }
  }
}

extension HubService {
  /// Runs a hub to its end; while the store cannot be written, its links are down.
  ///
  /// Nothing is confirmed meanwhile, so the devices keep what they have measured.
  ///
  /// - Throws: ``StoreError`` for a store that will not recover by itself.
  private func run(_ hub: inout Hub) async throws -> HubSummary {
    while true {
      do {
        return try await hub.run()
      } catch let error as StoreError where error.mayPass && !Task.isShuttingDownGracefully {
        defer { status.wait(forStore: nil) }
        report(error)
        await hub.hangUp()
        try await waitForStore(of: &hub, after: error)
      }
    }
  }

  /// Waits until what a hub has received is stored, or the service is to end.
  private func waitForStore(of hub: inout Hub, after error: StoreError) async throws {
    var last = error
    while true {
      _ = try? await cancelWhenGracefulShutdown { try await clock.sleep(for: storePause) }
      guard !Task.isShuttingDownGracefully else { return }
      guard !store.canBecomeWritable else {
        throw CommandFailure(.failed, "command.daemon.storeIsWritable")
      }
      do {
        try await hub.recover()
        return logger.notice("The store can be written again.")
      } catch let error as StoreError where error.mayPass {
        if error != last { report(error) }
        last = error
      }
    }
  }

  private func report(_ error: StoreError) {
    logger.error(
      "\(error.message) Links are down until the store can be written; what devices have measured stays in them."
    )
    status.wait(forStore: error.message)
  }
}

extension StoreError {
  /// Whether the store may be written again later, without another start.
  fileprivate var mayPass: Bool {
    guard case .failed(let failure, _) = self else { return false }
    return switch failure {
    case .diskFull, .diskError, .readOnly, .cannotOpen, .busy, .system, .deleted, .replaced,
      .unreachable, .uncertain:
      true
    default: false
    }
  }
}

/// Reads the configuration again at every signal, and interrupts the radio if the hub has to begin
/// again with it.
struct ReloadService<Signals: AsyncSequence & Sendable>: Service where Signals.Element: Sendable {
  let radio: LiveRadio
  let configuration: ConfigurationInForce
  let status: DaemonStatus
  let notification: ServiceNotification
  /// The signals, one element each (SIGHUP, `systemctl reload measured`).
  let signals: Signals

  func run() async throws {
    for try await _ in signals.cancelOnGracefulShutdown() {
      notification.reloading()
      if await configuration.reload() {
        // The hub's service is ready when it has begun again.
        radio.interrupt()
      } else {
        status.ready(faults: configuration.currentFaults)
      }
    }
  }
}

/// Keeps systemd's watchdog (`WatchdogSec=`) from restarting the daemon as long as it works: the
/// radio's thread runs, and the hub is not stuck with one event.
struct Watchdog: Sendable {
  /// Within which time systemd expects the next sign of life.
  let interval: Duration
  /// How long the hub has been busy with one event.
  let stall: @Sendable () -> Duration
  /// Gives systemd a sign of life.
  let notify: @Sendable () -> Void
  /// Calls a handler once after a delay, on the radio's thread.
  let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  /// Gives a sign of life now and twice in every interval from now on.
  func start() {
    if stall() < interval { notify() }
    schedule(interval / 2) { start() }
  }
}
