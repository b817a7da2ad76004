import Access
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Recency
import ServiceLifecycle
import Synchronization

/// A query of the store that writes a body: JSON, or a page.
typealias BodyQuery = @Sendable (any StoreReader, Date, inout BodyWriter) throws -> Void

/// Tells queries apart: equal only if each part is, so that no value can pass for two.
struct QueryKey: Hashable, Sendable {
  /// Who asks, as far as the answer depends on it.
  var sender: CacheKey
  /// The query, and the names and values of its parameters.
  var parts: [String]
}

/// Runs queries once for all who ask the same, as long as the store stays the same.
///
/// At most ``longest`` bodies of at most ``largest`` bytes each are kept, and one body for each
/// different query that streams.
actor SharedQueries {
  /// The most bodies that are kept.
  static let longest = 64
  /// The largest body that is kept, in bytes.
  static let largest = 128 << 10

  private let store: SQLStore
  private let now: @Sendable () -> Date
  private let memory: MemoryBudget
  private let spool: BodyWriter.Spool
  private let turns = QueryTurns()
  private var bodies = RecencyTable<QueryKey, Kept>()
  private var observations: [QueryKey: QueryObservation] = [:]

  private struct Kept {
    var revision: SQLStore.Revision
    /// The minute for which it holds: words of a task may change with the time.
    var minute: Int
    var body: Task<QueryBody, any Error>
  }

  init(
    store: SQLStore, now: @escaping @Sendable () -> Date, memory: MemoryBudget, disk: MemoryBudget
  ) {
    self.store = store
    self.now = now
    self.memory = memory
    spool = BodyWriter.Spool(disk: disk) { try store.makeUnnamedFile() }
  }

  /// The query's body for the store as it is now; `sender` waits for its turn.
  func body(
    _ key: QueryKey, for sender: MemoryBudget.Sender, _ query: @escaping BodyQuery
  ) async throws -> QueryBody {
    // Asked for before the query: a change meanwhile makes the body old, never new.
    let revision = try await store.revision()
    let date = now()
    let minute = Int(saturating: (date.timeIntervalSince1970 / 60).rounded(.down))
    if let kept = bodies[key], kept.revision == revision, kept.minute == minute {
      bodies.use(key, kept)
      return try await kept.body.value
    }
    let (store, memory, spool, turns) = (store, memory, spool, turns)
    let body = Task {
      try await turns.run(for: sender) {
        try await store.read { reader in
          var writer = try BodyWriter(most: BodyWriter.longest, memory: memory, spool: spool)
          try query(reader, date, &writer)
          return writer.finish()
        }
      }
    }
    bodies.use(key, Kept(revision: revision, minute: minute, body: body))
    if bodies.count > Self.longest { bodies.removeOldest() }
    do {
      let value = try await body.value
      if value.count > Self.largest { bodies.remove(key) }
      return value
    } catch {
      bodies.remove(key)
      throw error
    }
  }

  /// The bodies of the query over time, the current one first.
  func changes(_ key: QueryKey, in zone: TimeZone, _ query: @escaping BodyQuery)
    -> QuerySubscription
  {
    if let observation = observations[key], let subscription = observation.subscribe() {
      return subscription
    }
    let observation = QueryObservation(
      store: store, zone: zone, now: now, memory: memory, query: query)
    observations = observations.filter { !$0.value.isEnded }
    observations[key] = observation
    return observation.subscribe() ?? QuerySubscription.ended
  }
}

/// One observation of the store, shared by all who stream the same query.
///
/// It ends with its last subscriber, or with an error of the query.
private final class QueryObservation: Sendable {
  private struct State {
    var subscribers: [Int: QuerySubscription.Box] = [:]
    var lastID = 0
    var latest: QueryBody?
    var task: Task<Void, Never>?
    var isEnded = false
  }

  private let state = Mutex(State())
  private let store: SQLStore
  private let zone: TimeZone
  private let now: @Sendable () -> Date
  private let memory: MemoryBudget
  private let query: BodyQuery

  init(
    store: SQLStore, zone: TimeZone, now: @escaping @Sendable () -> Date, memory: MemoryBudget,
    query: @escaping BodyQuery
  ) {
    self.store = store
    self.zone = zone
    self.now = now
    self.memory = memory
    self.query = query
  }

  var isEnded: Bool { state.withLock(\.isEnded) }

  /// A subscription that gets the latest body at once; `nil` if the observation has ended.
  func subscribe() -> QuerySubscription? {
    let box = QuerySubscription.Box()
    let id: Int? = state.withLock { state in
      guard !state.isEnded else { return nil }
      state.lastID += 1
      state.subscribers[state.lastID] = box
      if let latest = state.latest { box.put(latest) }
      if state.task == nil { state.task = Task { await self.run() } }
      return state.lastID
    }
    return id.map { id in
      QuerySubscription(box: box) { [weak self] in self?.unsubscribe(id) }
    }
  }

  private func unsubscribe(_ id: Int) {
    state.withLock { state in
      state.subscribers[id] = nil
      guard state.subscribers.isEmpty else { return }
      state.isEnded = true
      state.task?.cancel()
    }
  }

  private func run() async {
    let bodies = store.observe(in: zone, now: now) { [query, memory] reader, date in
      var writer = try BodyWriter(most: BodyWriter.longestStreamed, memory: memory)
      try query(reader, date, &writer)
      return writer.finish()
    }
    // An error ends the streams; the client asks again and gets the reason.
    do {
      for try await body in bodies {
        let boxes = state.withLock { state in
          state.latest = body
          return Array(state.subscribers.values)
        }
        for box in boxes { box.put(body) }
      }
    } catch {}
    let boxes = state.withLock { state in
      state.isEnded = true
      return Array(state.subscribers.values)
    }
    for box in boxes { box.finish() }
  }
}

/// The newest body of a query for one reader: a slow one skips what lies between.
final class QuerySubscription: Sendable {
  private let box: Box
  private let onEnd: @Sendable () -> Void

  fileprivate init(box: Box, onEnd: @escaping @Sendable () -> Void) {
    self.box = box
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// One that is over.
  static var ended: QuerySubscription {
    let box = Box()
    box.finish()
    return QuerySubscription(box: box) {}
  }

  /// The reason for which a reader wakes: a body, or nothing new for a while.
  enum Wake: Hashable {
    case body(QueryBody)
    case quiet
  }

  /// The next body, or ``Wake/quiet`` after `pause`; `nil` at the end.
  func next(pause: Duration) async -> Wake? {
    let timer = Task { [box] in
      guard (try? await Task.sleep(for: pause)) != nil else { return }
      box.wake()
    }
    defer { timer.cancel() }
    while true {
      if let body = box.take() { return .body(body) }
      switch await box.nextSignal() {
      case .body: continue
      case .timer: return .quiet
      case nil: return nil
      }
    }
  }

  /// Ends the subscription: what waits for the next body goes on.
  func finish() { box.finish() }

  /// Holds the newest body until it is taken.
  final class Box: Sendable {
    private let latest = Mutex<QueryBody?>(nil)
    private let signals: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation

    enum Signal { case body, timer }

    init() {
      (signals, continuation) = AsyncStream.makeStream(
        of: Signal.self, bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ body: QueryBody) {
      latest.withLock { $0 = body }
      continuation.yield(.body)
    }

    func take() -> QueryBody? {
      latest.withLock { body in
        defer { body = nil }
        return body
      }
    }

    func wake() { continuation.yield(.timer) }
    func finish() { continuation.finish() }

    func nextSignal() async -> Signal? {
      for await signal in signals { return signal }
      return nil
    }
  }
}

// MARK: - Query responder

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
