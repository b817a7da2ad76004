import NIOCore
import Synchronization

/// Closes the connections of a client that has too many open, so that one client cannot take every
/// connection that the server has.
///
/// Clients are told apart by their address; those of a Unix socket count as one without a limit,
/// since its folder's rights decide who they are.
final class ConnectionLimit: Sendable {
  /// The most connections of one address.
  private let most: Int
  private let open = Mutex<[String: Int]>([:])

  /// Makes a limit of at least one connection for each address.
  init(_ most: Int) { self.most = max(1, most) }

  /// A handler of one connection.
  func handler() -> any RemovableChannelHandler { Handler(self) }

  /// Counts a connection; `false` if there are too many of its address.
  private func enter(_ address: String) -> Bool {
    open.withLock { open in
      let count = open[address] ?? 0
      guard count < most else { return false }
      open[address] = count + 1
      return true
    }
  }

  private func leave(_ address: String) {
    open.withLock { open in
      let count = (open[address] ?? 1) - 1
      open[address] = count > 0 ? count : nil
    }
  }

  private final class Handler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let limit: ConnectionLimit
    /// The address that was counted.
    private var address: String?

    init(_ limit: ConnectionLimit) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
      if let address = context.remoteAddress?.ipAddress {
        guard limit.enter(address) else {
          context.close(promise: nil)
          return
        }
        self.address = address
      }
      context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
      if let address { limit.leave(address) }
      address = nil
      context.fireChannelInactive()
    }
  }
}
