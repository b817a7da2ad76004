import Access
public import ArgumentParser
import Care
import CareStore
import Foundation
import Hub
import Localization
public import Logging
import Outlets
import Radio
import ServiceLifecycle
import SystemBus
import Terminal
import UnixSignals
import Web

/// `measured run`.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "The daemon: listens to the radio, stores measurements, completes tasks.",
    discussion: """
      Settings come from \(ServiceSettings.path) or the file of --settings; flags override them. \
      SIGHUP reads settings, device definitions and plan again; SIGTERM ends the daemon. A file with \
      a mistake is reported, and the daemon works with the rest: what the store and the program hold. \
      It starts to work as soon as a controller appears; until then the log says what is missing.

      Example:
        measured run --plan plan.yaml --radio bluetoothd
      """)

  @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
  var settings: String?

  @OptionGroup var storage: StoreOptions
  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var air: RadioOptions

  @Option(help: "A care plan to import at the start and at every reload.")
  var plan: String?

  @Option(
    help: ArgumentHelp(
      "The port of the page on this machine, or address and port. Default: 8473. On an address that"
        + " other machines reach, such as 0.0.0.0:8473, people sign in."),
    transform: PageAddress.init(entered:))
  var page: PageAddress?

  @Option(help: "How much is logged: debug, info, notice, warning or error.")
  var logLevel: Logger.Level?

  func run() async throws {
    try await reporting(isJSON: false) {
      let (store, patient, plan, choice, page, level) = (
        storage.store, storage.patient, plan, air.radio, page, logLevel
      )
      let source = ConfigurationSource(file: settings, definitions: catalog.folder) { settings in
        let variable = ProcessInfo.processInfo.environment["MEASURED_STORE"] ?? ""
        settings.store = store ?? (variable.isEmpty ? settings.store : variable)
        settings.patient = patient ?? settings.patient
        settings.plan = plan ?? settings.plan
        settings.radio = choice ?? settings.radio
        settings.page = page ?? settings.page
        settings.logLevel = level ?? settings.logLevel
      }
      do {
        try await run(source)
      } catch {
        // With a priority, so that `journalctl -p warning` has the reason of the end.
        let environment = ProcessInfo.processInfo.environment
        let failure = CommandFailure(error)
        guard environment["JOURNAL_STREAM"] != nil, !failure.message.isEmpty else { throw error }
        Console.error(
          JournalLogHandler(level: .info, environment: environment).line(.error, failure.message))
        throw CommandFailure(failure.code)
      }
    }
  }

  private func run(_ source: ConfigurationSource) async throws {
    CoreDumps.forbid()
    let environment = ProcessInfo.processInfo.environment
    let read = try source.readSettings()
    let settings = read.settings
    // The definitions take longest to read, and the radio need not wait for them: what it receives
    // meanwhile waits for the hub.
    async let loaded = source.load(with: read)
    let logger = Logger(label: "measured") { _ in
      JournalLogHandler(level: settings.logLevel, environment: environment)
    }
    // The settings are read already, perhaps from another file than the default one.
    let path =
      try settings.store
      ?? StoreLocation(environment: environment, settings: nil).path
    if settings.store == nil, settings.mayNameAnotherStore,
      try !StoreFileOptions.isPresent(path)
    {
      // Devices delete the readings that they hand over, even to the wrong store.
      throw CommandFailure(
        .failed,
        LocalizedText(
          "command.daemon.unknownStore",
          ["path": "\(path)", "faults": .init(read.faults.joined(separator: "; "))]))
    }
    var storage = storage
    storage.store = path
    // Before the store is opened, which may make it; without its folder once that exists.
    var lock = try Self.lock(path, logger)
    let store = try storage.open()
    if lock == nil { lock = try Self.lock(path, logger) }
    defer { withExtendedLifetime(lock) {} }
    let notification = ServiceNotification()
    let state = RadioState()
    let status = DaemonStatus(notification, radio: state)
    let opened = try await RadioOpening(
      choice: settings.radio, keys: air.keysPath(store: path)
    )
    .open { notice in
      // In automatic mode the daemon ends with a reason of its own.
      let isAdvised = notice != .yielded || settings.radio != .auto
      if isAdvised {
        logger.log(level: notice.severity == .info ? .info : .warning, "\(notice.message)")
      }
      status.show(notice)
    }
    let configuration = try await loaded
    let inForce = ConfigurationInForce(
      configuration, store: store, logger: logger, now: { Date() }, load: source.load)
    logger.info("Listening through \(opened.mode.rawValue); the store is \(path).")
    startWatchdog(on: opened, status: status, notification: notification)
    let (nearby, tap, counts) = (NearbyDevices(), RadioTap(), HubCounts())
    let desk = settings.page.map { _ in MeasuringDesk.live() }
    let tester = ChannelTester(
      store: store, settings: { inForce.current.settings.mail }, environment: environment)
    let receivers = OutletDesk(
      store, settings: settings.outlets, path: path, authorities: environment["SSL_CERT_FILE"],
      mail: { inForce.current.settings.mail }, now: { Date() })
    let web = WebEnvironment(
      store: store, path: path, catalog: configuration.catalog, nearby: nearby, desk: desk,
      pairing: PairingDesk(pairingWith: opened.radio.backend), counts: counts,
      mode: opened.mode, takesTaps: settings.page?.reached != nil, isCentre: settings.isCentre,
      reached: settings.page?.reached?.base, authorities: environment["SSL_CERT_FILE"],
      tester: tester, receivers: receivers)
    let (served, agenda) = (ServedPage(), AgendaService(store: store, logger: logger))
    let transport = Transport(authorities: environment["SSL_CERT_FILE"])
    let watch = MachineWatch(
      store: path, mode: opened.mode, trouble: { state.trouble?.message })
    let messages = MessageService(
      store: store,
      carrier: ChannelCarrier(
        store: store, settings: { inForce.current.settings.mail },
        page: settings.page?.reached, transport: transport),
      logger: logger, faults: { await watch.look(at: $0) })
    let outlets = OutletService(
      store: store, outlets: settings.outlets, folder: StoreLocation.folder(of: path),
      transport: transport, logger: logger,
      authorities: environment["SSL_CERT_FILE"], mail: { inForce.current.settings.mail },
      grant: { name in
        guard let control = try? AccessFiles(store: path).control() else { return nil }
        return await control.accounts.first { $0.id == name }?.grant
      })
    if read.faults.isEmpty {
      let ofSettings = Set(settings.outlets.map(\.name))
      try await store.writeOutlets { writer in
        let names = ofSettings.union(try writer.outletSettings().keys)
        if try !Set(writer.outletNames()).isSubset(of: names) {
          try writer.forgetOutlets(except: names)
        }
      }
    }
    let plans = PlanInletService(
      asking: PlanAsking(
        store: store, catalog: configuration.catalog,
        send: { await transport.send($0) }, now: { Date() }),
      outlets: settings.outlets, logger: logger)
    let centres = CentreService(
      store: store,
      transport: CentreConversation.transport(
        authorities: environment["SSL_CERT_FILE"]), logger: logger,
      faults: { await watch.look(at: $0).faults })
    let socket = SocketService(
      web, store: path,
      radio: RadioDesk(
        backend: opened.radio.backend, tap: tap, mode: opened.mode.rawValue, state: state,
        keep: { [store] in try store.keep($0) },
        channels: tester, outlets: receivers.test, logger: logger),
      page: served, faults: { status.faults }, logger: logger)
    let page = settings.page.map { address in
      PageService(
        environment: web, address: address, files: AccessFiles(store: path), logger: logger,
        onRunning: { address in
          served.begin(at: address)
          logger.notice("The page: \(address)")
        }, onFailure: { status.miss(page: $0) })
    }
    let lifeSign = LifeSignService(
      changes: inForce.silence,
      courier: Courier(transport: transport, account: nil, now: { Date() }), logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: HubService(
              radio: opened.radio, nearby: nearby, desk: desk, tap: tap, counts: counts,
              store: store, configuration: inForce, status: status,
              notification: notification, logger: logger,
              isSuperseded: {
                settings.radio == .auto && state.trouble == .yielded
              }),
            successTerminationBehavior: .gracefullyShutdownGroup),
          .init(service: agenda, successTerminationBehavior: .ignore),
          .init(service: messages, successTerminationBehavior: .ignore),
          .init(service: outlets, successTerminationBehavior: .ignore),
          .init(service: plans, successTerminationBehavior: .ignore),
          .init(service: centres, successTerminationBehavior: .ignore),
          .init(
            service: ReloadService(
              radio: opened.radio, configuration: inForce, status: status,
              notification: notification, signals: await UnixSignalsSequence(trapping: .sighup))),
          .init(service: socket, successTerminationBehavior: .ignore),
          .init(service: lifeSign, successTerminationBehavior: .ignore),
        ] + (page.map { [.init(service: $0, successTerminationBehavior: .ignore)] } ?? []),
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await group.run()
    logger.info("Stopped.")
  }

  /// Keeps a second daemon from the store; one on a server takes several.
  ///
  /// - Throws: ``StoreLock/Failure`` if there is one.
  private static func lock(_ path: String, _ logger: Logger) throws(StoreLock.Failure) -> StoreLock?
  {
    guard !SQLStore.isOnServer(path) else { return nil }
    do throws(StoreLock.Failure) {
      return try StoreLock(store: path)
    } catch .taken(let store) {
      throw .taken(store: store)
    } catch .unusable(_, code: ENOENT) {
      return nil
    } catch {
      logger.warning("\(error.message)")
      return nil
    }
  }

  private func startWatchdog(
    on opened: OpenedRadio, status: DaemonStatus, notification: ServiceNotification
  ) {
    guard let interval = notification.watchdogInterval else { return }
    let (radio, loop) = (opened.radio, opened.loop)
    Watchdog(
      interval: interval, stall: { status.isWaiting ? .zero : radio.stall },
      notify: { notification.watchdog() },
      schedule: { delay, handler in _ = loop.schedule(after: delay, handler: handler) }
    ).start()
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
