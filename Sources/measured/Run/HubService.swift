import Care
import CareStore
import Foundation
import Hub
import Logging
import Radio
import ServiceLifecycle
import SystemBus

/// The hub as a service: it works until it is told to stop, and begins anew at a reload.
struct HubService: Service {
  let radio: LiveRadio
  let store: SQLStore
  let source: ConfigurationSource
  let notification: ServiceNotification
  let logger: Logger
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
        radio: radio, store: store, catalog: configuration.catalog,
        patient: configuration.settings.patient
      ) { report in
        let level = report.logLevel
        guard level >= logger.logLevel else { return }
        logger.log(
          level: level, "\(report.logText(at: logger.logLevel, in: zone))")
      }
      notification.ready(status: "listening")
      let summary = try await hub.run()
      logger.info(
        "\(summary.stored) readings kept, \(summary.completed) tasks completed since the start or the last reload."
      )
      guard !Task.isShuttingDownGracefully else { return }
      configuration = reload() ?? configuration
    }
  }

  /// Imports the plan, if there is one, and tells the zone of the plan that is in force.
  private func apply(_ configuration: DaemonConfiguration) async throws -> TimeZone {
    if let plan = configuration.plan {
      do {
        let results = try await store.write { try $0.importPlan(plan, now: Date()) }
        let changed = results.count { $0.change != .unchanged }
        logger.info(
          "The plan \(configuration.settings.plan ?? "") is in force: \(changed) of its \(results.count) tasks are new or changed."
        )
      } catch let error as StoreError {
        logger.error(
          "The plan \(configuration.settings.plan ?? "") is not taken: \(error.message)")
      }
    }
    return try await store.read { try $0.planTimeZone() } ?? .gmt
  }

  /// The configuration as it is now, or `nil` where it has a fault and the one in force stays.
  private func reload() -> DaemonConfiguration? {
    do {
      let configuration = try source.load()
      logger.notice("Settings, device definitions and plan were read again.")
      return configuration
    } catch {
      let failure = CommandFailure(error, isJSON: false)
      logger.error("\(failure.message). What was in force stays in force.")
      return nil
    }
  }
}
