import Foundation
package import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

@testable package import Web

/// The page and the interface of an environment, answering requests that came over no connection.
package struct TestResponder: Sendable {
  /// Every route, such as `GET /today`.
  package let routes: [String]
  private let respond: @Sendable (Request) async throws -> Response

  /// Makes the routes.
  package init(_ environment: WebEnvironment, hosts: Set<String>?, access: WebAccess?) throws {
    let router = try WebRouter(
      environment, hosts: hosts, access: access,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).router()
    routes = router.routes.map { "\($0.method.rawValue) \($0.path)" }.filter {
      !$0.hasPrefix("HEAD ")
    }
    let responder = router.buildResponder()
    respond = { request in
      var context = WebContext(core: CoreRequestContextStorage(source: Source()))
      context.peer = "192.0.2.7"
      return try await responder.respond(to: request, context: context)
    }
  }

  private struct Source: RequestContextSource {
    var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
  }

  /// Sends a request.
  package func response(to request: Request) async throws -> Response {
    try await respond(request)
  }
}

/// A site that tests send requests to.
package protocol RespondingSite: Sendable {
  /// The responder that answers.
  var responder: TestResponder { get }
}

extension RespondingSite {
  /// Sends a request and collects the answer.
  package func send(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], body: String = ""
  ) async throws -> SiteAnswer {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
    return try await send(head, body: body)
  }

  package func send(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], bytes: [UInt8]
  ) async throws -> SiteAnswer {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
    // In pieces, as a connection brings them.
    let (stream, source) = AsyncStream.makeStream(of: ByteBuffer.self)
    var rest = bytes[...]
    while !rest.isEmpty {
      source.yield(ByteBuffer(bytes: rest.prefix(60_000)))
      rest = rest.dropFirst(60_000)
    }
    source.finish()
    return try await send(head, RequestBody(asyncSequence: stream))
  }

  package func send(_ head: HTTPRequest, body: String = "") async throws -> SiteAnswer {
    try await send(head, RequestBody(buffer: ByteBuffer(string: body)))
  }

  package func send(_ head: HTTPRequest, _ body: RequestBody) async throws -> SiteAnswer {
    let request = Request(head: head, body: body)
    let response = try await responder.response(to: request)
    let collected = Collected()
    try await response.body.write(collected)
    return SiteAnswer(
      status: response.status.code, headers: response.headers, bytes: collected.bytes)
  }

  package func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> SiteAnswer {
    try await send(.get, path, headers)
  }

  package func json(_ method: HTTPRequest.Method, _ path: String, _ body: String) async throws
    -> SiteAnswer
  {
    try await send(method, path, [.contentType: "application/json"], body: body)
  }

  package func form(_ path: String, _ body: String) async throws -> SiteAnswer {
    try await send(
      .post, path, [.contentType: "application/x-www-form-urlencoded"], body: body)
  }

  /// Opens a stream; `onPart` receives each part that is written and says whether to go on.
  package func stream(
    _ path: String, _ headers: HTTPFields = [:], onPart: @escaping @Sendable (String) -> Bool
  ) async throws {
    var headers = headers
    headers[.accept] = "text/event-stream"
    let head = HTTPRequest(
      method: .get, scheme: "http", authority: "localhost", path: path, headerFields: headers)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    let response = try await responder.response(to: request)
    try await response.body.write(Parts(onPart: onPart))
  }
}

/// The answer of a site.
package struct SiteAnswer: Sendable {
  package var status: Int
  package var headers: HTTPFields
  package var bytes: [UInt8]

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The body as JSON.
  package var object: [String: Any] {
    get throws {
      try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
  }

  /// The objects under a key.
  package func list(_ key: String) throws -> [[String: Any]] {
    try #require(try object[key] as? [[String: Any]])
  }
}

private final class Collected: ResponseBodyWriter, Sendable {
  private let buffer = Mutex(ByteBuffer())

  var bytes: [UInt8] { buffer.withLock { Array($0.readableBytesView) } }

  func write(_ part: ByteBuffer) async throws {
    buffer.withLock { _ = $0.writeImmutableBuffer(part) }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

private struct Parts: ResponseBodyWriter {
  struct Enough: Error {}
  var onPart: @Sendable (String) -> Bool

  mutating func write(_ part: ByteBuffer) async throws {
    guard onPart(String(buffer: part)) else { throw Enough() }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
