import NIOCore
import NIOEmbedded
import Testing

@testable import Web

/// A client with many connections.
struct ConnectionLimitTests {
  /// Counts the connections that reach the server.
  private final class Server: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never
    private(set) var connections = 0

    func channelActive(context: ChannelHandlerContext) { connections += 1 }
  }

  private let limit = ConnectionLimit(2)
  private let server = Server()

  /// A connection of a client.
  private func connect(_ address: SocketAddress) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handlers: [limit.handler(), server])
    channel.connect(to: address, promise: nil)
    return channel
  }

  @Test
  func `those beyond its share are closed, others are served, and an end makes room`() throws {
    let crowd = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
    let open = try (0..<2).map { _ in try connect(crowd) }
    for _ in 0..<10_000 { #expect(try !connect(crowd).isActive) }
    #expect(server.connections == 2 && open.allSatisfy(\.isActive))
    for address in ["192.0.2.2", "2001:db8::1"] {
      #expect(try connect(SocketAddress(ipAddress: address, port: 1)).isActive)
    }
    open[0].close(promise: nil)
    #expect(try connect(crowd).isActive)
    #expect(try !connect(crowd).isActive)
  }

  @Test
  func `those of a Unix socket have no limit`() throws {
    let address = try SocketAddress(unixDomainSocketPath: "/run/measured.sock")
    for _ in 0..<10 { #expect(try connect(address).isActive) }
    #expect(server.connections == 10)
  }
}
