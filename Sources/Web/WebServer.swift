import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Localization
package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Pages
import ServiceLifecycle

/// The page and the interface, on an address of this machine or on a Unix socket.
package struct WebServer: Service {
  /// Where it listens.
  package enum Address: Hashable, Sendable {
    /// An address and port; port 0 for a free one.
    case host(String, port: Int)
    /// A Unix socket, for which the folder's rights decide.
    case socket(path: String)
  }

  private let environment: WebEnvironment
  private let address: Address
  private let logger: Logger
  private let access: WebAccess?
  private let names: [String]
  private let local: LocalDoor?
  private let mostConnections: Int
  private let onRunning: @Sendable (String) async -> Void

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - environment: The environment of the server.
  ///   - address: Where it listens. An address that other machines reach needs `access`.
  ///   - access: Who may do what; `nil` if the system protects the address: everything for every
  ///     request.
  ///   - names: The names under which the page may be asked for, beside this machine's own.
  ///   - local: The services of a Unix socket beside the page and the interface.
  ///   - mostConnections: The most connections at a time; further ones wait in the system's queue.
  ///     Those of one network beyond ``ConnectionLimit/usual`` are closed.
  ///   - logger: Where failures are reported.
  ///   - onRunning: Receives the address of the page once it listens.
  package init(
    _ environment: WebEnvironment, address: Address, access: WebAccess? = nil,
    names: [String] = [], local: LocalDoor? = nil, mostConnections: Int, logger: Logger,
    onRunning: @escaping @Sendable (String) async -> Void = { _ in }
  ) {
    self.environment = environment
    self.address = address
    self.access = access
    self.names = names
    self.local = local
    self.mostConnections = mostConnections
    self.logger = logger
    self.onRunning = onRunning
  }

  /// Serves until a graceful shutdown.
  package func run() async throws {
    guard access != nil || address.isProtectedBySystem else { throw UnprotectedAddress() }
    let router = try WebRouter(
      environment, hosts: hosts, access: access, local: isSocket ? local : nil, logger: logger
    ).router()
    var quiet = Logger(label: "web") { _ in SwiftLogNoOpLogHandler() }
    quiet.logLevel = .critical
    let limit = ConnectionLimit(
      access?.isBehindProxy == true ? nil : min(ConnectionLimit.usual, mostConnections / 2),
      memory: environment.memory)
    let server = try HTTPServerBuilder.http1(
      configuration: .init(
        additionalChannelHandlers: [limit.handler()], idleTimeout: .seconds(20),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    ).buildServer(
      configuration: .init(
        address: bindAddress, backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(mostConnections)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet,
      responder: answer(by: router.buildResponder(), logger: quiet),
      onServerRunning: { channel in await onRunning(url(of: channel)) })
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        do { try await server.run() } catch let error as IOError {
          throw AddressUnusable(code: error.errnoCode)
        }
      }
      tasks.addTask {
        // Open requests may finish; a client that stalls does not delay the end further.
        try await gracefulShutdown()
        try await Task.sleep(for: Self.patience)
      }
      try await tasks.next()
      tasks.cancelAll()
    }
  }

  /// Answers a request.
  ///
  /// Hummingbird's `Application` would do the same, and wake each second to write the header `Date`:
  /// here each answer writes its own.
  private func answer(
    by responder: some HTTPResponder<WebContext>, logger: Logger
  ) -> HTTPChannelHandler.Responder {
    { [now = environment.now] request, writer, channel in
      let context = WebContext(source: .init(channel: channel, logger: logger))
      var response: Response
      do {
        response = try await responder.respond(to: request, context: context)
      } catch let error as HTTPParserError {
        throw error
      } catch {
        response = Response(status: .internalServerError)
      }
      response.headers[.date] = now().internetMessage + " GMT"
      do {
        try await writer.write(response: response.head, body: response.body)
      } catch is HTTPParserError {
        // An error of the parser would be answered: no second answer follows the half of a first one.
        throw BrokenRequest()
      }
    }
  }

  /// How long open requests may last after the end was asked for.
  static let patience = Duration.seconds(3)

  private var hosts: Set<String>? {
    switch address {
    case .host(let host, _):
      Set(["localhost", "127.0.0.1", "::1"] + ([host] + names).map { $0.lowercased() })
    case .socket: nil
    }
  }

  private var isSocket: Bool {
    if case .socket = address { true } else { false }
  }

  private var bindAddress: BindAddress {
    switch address {
    case .host(let host, let port): .hostname(host, port: port)
    case .socket(let path): .unixDomainSocket(path: path)
    }
  }

  private func url(of channel: any NIOCore.Channel) -> String {
    switch address {
    case .host(let host, let port):
      // No browser opens the address that stands for all of this machine's.
      let shown = ["0.0.0.0", "::"].contains(host) ? names.first ?? "localhost" : host
      let name = shown.contains(":") ? "[\(shown)]" : shown
      return "http://\(name):\(channel.localAddress?.port ?? port)/"
    case .socket(let path): return "unix:" + path
    }
  }
}

extension WebServer.Address {
  /// Whether only this machine's users reach it.
  package var isProtectedBySystem: Bool {
    switch self {
    case .host(let host, _): ["localhost", "127.0.0.1", "::1"].contains(host)
    case .socket: true
    }
  }
}

/// The rest of a request cannot be read while it is answered.
private struct BrokenRequest: Error {}

/// A server for other machines has no accounts: it would show everything to everyone.
package struct UnprotectedAddress: Error, Hashable {}

/// The address cannot be listened on.
package struct AddressUnusable: Error, Hashable {
  /// Why (errno(3)).
  package let code: CInt
}

/// The routes of the page and the interface.
struct WebRouter {
  let environment: WebEnvironment
  let hosts: Set<String>?
  let access: WebAccess?
  let local: LocalDoor?
  let logger: Logger
  let site: Site

  init(
    _ environment: WebEnvironment, hosts: Set<String>?, access: WebAccess?,
    local: LocalDoor? = nil, logger: Logger
  ) throws {
    self.environment = environment
    self.access = access
    self.hosts = hosts
    self.local = local
    self.logger = logger
    var site = try Site()
    site.isDemo = environment.isDemo
    self.site = site
  }

  func router() throws -> Router<WebContext> {
    let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: IngressWay(ingress: access?.ingress))
    router.add(
      middleware: RequestGuard(
        hosts: hosts, isBehindProxy: access?.isBehindProxy ?? false,
        counts: environment.counts, fault: environment.fault,
        page: { ErrorPage(site: site).html($0, $1, now: environment.now()) },
        logger: logger))
    router.add(
      middleware: AccessGate(
        access: access, memory: environment.memory, now: environment.now, logger: logger))
    let responder = QueryResponder(
      queries: SharedQueries(
        store: environment.store, now: environment.now, memory: environment.memory,
        disk: environment.disk),
      counts: environment.counts, memory: environment.memory, disk: environment.disk,
      streams: environment.streams)
    let group = router.group("api/v1")
    EventRoutes(environment: environment, responder: responder).add(to: group)
    AttachmentRoutes(environment: environment).add(to: group)
    SampleRoutes(environment: environment, responder: responder).add(to: group)
    WeighingRoutes(environment: environment, responder: responder).add(to: group)
    MorningRoutes(environment: environment, responder: responder).add(to: group)
    PlanRoutes(environment: environment, responder: responder).add(to: group)
    let reach = ReachRoutes(environment: environment, responder: responder, site: site)
    reach.addInterface(to: group)
    reach.add(to: router)
    OutletRoutes(environment: environment, site: site).add(to: router)
    CalendarRoutes(environment: environment, site: site).add(to: router)
    ConsentRoutes(environment: environment, responder: responder).add(to: group)
    FiringRoutes(environment: environment, responder: responder).add(to: group)
    HealthRoutes(environment: environment).add(to: group)
    ReceiverRoutes(environment: environment, logger: logger).add(to: group)
    ExchangeRoutes(environment: environment, access: access, logger: logger).add(to: group)
    if let local { LocalRoutes(door: local).add(to: group) }
    MetricsRoutes(environment: environment).add(to: router)
    MeasuringRoutes(environment: environment).add(to: group)
    let pages = PageRoutes(environment: environment, responder: responder, site: site)
    pages.add(to: router)
    MorningRoutes(environment: environment, responder: responder).addTable(to: router)
    SampleRoutes(environment: environment, responder: responder).addTable(to: router)
    MeasurePageRoutes(environment: environment, pages: pages, site: site).add(to: router)
    FormRoutes(environment: environment, site: site).add(to: router)
    PlanFileRoutes(environment: environment, site: site).add(to: router)
    HistoryRoutes(environment: environment, site: site).add(to: router)
    BackupRoute(environment: environment).add(to: router)
    PairingRoutes(environment: environment, site: site).add(to: router)
    DeviceRoutes(environment: environment, site: site).add(to: router)
    SetupRoutes(environment: environment, site: site).add(to: router)
    CentreRoutes(environment: environment, site: site).add(to: router)
    AccountRoutes(environment: environment, site: site, access: access).add(to: router)
    SignInRoutes(environment: environment, site: site, access: access, logger: logger)
      .add(to: router)
    TapRoutes(environment: environment, site: site, access: access, logger: logger)
      .add(to: router)
    return router
  }
}

/// The page for a browser whose request is not carried out.
struct ErrorPage {
  let site: Site

  func html(_ problem: Problem, _ request: Request, now: Date) -> String {
    var viewer = Viewer(
      language: site.language(for: request), patient: nil, now: now, timeZone: .gmt)
    // Who asks is not known here.
    viewer.rights = []
    let kind: MessagePage.Problem =
      switch problem.status {
      case 404: .notFound
      case 403, 421: .forbidden
      case 400, 408, 409, 413, 415: .badRequest
      case 503: .unavailable
      default: .failed
      }
    return MessagePage(viewer: viewer, problem: kind).html(site)
  }
}
