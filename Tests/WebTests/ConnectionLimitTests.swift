import Foundation
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import Web

/// A client with many connections.
@Suite("The connections of one client") struct ConnectionLimitTests {
  private static let request = ByteBuffer(
    string: "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

  /// A connection; it sends a request, and says whether an answer or the end came.
  private struct Client {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    init(port: Int) async throws {
      channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel(wrappingChannelSynchronously: channel)
          }
        }
    }

    /// The answer's first line; `nil` if the server closes the connection.
    func firstLine(_ request: ByteBuffer) async -> String? {
      try? await channel.executeThenClose { inbound, outbound in
        try await outbound.write(request)
        for try await part in inbound {
          return String(buffer: part).split(separator: "\r\n").first.map(String.init)
        }
        return nil
      } ?? nil
    }
  }

  @Test("Those beyond half of all are closed, and the others are served")
  func limit() async throws {
    let site = try TestSite()
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = WebServer(
      site.environment, address: .host("127.0.0.1", port: 0), mostConnections: 8, logger: quiet
    ) { url in
      port.yield(URL(string: url)?.port ?? 0)
      port.finish()
    }
    let group = ServiceGroup(services: [server], logger: quiet)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let port = try #require(await ports.first { _ in true })
      var idle: [Client] = []
      for _ in 0..<4 { idle.append(try await Client(port: port)) }
      for _ in 0..<40 {
        #expect(try await Client(port: port).firstLine(Self.request) == nil)
      }
      for client in idle { #expect(await client.firstLine(Self.request) == "HTTP/1.1 200 OK") }
      // Their ends make room.
      var line: String?
      for _ in 0..<200 where line == nil {
        line = try await Client(port: port).firstLine(Self.request)
        if line == nil { try await Task.sleep(for: .milliseconds(10)) }
      }
      #expect(line == "HTTP/1.1 200 OK")
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }
}
