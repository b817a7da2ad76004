import Access
import NIOCore
import NIOHTTP1
import Synchronization

/// Bounds what connections can take before anybody knows who sends: how many there are of one
/// network, how much of a request has come and is not read, and how long that lasts.
///
/// Those of a Unix socket have no limit of their number, since its folder's rights decide who they
/// are.
final class ConnectionLimit: Sendable {
  /// The most connections of one network; `nil` behind a proxy, whose address is everyone's.
  private let most: Int?
  private let memory: MemoryBudget
  private let open = Mutex<[String: Int]>([:])

  /// A browser opens six, and one for each page that it keeps up to date.
  static let usual = 64
  /// The memory of a connection without a request.
  static let idle = 8 << 10
  /// The most that a connection takes of a request that has not been read: its head, and as much of
  /// its body as waits for who reads it.
  static let largest = 96 << 10
  /// How much is read from a connection at a time.
  static let piece = 8 << 10
  /// How long a head may take to come, and an answer to be read on: a slow line gets 64 kB in a
  /// minute.
  static let patience = (head: TimeAmount.seconds(20), answer: TimeAmount.seconds(60))

  /// Makes a limit of at least one connection for each network.
  init(_ most: Int?, memory: MemoryBudget) {
    self.most = most.map { max(1, $0) }
    self.memory = memory
  }

  /// A handler of one connection, behind those that decode it.
  func handler() -> any RemovableChannelHandler { Entrance(Meter(self)) }

  /// Counts a connection; `false` if there are too many of its network.
  private func enter(_ network: String) -> Bool {
    guard let most else { return true }
    return open.withLock { open in
      let count = open[network] ?? 0
      guard count < most else { return false }
      open[network] = count + 1
      return true
    }
  }

  private func leave(_ network: String) {
    guard most != nil else { return }
    open.withLock { open in
      let count = (open[network] ?? 1) - 1
      open[network] = count > 0 ? count : nil
    }
  }

  /// Sees the bytes of a connection before they are decoded.
  private final class Meter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let limit: ConnectionLimit
    /// The network that was counted.
    private var network: String?
    private var part: MemoryBudget.Part?
    /// The bytes of the request that has begun.
    private var count = 0
    private var deadline: Scheduled<Void>?

    init(_ limit: ConnectionLimit) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
      if let address = context.remoteAddress?.ipAddress {
        let network = ClientNetwork.name(of: address)
        let sender = limit.most == nil ? MemoryBudget.Sender.crowd : .network(network)
        guard limit.enter(network) else { return context.close(promise: nil) }
        self.network = network
        guard let part = try? limit.memory.take(ConnectionLimit.idle, for: sender) else {
          return context.close(promise: nil)
        }
        self.part = part
      }
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if count == 0 { close(context, after: ConnectionLimit.patience.head) }
      count = min(count + unwrapInboundIn(data).readableBytes, ConnectionLimit.largest)
      do {
        try part?.resize(to: ConnectionLimit.idle + count)
        context.fireChannelRead(data)
      } catch {
        context.close(promise: nil)
      }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if context.channel.isWritable {
        deadline?.cancel()
      } else {
        close(context, after: ConnectionLimit.patience.answer)
      }
      context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
      deadline?.cancel()
      if let network { limit.leave(network) }
      (network, part) = (nil, nil)
      context.fireChannelInactive()
    }

    /// The head of a request has come.
    func headCame() { deadline?.cancel() }

    /// A request has come to its end.
    func requestEnded() {
      count = 0
      // Less can always be taken.
      try? part?.resize(to: ConnectionLimit.idle)
    }

    /// Closes the connection after a while, unless something happens.
    private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
      deadline?.cancel()
      deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
        context.close(promise: nil)
      }
    }
  }

  /// Sees the parts of requests as they are decoded.
  private final class Requests: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let meter: Meter

    init(_ meter: Meter) { self.meter = meter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head: meter.headCame()
      case .body: break
      case .end: meter.requestEnded()
      }
      context.fireChannelRead(data)
    }
  }

  /// Puts the others where they see what they look at, once the connection decodes.
  private final class Entrance: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let meter: Meter

    init(_ meter: Meter) { self.meter = meter }

    func handlerAdded(context: ChannelHandlerContext) {
      // Small pieces: several wait in the channel until somebody reads them.
      let options = context.channel.syncOptions
      try? options?.setOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: ConnectionLimit.piece))
      try? options?.setOption(.maxMessagesPerRead, value: 1)
      let pipeline = context.pipeline.syncOperations
      do {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(Requests(meter), position: .after(decoder))
        try pipeline.addHandler(meter, position: .first)
      } catch {
        context.close(promise: nil)
      }
    }
  }
}
