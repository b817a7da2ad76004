import CSystemd
import Foundation

/// A connection to a message bus, on an event loop.
///
/// Messages are reported in order. After the reply to a call, further messages wait until the
/// caller has continued, so that no later signal overtakes a reply.
package actor BusConnection {
  /// An event that a connection reports.
  package enum Event: Sendable {
    /// A requested signal, or a call of a method of this process.
    case message(BusMessage)
    /// The connection has ended permanently.
    case ended
  }

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// How many calls may wait for a reply, in each direction.
  static let maximumCalls = 1024

  private let bus: BusHandle
  private let report: @Sendable (Event) -> Void
  private var readiness: EventLoop.Watch?
  private var timer: EventLoop.Watch?
  private var waiting: [UInt64: WaitingCall] = [:]
  private var received: [UInt64: MessageHandle] = [:]
  private var lastReceived: UInt64 = 0
  private var isEnded = false

  private struct WaitingCall {
    var answer: CheckedContinuation<Result<[BusValue], BusError>, Never>
    var timer: EventLoop.Watch
  }

  /// Begins to connect.
  ///
  /// Messages are reported on the loop.
  /// - Throws: ``BusError/system(_:)`` if there is no such bus.
  package init(
    loop: EventLoop, address: BusAddress, report: @escaping @Sendable (Event) -> Void
  ) throws(BusError) {
    self.loop = loop
    self.report = report
    bus = try BusHandle(address)
  }

  deinit {
    if let readiness { loop.cancel(readiness) }
    if let timer { loop.cancel(timer) }
  }

  /// Begins to receive; calls may be made before.
  package func start() {
    guard readiness == nil, !isEnded else { return }
    readiness = loop.watch(bus.file, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.process() }
    }
    process()
  }

  /// Ends the connection; waiting calls fail, and no more events are reported.
  package func close() {
    guard !isEnded else { return }
    isEnded = true
    if let readiness { loop.cancel(readiness) }
    if let timer { loop.cancel(timer) }
    for call in waiting.values {
      loop.cancel(call.timer)
      call.answer.resume(returning: .failure(.disconnected))
    }
    waiting = [:]
    received = [:]
    bus.close()
  }

  // MARK: Sending

  /// Calls a method and waits for its reply.
  ///
  /// - Throws: ``BusError``; a late reply is dropped.
  package func call(
    _ call: BusCall, timeout: Duration = .seconds(10)
  ) async throws(BusError) -> [BusValue] {
    guard !isEnded else { throw .disconnected }
    guard waiting.count < Self.maximumCalls else { throw .busy }
    let cookie = try bus.send(call)
    let result = await withCheckedContinuation { answer in
      let timer = loop.schedule(after: timeout) { [weak self] in
        self?.assumeIsolated { $0.answer(cookie, .failure(.timedOut)) }
      }
      waiting[cookie] = WaitingCall(answer: answer, timer: timer)
      arm()
    }
    return try result.get()
  }

  /// Requests the signals that a rule describes.
  package func addMatch(_ rule: String) async throws(BusError) {
    _ = try await call(.bus("AddMatch", .string(rule)))
  }

  /// Replies to a received call; a second reply is dropped.
  package func reply(to call: UInt64, with answer: Result<[BusValue], BusError>) {
    guard let message = received.removeValue(forKey: call) else { return }
    // The caller may have disconnected.
    try? bus.reply(to: message, with: answer)
    arm()
  }

  /// Sends a signal.
  package func emit(
    path: String, interface: String, member: String, _ arguments: [BusValue]
  ) throws(BusError) {
    try bus.emit(path: path, interface: interface, member: member, arguments)
    arm()
  }

  // MARK: Receiving

  /// Processes messages, a bounded number at a time: the loop's other files need their turn.
  private func process() {
    var left = 64
    do throws(BusError) {
      while left > 0, !isEnded {
        left -= 1
        switch try bus.process() {
        case .idle: return arm()
        case .busy: break
        case .message(let message):
          if take(message) { left = 0 }
        }
      }
    } catch {
      return end()
    }
    processLater(after: .zero)
  }

  /// Delivers a message.
  ///
  /// - Returns: Whether it was the reply to a call.
  private func take(_ message: MessageHandle) -> Bool {
    if let (cookie, result) = message.answer {
      answer(cookie, result)
      return true
    }
    guard var read = message.read else {
      if message.isCall { try? bus.reply(to: message, with: .failure(.oversized)) }
      return false
    }
    if case .call = read.kind {
      guard received.count < Self.maximumCalls else {
        try? bus.reply(to: message, with: .failure(.busy))
        return false
      }
      lastReceived &+= 1
      received[lastReceived] = message
      read.kind = .call(lastReceived)
    } else if read.path == "/org/freedesktop/DBus/Local" {
      // The library's report that the connection has ended; its end follows.
      return false
    }
    report(.message(read))
    return false
  }

  private func answer(_ cookie: UInt64, _ result: Result<[BusValue], BusError>) {
    guard let call = waiting.removeValue(forKey: cookie) else { return }
    loop.cancel(call.timer)
    call.answer.resume(returning: result)
  }

  private func end() {
    guard !isEnded else { return }
    close()
    report(.ended)
  }

  /// Waits for the connection's file and timer.
  private func arm() {
    guard !isEnded, let readiness else { return }
    guard let (events, delay) = bus.awaited() else { return end() }
    loop.change(readiness, to: events)
    if let delay {
      processLater(after: delay)
    } else if let timer {
      loop.cancel(timer)
    }
  }

  private func processLater(after delay: Duration) {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: delay) { [weak self] in
      self?.assumeIsolated { $0.process() }
    }
  }
}
