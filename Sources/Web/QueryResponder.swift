import Access
import Care
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Answers a query of the store once, or as server-sent events whenever its result changes.
struct QueryResponder: Sendable {
  let queries: SharedQueries
  let counts: ServerCounts
  let memory: MemoryBudget
  /// The room on the disk for long answers.
  let disk: MemoryBudget
  let streams: StreamPlaces

  /// How often a quiet stream says that it is still there.
  static let pause = Duration.seconds(15)
  /// The memory of a stream beside its results, in bytes.
  private static let least = 16 << 10

  /// Answers a GET request with a body that `query` makes at once.
  func respond(
    to request: Request, _ context: WebContext, key: [String], type: String = "application/json",
    _ query: @escaping @Sendable (any StoreReader, Date) throws -> Data
  ) async throws -> Response {
    try await respondInParts(to: request, context, key: key, type: type) { reader, now, body in
      try body.write(try query(reader, now))
    }
  }

  /// Answers a GET request.
  ///
  /// - Parameters:
  ///   - request: The request. With `Accept: text/event-stream` the answer is a stream; an entity
  ///     tag in `Last-Event-ID` that is still current is not sent again.
  ///   - context: Whose request it is: the query reads what the sender may read.
  ///   - key: Tells the query from others.
  ///   - type: The media type of the body.
  ///   - query: The query.
  /// - Returns: The body, `304 Not Modified`, or the stream.
  /// - Throws: The errors of the query.
  func respondInParts(
    to request: Request, _ context: WebContext, key: [String], type: String = "application/json",
    _ query: @escaping BodyQuery
  ) async throws -> Response {
    let scope = context.scope(.read)
    let key = QueryKey(sender: context.cacheKey, parts: key)
    let query: BodyQuery = { reader, now, body in try query(scope.reader(reader), now, &body) }
    if request.headers[.accept]?.contains("text/event-stream") == true {
      return try await stream(to: request, context, key: key, query)
    }
    let body = try await queries.body(key, for: context.sender, query)
    let tag = "\"\(body.tag)\""
    // No browser keeps what is a person's; a program may keep the tag with what it has.
    let headers: HTTPFields = [.contentType: type, .eTag: tag, .cacheControl: "no-store"]
    let known = request.headers[.ifNoneMatch]?.split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    if known?.contains(where: { $0 == tag || $0 == "W/" + tag || $0 == "*" }) == true {
      return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-store"])
    }
    // As long as its reader takes: the answer may have to be there for this one alone.
    let taken = (
      try memory.take(body.countInMemory, for: context.sender),
      try disk.take(body.countInFile, for: context.sender)
    )
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        defer { withExtendedLifetime(taken) {} }
        var reader = QueryBody.Reader(body)
        while let part = try reader.part() { try await writer.write(part) }
        try await writer.finish(nil)
      })
  }

  private func stream(
    to request: Request, _ context: WebContext, key: QueryKey, _ query: @escaping BodyQuery
  ) async throws -> Response {
    let place = try streams.take(key, for: context.sender)
    // A request that is refused has no stream.
    let first = try await queries.body(key, for: context.sender, query)
    guard first.count <= BodyWriter.longestStreamed else {
      throw AnswerTooLong(most: BodyWriter.longestStreamed)
    }
    // One result may be on its way to a slow reader while the next waits.
    let taken = try memory.take(Self.least + 2 * first.count, for: context.sender)
    let subscription = await queries.changes(key, in: .gmt, query)
    let stream = counts.openStream()
    let name = HTTPField.Name("Last-Event-ID")
    let last = name.flatMap { request.headers[$0] }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        defer { withExtendedLifetime((stream, place, taken)) {} }
        // Clients wait three seconds before they come back.
        try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
        // A client that goes is noticed at once, not at the next change.
        let (end, ending) = AsyncStream<Void>.makeStream()
        async let watch: Void = request.watchConnection(context, until: end) {
          subscription.finish()
        }
        defer { ending.finish() }
        // A stream has no end of its own, and the server waits for it when it stops.
        try await withGracefulShutdownHandler {
          var last = last
          while !Task.isCancelled, let wake = await subscription.next(pause: Self.pause) {
            // A stream outlasts neither its session nor what the sender may read.
            guard await context.isStillValid() else { break }
            switch wake {
            case .quiet:
              try await writer.write(ByteBuffer(string: ":\n\n"))
            case .body(let body):
              guard body.tag != last else { continue }
              last = body.tag
              for part in body.event { try await writer.write(part) }
            }
          }
        } onGracefulShutdown: {
          subscription.finish()
        }
        ending.finish()
        try await watch
        try await writer.finish(nil)
      })
  }
}

extension Request {
  /// Calls `onClose` if the client closes the connection before `end` finishes.
  func watchConnection(
    _ context: WebContext, until end: AsyncStream<Void>, onClose: @escaping @Sendable () -> Void
  ) async throws {
    guard context.isConnected else { return }
    try await body.consumeWithInboundCloseHandler(
      { _ in for await _ in end {} }, onInboundClosed: onClose)
  }
}
