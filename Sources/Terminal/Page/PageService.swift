import Access
import Foundation
package import Logging
import ServiceLifecycle
import Synchronization
package import Web

/// Where the page of this program is, once it is served.
package final class ServedPage: Sendable {
  private let state = Mutex<String?>(nil)

  package init() {}

  /// The address; `nil` as long as there is none.
  package var address: String? { state.withLock { $0 } }

  /// The page is served there.
  package func begin(at address: String) { state.withLock { $0 = address } }
}

/// The page beside the hub, whose faults do not stop the hub.
package struct PageService: Service {
  package let environment: WebEnvironment
  package let address: PageAddress
  /// The files of accounts and audit log.
  package let files: AccessFiles
  package let logger: Logger
  package var onRunning: @Sendable (String) async -> Void = { _ in }
  /// Receives why the page cannot be served.
  package var onFailure: @Sendable (String) -> Void = { _ in }

  package init(
    environment: WebEnvironment, address: PageAddress, files: AccessFiles, logger: Logger,
    onRunning: @escaping @Sendable (String) async -> Void = { _ in },
    onFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.environment = environment
    self.address = address
    self.files = files
    self.logger = logger
    self.onRunning = onRunning
    self.onFailure = onFailure
  }

  package func run() async throws {
    do {
      try await serve()
    } catch {
      // The daemon ends for another reason.
      guard !Task.isCancelled, !(error is CancellationError) else { return }
      let failure =
        "The page cannot be served on \(address.host):\(address.port): \(Message.of(error))"
      logger.error("\(failure)")
      onFailure(failure)
    }
  }

  /// Serves until a graceful shutdown.
  ///
  /// - Throws: Why the page cannot be served: without its accounts the network stays closed.
  package func serve() async throws {
    guard address.requiresSignIn else {
      return try await server(access: nil).run()
    }
    if let exposure = address.exposure { logger.warning("\(exposure)") }
    let lock = try files.lock()
    defer { withExtendedLifetime(lock) {} }
    let control = try files.control()
    let access = WebAccess(
      control: control, log: try AuditLog(path: files.auditLog),
      isBehindProxy: address.isBehindProxy, ingress: address.ingress)
    if let code = await control.renewClaimCode() {
      logger.notice(
        "Nobody has signed in on the page yet. Open /claim there and enter \(code.text), within 30 minutes."
      )
    }
    let hourly = Task {
      while (try? await Task.sleep(for: .seconds(3_600))) != nil { await control.flush() }
    }
    defer { hourly.cancel() }
    do {
      try await server(access: access).run()
    } catch {
      await control.flush()
      throw error
    }
    await control.flush()
  }

  private func server(access: WebAccess?) -> WebServer {
    WebServer(
      environment, address: address.address, access: access, names: address.allNames,
      mostConnections: OpenFiles.raise(), logger: logger, onRunning: onRunning)
  }
}
