import ArgumentParser
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Localization
import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// `measured serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves the page of a store on this machine, until Ctrl-C.",
    discussion: """
      The daemon serves it by itself (see page: in its settings); this is for a store without one, \
      and a store has one at a time. \
      Only this machine reaches it, unless --page names another address, where people sign in. \
      From another machine without that, tunnel: ssh -L 8473:127.0.0.1:8473 HOST.

      Example:
        measured serve
        measured serve --store week.sqlite --page 8080
        measured serve --centre
      """)

  @OptionGroup var file: StoreFileOptions
  @OptionGroup var catalog: CatalogOptions

  @Option(help: "The port, or address and port.")
  var page = PageAddress.standard

  @Flag(help: "Let boxes join, and exchange rows with the store (measured centre).")
  var centre = false

  func run() async throws {
    try await reporting(isJSON: false) {
      try await serving().untilInterrupted()
    }
  }

  private func serving() throws -> PageServing {
    let path = try file.path
    if !FileManager.default.fileExists(atPath: path) {
      Console.error(LocalizedText("command.page.newStore", ["store": "\(path)"]).message)
    }
    let lock = try Self.lock(path)
    return PageServing(
      store: try file.open(), path: path, catalog: try DeviceCatalog.load(catalog),
      address: page, files: AccessFiles(store: path), isCentre: centre, lock: lock)
  }

  /// Keeps a second page, and a daemon, from the store.
  ///
  /// - Throws: ``CommandFailure`` that says where the page is, if there is one.
  private static func lock(_ store: String) throws(CommandFailure) -> StoreLock? {
    do throws(StoreLock.Failure) {
      return try StoreLock(store: store)
    } catch .taken(let store) {
      let facts = DaemonSocket.holding(store)?.facts
      throw CommandFailure(
        .failed,
        facts.map { $0.occupation(of: store) } ?? StoreLock.Failure.taken(store: store).localized)
    } catch {
      // A store in a folder that cannot be written is shown all the same.
      return nil
    }
  }
}

extension LocalDoor.Facts {
  /// Why the page of a store is not served a second time, and what to do.
  fileprivate func occupation(of store: String) -> LocalizedText {
    switch (radio != nil, page) {
    case (true, let page?):
      LocalizedText("command.page.ofDaemon", ["store": "\(store)", "page": "\(page)"])
    case (true, nil): LocalizedText("command.page.daemonWithout", ["store": "\(store)"])
    case (false, let page?):
      LocalizedText("command.page.ofOther", ["store": "\(store)", "page": "\(page)"])
    case (false, nil): StoreLock.Failure.taken(store: store).localized
    }
  }
}

/// Serves the page of a store until the program is interrupted.
struct PageServing {
  let store: SQLStore
  /// The store's path, if commands may come through a socket; else `nil`.
  let path: String?
  let catalog: DeviceCatalog
  let address: PageAddress
  /// The files of accounts and audit log.
  let files: AccessFiles
  /// Whether boxes join.
  var isCentre = false
  /// Keeps others from the store while it is served.
  var lock: StoreLock?
  /// The current time.
  var now: @Sendable () -> Date = { Date() }
  /// The sessions, if a sensor can be read.
  var desk: MeasuringDesk?
  /// Reads the sensor; it ends when its task is cancelled.
  var sensor: (@Sendable () async throws -> Void)?

  /// Serves, and prints the page's address once it listens.
  func untilInterrupted() async throws {
    CoreDumps.forbid()
    let logger = Logger(label: "measured") { _ in
      StreamLogHandler.standardError(label: "measured")
    }
    var quiet = logger
    quiet.logLevel = .warning
    let environment = WebEnvironment(
      store: store, path: path, catalog: catalog, desk: desk, isCentre: isCentre, now: now)
    let (served, agenda) = (ServedPage(), AgendaService(store: store, logger: logger, now: now))
    let page = PageService(
      environment: environment, address: address, files: files, logger: logger,
      onRunning: { address in
        served.begin(at: address)
        Console.out(LocalizedText("command.page.address", ["page": "\(address)"]).message)
      })
    let socket = path.map { [quiet] in
      SocketService(environment, store: $0, page: served, variables: [:], logger: quiet)
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: InterruptedService { [lock] in
              try await page.serve()
              withExtendedLifetime(lock) {}
            },
            successTerminationBehavior: .gracefullyShutdownGroup),
          .init(service: agenda, successTerminationBehavior: .ignore),
        ]
          + (socket.map { [.init(service: $0, successTerminationBehavior: .ignore)] } ?? [])
          + (sensor.map { sensor in
            [
              .init(
                service: InterruptedService {
                  // Without it the page goes on.
                  _ = try? await cancelWhenGracefulShutdown { try await sensor() }
                }, successTerminationBehavior: .ignore)
            ]
          } ?? []),
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await group.run()
  }
}

/// A service that is one function, which ends at a graceful shutdown.
private struct InterruptedService: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}
