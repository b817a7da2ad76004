import Localization
package import Logging
package import ServiceLifecycle
import UnixSignals
package import Web

/// Serves the page of a store until the program is interrupted.
package struct PageServing {
  package let environment: WebEnvironment
  package let address: PageAddress
  /// The files of accounts and audit log.
  package let files: AccessFiles
  /// The work beside the page, by where the page is; its end is no end of the page.
  package var beside: @Sendable (ServedPage, Logger) -> [any Service] = { _, _ in [] }

  package init(
    environment: WebEnvironment, address: PageAddress, files: AccessFiles,
    beside: @escaping @Sendable (ServedPage, Logger) -> [any Service] = { _, _ in [] }
  ) {
    self.environment = environment
    self.address = address
    self.files = files
    self.beside = beside
  }

  /// Serves, and prints the page's address once it listens.
  package func untilInterrupted() async throws {
    CoreDumps.forbid()
    let logger = Logger(label: "measured") { _ in
      StreamLogHandler.standardError(label: "measured")
    }
    let served = ServedPage()
    let agenda = AgendaService(store: environment.store, logger: logger, now: environment.now)
    let page = PageService(
      environment: environment, address: address, files: files, logger: logger,
      onRunning: { address in
        served.begin(at: address)
        Console.out(LocalizedText("command.page.address", ["page": "\(address)"]).message)
      })
    let services = [agenda] + beside(served, logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(
            service: InterruptedService { try await page.serve() },
            successTerminationBehavior: .gracefullyShutdownGroup)
        ] + services.map { .init(service: $0, successTerminationBehavior: .ignore) },
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    try await group.run()
  }
}

/// A service that is one function, which ends at a graceful shutdown.
package struct InterruptedService: Service {
  package let body: @Sendable () async throws -> Void

  package init(body: @escaping @Sendable () async throws -> Void) {
    self.body = body
  }

  package func run() async throws { try await body() }
}
