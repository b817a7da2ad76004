import Care
import CareStore
import Foundation
import Hub
import Logging
import Radio
import ServiceLifecycle
import SystemBus

/// The hub as a service: it works until a graceful shutdown, and starts again after a reload.
struct HubService: Service {
  let radio: LiveRadio
  /// What advertises nearby.
  let nearby: NearbyDevices
  /// The sessions with people; `nil` without a page.
  var desk: MeasuringDesk?
  /// Who else reads the radio's events.
  let tap: RadioTap
  /// Counts the hub's reports.
  let counts: HubCounts
  let store: SQLStore
  /// Reads the configuration again, at a reload.
  let load: @Sendable () throws -> DaemonConfiguration
  let notification: ServiceNotification
  let logger: Logger
  /// The configuration at the start.
  let first: DaemonConfiguration

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await work()
    } onGracefulShutdown: {
      notification.stopping()
      radio.interrupt()
    }
    await radio.backend.stop()
  }

  private func work() async throws {
    var configuration = first
    while true {
      let zone = try await apply(configuration)
      var hub = try await Hub(
        radio: WatchedRadio(radio: radio, nearby: nearby, tap: tap), store: store,
        catalog: configuration.catalog,
        patient: configuration.settings.patient, desk: desk,
        isClockSynchronized: { MachineFacts.isClockSynchronized }
      ) { [counts] report in
        counts.add(report)
        let level = report.logLevel
        guard level >= logger.logLevel else { return }
        logger.log(
          level: level, "\(report.logText(at: logger.logLevel, in: zone))")
      }
      notification.ready(status: "listening")
      let summary = try await hub.run()
      logger.info(
        "\(summary.stored) readings stored, \(summary.completed) tasks completed since the start or the last reload."
      )
      guard !Task.isShuttingDownGracefully else { return }
      configuration = reload() ?? configuration
    }
  }

  /// Imports the configuration's plan, if any.
  ///
  /// - Returns: The time zone of the store's plan.
  private func apply(_ configuration: DaemonConfiguration) async throws -> TimeZone {
    for fault in configuration.definitionFaults {
      logger.error("A device definition is left out: \(fault)")
    }
    if let plan = configuration.plan {
      let file = configuration.settings.plan ?? ""
      if let exposure = plan.exposure(in: file) { logger.warning("\(exposure)") }
      do {
        let report = try await store.write {
          try $0.importPlan(plan, options: PlanImportOptions(isLive: true), now: Date())
        }
        let tasks = report.lines.filter { $0.kind == .task && $0.change != .missing }
        let changed = tasks.count { $0.change != .unchanged }
        logger.info(
          "The plan \(file) is in force: \(changed) of its \(tasks.count) tasks are new or changed."
        )
      } catch let error as StoreError {
        logger.error("The plan \(file) is not imported: \(error.message)")
      }
    }
    return try await store.read { try $0.planTimeZone() } ?? .gmt
  }

  /// The configuration as it is now; `nil` where it has a fault, so that the previous one stays.
  private func reload() -> DaemonConfiguration? {
    do {
      let configuration = try load()
      logger.notice("Settings, device definitions and plan were read again.")
      return configuration
    } catch {
      logger.error("\(CommandFailure(error).message). The previous configuration stays in force.")
      return nil
    }
  }
}

/// Interrupts the radio at every signal, so that the hub's service reads its configuration again.
struct ReloadService<Signals: AsyncSequence & Sendable>: Service where Signals.Element: Sendable {
  let radio: LiveRadio
  let notification: ServiceNotification
  /// The signals, one element each (SIGHUP, `systemctl reload measured`).
  let signals: Signals

  func run() async throws {
    for try await _ in signals.cancelOnGracefulShutdown() {
      notification.reloading()
      radio.interrupt()
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
