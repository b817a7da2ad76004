import Actions
package import Care
package import CareStore
package import Exchange
package import Foundation
import Interchange
package import Outlets

/// One session of a box with a centre, over HTTP.
package struct CentreConversation {
  package let store: SQLStore
  package let transport: Transport
  /// The centre's address.
  package let address: WebAddress
  /// The current time.
  package var now: @Sendable () -> Date = { Date() }

  package init(
    store: SQLStore, transport: Transport, address: WebAddress,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.transport = transport
    self.address = address
    self.now = now
  }

  /// How a session ended.
  package enum End: Hashable {
    /// Both sides have the same, after so many requests.
    case level(requests: Int)
    /// Short rows are level; the centre wants long ones after so many seconds.
    case putOff(seconds: Int)
    /// The centre, or the way to it, cannot go on now; it may have asked for a delay.
    case later(DeliveryFault, after: Duration?)
    /// The centre does not know this box, or not any more.
    case unknown
  }

  /// More requests than any session has: a centre that always has more to say is none.
  private static let most = 100_000

  /// The transport for centres: connections stay open, since a new one is most of a quiet day's bytes,
  /// and a slow line has time for a batch.
  package static func transport(authorities: String?, keeps: Bool = true) -> Transport {
    var limits = Transport.Limits()
    limits.whole = .seconds(180)
    limits.answer = PackedMessage.longestPacked
    limits.keepsConnections = keeps
    return Transport(authorities: authorities, limits: limits)
  }

  /// Exchanges rows until both sides have the same, and notes how it went.
  ///
  /// - Parameters:
  ///   - link: The box's way to the centre.
  ///   - report: How the box is; `nil` where only the daemon knows.
  /// - Returns: How it ended.
  /// - Throws: `StoreError`.
  package func run(_ link: inout BoxLink, _ report: BoxReport? = nil) async throws -> End {
    let end = try await exchange(&link, report)
    let (date, events, name) = (now(), link.takeEvents(), address.text)
    try await store.exchanging { exchange in
      var status = try SyncStatus(name, in: exchange)
      status.tried = date
      (status.fault, status.isUnknown) = (nil, end == .unknown)
      if case .level = end { status.level = date }
      if case .later(let fault, _) = end {
        status.fault = String(decoding: try JSONText.of(fault), as: UTF8.self)
      }
      if !events.isEmpty { status.events = events }
      try status.keep(name, in: exchange)
      guard case .level = end else { return }
      try DeviceKit.bind(from: name, in: exchange) { device in
        _ = try ChangeDevice(device.address, .bind(device))
          .perform(in: exchange, by: .owner, now: date)
      }
    }
    return end
  }

  private func exchange(_ link: inout BoxLink, _ report: BoxReport?) async throws -> End {
    guard let place = address.appending(CentreDoor.path) else { return .unknown }
    link.begin(report)
    // The last hour of a stream that has ended is closed by no later sample.
    try await store.exchanging { [date = now()] in try $0.closeHours(at: date) }
    for count in 0..<Self.most {
      let (next, outbound) = try await store.exchanging { [link] exchange in
        var link = link
        let outbound = try link.next(in: exchange, makeChannel: Self.makeChannel)
        return (link, outbound)
      }
      link = next
      guard let outbound else {
        return link.pause.map { End.putOff(seconds: $0) } ?? .level(requests: count)
      }
      let request = HTTPRequest(
        "POST", place,
        headers: [
          .init("Content-Type", "application/json"), .init("Content-Encoding", "gzip"),
        ] + outbound.headers.map { .init($0.name, $0.value) }, body: Data(outbound.body))
      switch await transport.send(request) {
      case .answered(let status, let retryAfter, let body):
        let (after, step) = try await store.exchanging { [link] exchange in
          var link = link
          let step = try link.take(
            status: status, body: Array(body), to: outbound, in: exchange,
            makeChannel: Self.makeChannel)
          return (link, step)
        }
        link = after
        switch step {
        case .next: continue
        case .unknown: return .unknown
        case .later(let status):
          return Self.later(DeliveryResult(status: status, retryAfter: retryAfter, detail: ""))
        }
      case .ended(let result):
        link.lose()
        return Self.later(result)
      case .taken:
        link.lose()
        return .later(.unexpected(detail: ""), after: nil)
      }
    }
    return .later(.unexpected(detail: ""), after: nil)
  }

  private static func later(_ result: DeliveryResult) -> End {
    switch result {
    case .later(let fault, let after): .later(fault, after: after)
    case .refused(let fault), .unknown(let fault): .later(fault, after: nil)
    case .delivered: .later(.unexpected(detail: ""), after: nil)
    }
  }

  private static let makeChannel: @Sendable () -> ChannelID = {
    ChannelID(bytes: AccessFiles.random(16))
  }
}
