import Access
import Assessments
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore
import Pages
import ServiceLifecycle
import Synchronization
import StrictYAML

/// Sessions over the interface.
struct MeasuringRoutes {
  let environment: WebEnvironment

  func add(to group: RouterGroup<WebContext>) {
    group.get("sessions", use: list)
    group.post("sessions", use: open)
    group.get("sessions/:session", use: one)
    for action in MeasuringAction.allCases {
      group.post(RouterPath("sessions/:session/\(action.rawValue)")) { request, context in
        _ = try QueryItems(request, known: [])
        let measuring = try environment.sessions
        let id = try context.parameters.require("session")
        _ = try context.session(id, measuring, for: .answer)
        return try JSONBody.response(MeasuringOutput(try measuring.perform(action, id)))
      }
    }
    group.post("sessions/:session/keep") { request, context in
      _ = try QueryItems(request, known: [])
      let measuring = try environment.sessions
      let id = try context.parameters.require("session")
      _ = try context.session(id, measuring, for: .answer)
      return try JSONBody.response(MeasuringOutput(try await measuring.keep(id)))
    }
  }

  /// Sessions as JSON.
  private struct SessionList: Encodable {
    var sessions: [MeasuringOutput]
  }

  /// The input by which a client begins a session.
  private struct SessionInput: JSONInput {
    var event: String

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      event = try body.required("event").string()
      try body.finish()
    }
  }

  @Sendable private func list(_ request: Request, _ context: WebContext) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let shown = try environment.sessions.all().filter {
      context.grant.permits(.read, on: .patient($0.patient))
    }
    return try JSONBody.response(SessionList(sessions: shown.map { MeasuringOutput($0) }))
  }

  @Sendable private func open(_ request: Request, _ context: WebContext) async throws -> Response {
    let input = try await JSONBody.decode(SessionInput.self, from: request, in: context)
    let (measuring, now) = (try environment.sessions, environment.now())
    let status = try await environment.store.read { reader in
      try measuring.open(try context.event(input.event, in: reader, now: now), false, reader)
    }
    return try JSONBody.response(MeasuringOutput(status), status: .created)
  }

  @Sendable private func one(_ request: Request, _ context: WebContext) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let measuring = try environment.sessions
    let id = try context.parameters.require("session")
    let status = try context.session(id, measuring, for: .read)
    guard request.headers[.accept]?.contains("text/event-stream") == true else {
      return try JSONBody.response(MeasuringOutput(status))
    }
    let stream = SessionStream(id: id, measuring: measuring, isStillValid: context.isStillValid)
    let isStopping = stream.isStopping
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { [stream] writer in
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        // A session may go on for minutes, and the server waits for the stream when it stops.
        try await withGracefulShutdownHandler {
          var stream = stream
          while let text = try await stream.next() {
            try await writer.write(ByteBuffer(string: text))
          }
        } onGracefulShutdown: {
          isStopping.stop()
        }
        try await writer.finish(nil)
      })
  }
}

/// The news of a session, until it is over.
private struct SessionStream {
  let id: String
  let measuring: Measuring
  let isStillValid: @Sendable () async -> Bool
  let isStopping = StopSign()

  /// How often it looks for something new: ten times a second.
  private static let pause = Duration.milliseconds(100)
  /// After how many looks it asks whether the client may still read, and says that it is there.
  private static let turns = (check: 20, sign: 150)

  private var signal = 0
  private var cue = 0
  private var number = 0
  private var turn = 0
  private var last: MeasuringOutput?
  private var isOver = false

  /// Whether the server ends.
  final class StopSign: Sendable {
    private let isUp = Mutex(false)

    func stop() { isUp.withLock { $0 = true } }
    var isSet: Bool { isUp.withLock { $0 } }
  }

  init(id: String, measuring: Measuring, isStillValid: @escaping @Sendable () async -> Bool) {
    self.id = id
    self.measuring = measuring
    self.isStillValid = isStillValid
  }

  /// The next event of the stream; `nil` at the end.
  mutating func next() async throws -> String? {
    while !isOver, !isStopping.isSet, !Task.isCancelled, let status = measuring.status(id) {
      // A stream outlasts neither its session nor what the client may read.
      if turn % Self.turns.check == 0, await !isStillValid() { return nil }
      turn += 1
      let output = MeasuringOutput(status, afterSignal: signal, afterCue: cue)
      (signal, cue) = (status.signal.count, status.cues.last?.number ?? cue)
      isOver = status.state.isOver
      if output != last {
        number += 1
        last = output
        // Nothing new is a message without values and cues.
        last?.signal.values = []
        last?.cues = []
        let json = String(decoding: try JSONText.of(output), as: UTF8.self)
        return "id: \(number)\ndata: \(json)\n\n"
      }
      if turn % Self.turns.sign == 0 { return ":\n\n" }
      try? await Task.sleep(for: Self.pause)
    }
    return nil
  }
}
