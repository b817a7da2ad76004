public import ArgumentParser
import CareStore
import Foundation
public import Logging
import Radio
import ServiceLifecycle
import SystemBus
import UnixSignals

/// `measured run`.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The daemon: listens to the radio, keeps what is measured, completes tasks.",
    discussion: """
      It reads \(ServiceSettings.path), unless --settings names another file; flags win over it. \
      SIGHUP reads settings, device definitions and plan again; SIGTERM ends it in good order. It \
      works from the moment that a controller appears, and says in its log what it waits for.

      Example:
        measured run --plan plan.yaml --radio bluetoothd
      """)

  @Option(help: "The settings. Default: \(ServiceSettings.path), if it is there.")
  var settings: String?

  @OptionGroup var storage: StoreOptions
  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var air: RadioOptions

  @Option(help: "A care plan to import at the start and at every reload.")
  var plan: String?

  @Option(help: "How much is logged: debug, info, notice, warning or error.")
  var logLevel: Logger.Level?

  func run() async throws {
    try await reporting(isJSON: false) {
      let (store, patient, plan, choice, level) = (
        storage.store, storage.patient, plan, air.radio, logLevel
      )
      let source = ConfigurationSource(file: settings, definitions: catalog.folder) { settings in
        settings.store = store ?? settings.store
        settings.patient = patient ?? settings.patient
        settings.plan = plan ?? settings.plan
        settings.radio = choice ?? settings.radio
        settings.logLevel = level ?? settings.logLevel
      }
      try await run(source)
    }
  }

  private func run(_ source: ConfigurationSource) async throws {
    let environment = ProcessInfo.processInfo.environment
    let configuration = try source.load()
    let logger = Logger(label: "measured") { _ in
      JournalLogHandler(level: configuration.settings.logLevel, environment: environment)
    }
    var storage = storage
    storage.store = configuration.settings.store
    let store = try storage.open()
    let notification = ServiceNotification()
    let opened = try await RadioOpening(
      choice: configuration.settings.radio, keys: air.keysPath(store: storage.path)
    )
    .open { notice in
      logger.log(level: notice.severity == .info ? .info : .warning, "\(notice.text)")
      notification.status(notice.text)
    }
    logger.info("Listening through \(opened.mode.rawValue); the store is \(storage.path).")
    Watchdog(loop: opened.loop, radio: opened.radio, notification: notification)?.beat()
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: HubService(
              radio: opened.radio, store: store, source: source, notification: notification,
              logger: logger, first: configuration),
            successTerminationBehavior: .gracefullyShutdownGroup),
          .init(service: ReloadService(radio: opened.radio, notification: notification)),
        ],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await group.run()
    logger.info("Stopped.")
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
