import CareStore
import Foundation
import Glibc
import Logging
import ServiceLifecycle
import Synchronization
import Terminal
import Web

/// The second door of a daemon: the page, the interface and the radio's commands on a Unix socket,
/// whose faults do not stop the daemon.
struct SocketService: Service {
  let environment: WebEnvironment
  /// The store's path.
  let store: String
  /// Where the socket is.
  let path: String
  /// Who may connect beside this user: the group of systemd's runtime directory, or nobody.
  let isForGroup: Bool
  /// How the radio is shared; `nil` without one.
  var radio: RadioDesk?
  /// The page that the program serves.
  let page: ServedPage
  /// The faults of the daemon's files and its page; `nil` in a program without any.
  var faults: (@Sendable () -> [String])?
  let logger: Logger

  /// Makes the door of the daemon of a store.
  init(
    _ environment: WebEnvironment, store: String, radio: RadioDesk? = nil, page: ServedPage,
    faults: (@Sendable () -> [String])? = nil,
    variables: [String: String] = ProcessInfo.processInfo.environment, logger: Logger
  ) {
    self.environment = environment
    self.store = DaemonSocket.realPath(of: store)
    self.radio = radio
    self.page = page
    self.faults = faults
    self.logger = logger
    path = DaemonSocket.path(store: store, environment: variables)
    isForGroup = variables["RUNTIME_DIRECTORY"] != nil
  }

  func run() async throws {
    guard path.utf8.count <= ClientSocket.longestPath else {
      logger.warning(
        "There is no socket: the path \(path) is too long. Commands cannot use the radio.")
      return await untilShutdown()
    }
    guard isFree() else {
      logger.notice("The socket \(path) is another program's. Commands use that one.")
      return await untilShutdown()
    }
    let own = Mutex<String?>(nil)
    let (store, radio, page, faults) = (store, radio, page, faults)
    let server = WebServer(
      environment, address: .socket(path: path),
      local: LocalDoor(
        facts: {
          LocalDoor.Facts(
            version: Program.version, conversation: ConversationVersion.current, store: store,
            file: FileIdentity.of(store), radio: radio?.mode,
            radioTrouble: radio?.state.trouble?.message, faults: faults?(), page: page.address)
        }, radio: radio.map { $0.converse }),
      mostConnections: 256, logger: logger
    ) { [path, isForGroup, logger] _ in
      _ = unsafe chmod(path, isForGroup ? 0o660 : 0o600)
      own.withLock { $0 = FileIdentity.of(path) }
      logger.info("Commands are taken on \(path).")
    }
    do {
      try await server.run()
    } catch {
      if !Task.isCancelled, !(error is CancellationError) {
        logger.error("The socket \(path) cannot be served: \(Message.of(error))")
      }
    }
    if let own = own.withLock({ $0 }), own == FileIdentity.of(path) { unlink(path) }
  }

  /// Whether nobody listens; the socket that a killed daemon left is removed.
  private func isFree() -> Bool {
    do throws(ClientSocket.Failure) {
      _ = try ClientSocket(path: path)
      return false
    } catch .denied {
      return false
    } catch {
      var info = stat()
      if unsafe lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
      return true
    }
  }

  /// A daemon without a socket is a daemon.
  private func untilShutdown() async { try? await gracefulShutdown() }

  private func unlink(_ path: String) { _ = unsafe Glibc.unlink(path) }
}
