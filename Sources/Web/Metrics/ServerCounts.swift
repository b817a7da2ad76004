import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The counts of the servers of one environment.
final class ServerCounts: Sendable {
  private struct State {
    var answers: [Int: Int] = [:]
    var streams = 0
  }

  private let state = Mutex(State())

  /// Counts an answer by the class of its status.
  func answered(_ status: Int) {
    state.withLock { $0.answers[min(5, max(1, status / 100)), default: 0] += 1 }
  }

  /// Counts a stream until the result is released.
  func openStream() -> Stream { Stream(self) }

  /// An open stream.
  final class Stream: Sendable {
    private let counts: ServerCounts

    fileprivate init(_ counts: ServerCounts) {
      self.counts = counts
      counts.state.withLock { $0.streams += 1 }
    }

    deinit { counts.state.withLock { $0.streams -= 1 } }
  }

  /// The counts as figures.
  var metrics: [Metric] {
    let state = state.withLock { $0 }
    let classes = Dictionary(
      uniqueKeysWithValues: (1...5).map { ("\($0)xx", Double(state.answers[$0] ?? 0)) })
    return [
      Metric(
        "measured_http_answers_total", "Answers to requests, by class of their status.", .counter,
        by: "status", classes),
      Metric(
        "measured_http_streams", "Open streams of events.", .gauge, Double(state.streams)),
    ]
  }
}

/// The figures of the program and its servers, without anything of a person.
struct MetricsRoutes {
  let environment: WebEnvironment

  func add(to router: Router<WebContext>) { router.get("metrics", use: metrics) }

  @Sendable private func metrics(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let families = await environment.metrics() + environment.counts.metrics
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: Metric.text(of: families))))
  }
}
