import Assessments
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

@testable import Web

/// The page and the interface over a store in memory, at a time that the test sets.
final class TestSite: Sendable {
  let store: SQLStore
  let environment: WebEnvironment
  private let clock: Clock
  private let responder: RouterResponder<WebContext>
  /// The places in which pictures and videos arrive.
  let uploads: UploadPlaces
  /// Every route, such as `GET /today`.
  let routes: [String]

  /// Noon of 20 November 2026 in Berlin.
  static let noon = Date(timeIntervalSince1970: 1_795_172_400)
  static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  init(
    hosts: Set<String>? = ["localhost"], now: Date = noon, access: WebAccess? = nil,
    store: SQLStore? = nil, measuring: Measuring? = nil, pairing: PairingDesk? = nil
  ) throws {
    let store = try store ?? SQLStore.inMemory(makeUUID: { UUID() })
    self.store = store
    let clock = Clock(now)
    self.clock = clock
    environment = WebEnvironment(
      store: store, now: { clock.now }, timeZone: Self.zone,
      fault: { error in
        switch error {
        case StoreError.refused: Fault(.refused, "refused")
        case StoreError.unknown: Fault(.unknown, "unknown")
        case is AssessmentRefusal: Fault(.refused, "\(error)")
        case let fault as Fault: fault
        case let error as AttachmentError: Fault(.refused, "\(error)")
        case MeasuringFault.unknown: Fault(.unknown, "no session")
        case let fault as MeasuringFault: Fault(.refused, "\(fault)")
        default: Fault(.failed, "\(error)")
        }
      },
      unassignedReason: { $0.unassignedReason },
      outcomeValue: { answer, task, time in
        let number = Double(answer.text)
        return OutcomeValue(
          value: number.map { .double($0) } ?? .text(answer.text),
          unit: try answer.unit.map { name in
            guard let unit = UnitOfMeasure(name) else { throw Fault(.malformed, name) }
            return unit
          } ?? task.linkage?.unit, kind: answer.kind, time: time, provenance: .manual)
      },
      review: { _, _ in },
      plans: PlanText(
        encode: { "\(try $0.histories(patient: nil).count) tasks" },
        parse: { throw Fault(.refused, $0) }, check: { _, _ in }),
      measuring: measuring, pairing: pairing)
    uploads = environment.uploads
    let router = try WebRouter(
      environment, hosts: hosts, access: access,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).router()
    routes = router.routes.map { "\($0.method.rawValue) \($0.path)" }.filter {
      !$0.hasPrefix("HEAD ")
    }
    responder = router.buildResponder()
  }

  /// Sets the time.
  func set(_ date: Date) { clock.now = date }

  private final class Clock: Sendable {
    private let date: Mutex<Date>

    init(_ date: Date) { self.date = Mutex(date) }

    var now: Date {
      get { date.withLock { $0 } }
      set { date.withLock { $0 = newValue } }
    }
  }

  // MARK: Requests

  /// Sends a request and collects the answer.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], body: String = ""
  ) async throws -> Answer {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "localhost", path: path, headerFields: headers)
    return try await send(head, body: body)
  }

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], bytes: [UInt8]
  ) async throws -> Answer {
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

  func send(_ head: HTTPRequest, body: String = "") async throws -> Answer {
    try await send(head, RequestBody(buffer: ByteBuffer(string: body)))
  }

  func send(_ head: HTTPRequest, _ body: RequestBody) async throws -> Answer {
    let request = Request(head: head, body: body)
    let response = try await responder.respond(to: request, context: Self.context)
    let collected = Collected()
    try await response.body.write(collected)
    return Answer(
      status: response.status.code, headers: response.headers, bytes: collected.bytes)
  }

  func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> Answer {
    try await send(.get, path, headers)
  }

  func json(_ method: HTTPRequest.Method, _ path: String, _ body: String) async throws -> Answer {
    try await send(method, path, [.contentType: "application/json"], body: body)
  }

  func form(_ path: String, _ body: String) async throws -> Answer {
    try await send(
      .post, path, [.contentType: "application/x-www-form-urlencoded"], body: body)
  }

  /// Opens a stream; `onPart` receives each part that is written and says whether to go on.
  func stream(
    _ path: String, _ headers: HTTPFields = [:], onPart: @escaping @Sendable (String) -> Bool
  ) async throws {
    var headers = headers
    headers[.accept] = "text/event-stream"
    let head = HTTPRequest(
      method: .get, scheme: "http", authority: "localhost", path: path, headerFields: headers)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    let response = try await responder.respond(to: request, context: Self.context)
    try await response.body.write(Parts(onPart: onPart))
  }

  private static var context: WebContext {
    var context = WebContext(core: CoreRequestContextStorage(source: Source()))
    context.peer = "192.0.2.7"
    return context
  }

  private struct Source: RequestContextSource {
    var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
  }
}

/// What was answered.
struct Answer: Sendable {
  var status: Int
  var headers: HTTPFields
  var bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The body as JSON.
  var object: [String: Any] {
    get throws {
      try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
  }

  /// The objects under a key.
  func list(_ key: String) throws -> [[String: Any]] {
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
