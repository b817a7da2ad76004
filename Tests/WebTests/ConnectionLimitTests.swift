import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Web

/// A client with many connections, and one with many bytes.
struct ConnectionLimitTests {
  /// Counts what reaches the server.
  private final class Server: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    private(set) var connections = 0
    private(set) var parts = 0

    func channelActive(context: ChannelHandlerContext) { connections += 1 }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { parts += 1 }
  }

  private let memory = MemoryBudget(
    MemoryBudget.Limits(
      total: 2 << 20, strangers: 1 << 20, newcomers: 100_000, little: 24 << 10, network: 400_000,
      sender: 1 << 20))
  private let server = Server()

  /// A connection of a client.
  private func connect(_ address: String, _ limit: ConnectionLimit) throws -> EmbeddedChannel {
    try connect(SocketAddress(ipAddress: address, port: 1), limit)
  }

  private func connect(
    _ address: SocketAddress, _ limit: ConnectionLimit
  ) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false)
    try channel.pipeline.syncOperations.addHandlers([limit.handler(), server])
    channel.connect(to: address, promise: nil)
    return channel
  }

  private func send(_ text: String, _ channel: EmbeddedChannel) throws {
    try channel.writeInbound(ByteBuffer(string: text))
  }

  /// The head of a request with a body.
  private static func head(_ length: Int) -> String {
    "POST /signin HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test(
    arguments: [
      (["192.0.2.1"], ["192.0.2.2", "2001:db8::1"]),
      (["2001:db8::1", "2001:db8::2", "2001:db8::ffff:1"], ["2001:db8:0:1::1", "192.0.2.1"]),
      (["192.0.2.1", "::ffff:192.0.2.1"], ["192.0.2.2"]),
    ])
  func `those beyond a network's share are closed, others are served, and an end makes room`(
    network: [String], others: [String]
  ) throws {
    let limit = ConnectionLimit(2, memory: memory)
    let open = try (0..<2).map { try connect(network[$0 % network.count], limit) }
    for number in 0..<1_000 {
      #expect(try !connect(network[number % network.count], limit).isActive)
    }
    #expect(server.connections == 2 && open.allSatisfy(\.isActive))
    for address in others { #expect(try connect(address, limit).isActive) }
    open[0].close(promise: nil)
    #expect(try connect(network[0], limit).isActive)
    #expect(try !connect(network[0], limit).isActive)
  }

  @Test
  func `those of a Unix socket have no limit`() throws {
    let limit = ConnectionLimit(2, memory: memory)
    let address = try SocketAddress(unixDomainSocketPath: "/run/measured.sock")
    for _ in 0..<10 { #expect(try connect(address, limit).isActive) }
    #expect(server.connections == 10)
  }

  @Test
  func `unfinished requests of a network take its share, and no other's`() throws {
    let limit = ConnectionLimit(nil, memory: memory)
    let shared = ConnectionLimit(1_000, memory: memory)
    var open: [EmbeddedChannel] = []
    for _ in 0..<100 {
      let channel = try connect("192.0.2.1", shared)
      guard channel.isActive else { break }
      try send(Self.head(1 << 20) + String(repeating: "a", count: 90_000), channel)
      open.append(channel)
    }
    #expect(open.filter(\.isActive).count <= 4)
    #expect(memory.taken <= 400_000)
    let other = try connect("192.0.2.2", shared)
    try send(Self.head(3), other)
    #expect(other.isActive)
    // Behind a proxy all strangers are of one address, which has the share of them all.
    var crowd: [EmbeddedChannel] = []
    for _ in 0..<100 {
      let channel = try connect("192.0.2.9", limit)
      try? send(Self.head(1 << 20) + String(repeating: "a", count: 90_000), channel)
      crowd.append(channel)
    }
    #expect(memory.taken <= 1 << 20)
    for channel in open + crowd + [other] { channel.close(promise: nil) }
    #expect(memory.taken == 0)
  }

  @Test
  func `a request that has come gives back what it took`() throws {
    let limit = ConnectionLimit(10, memory: memory)
    let channel = try connect("192.0.2.1", limit)
    for _ in 0..<50 {
      try send(Self.head(50_000), channel)
      try send(String(repeating: "a", count: 25_000), channel)
      #expect(memory.taken > 25_000)
      try send(String(repeating: "a", count: 25_000), channel)
      #expect(memory.taken == ConnectionLimit.idle)
    }
    // A long body takes no more than what may wait unread.
    try send(Self.head(10 << 20), channel)
    for _ in 0..<100 { try send(String(repeating: "a", count: 100_000), channel) }
    #expect(memory.taken == ConnectionLimit.idle + ConnectionLimit.largest)
    #expect(channel.isActive)
  }

  @Test
  func `a head that does not come is not waited for`() throws {
    let limit = ConnectionLimit(10, memory: memory)
    let (slow, quick) = (try connect("192.0.2.1", limit), try connect("192.0.2.1", limit))
    try send("GET / HTTP/1.1\r\n", slow)
    try send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", quick)
    for _ in 0..<21 {
      for channel in [slow, quick] { channel.embeddedEventLoop.advanceTime(by: .seconds(1)) }
      if slow.isActive { try send("X-Slow: a\r\n", slow) }
    }
    #expect(!slow.isActive)
    #expect(quick.isActive)
    #expect(memory.taken == ConnectionLimit.idle)
  }

  @Test
  func `a reader that does not read on is not waited for`() throws {
    let limit = ConnectionLimit(10, memory: memory)
    let channel = try connect("192.0.2.1", limit)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(50))
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(50))
    #expect(channel.isActive)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(61))
    #expect(!channel.isActive)
  }
}
