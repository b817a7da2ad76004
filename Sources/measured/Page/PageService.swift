import Logging
import ServiceLifecycle
import Web

/// The page beside the hub: what is wrong with it never stops the measuring.
struct PageService: Service {
  let server: WebServer
  let address: PageAddress
  let logger: Logger

  func run() async throws {
    do {
      try await server.run()
    } catch {
      logger.error(
        "The page cannot be served on \(address.host):\(address.port): \(Message.of(error))")
    }
  }
}
