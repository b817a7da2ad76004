public import Care
import CCurl
public import Foundation
import Synchronization

/// A request over HTTP.
public struct HTTPRequest: Hashable, Sendable {
  /// The method: `POST`, `PUT`, `DELETE`, `GET`.
  public var method: String
  /// The address; it may contain a secret, so that no log shows it.
  public var address: WebAddress
  /// The header's fields.
  public var headers: [HeaderField]
  /// The body; `nil` for none.
  public var body: Data?
  /// The most bytes of the answer that are read; `nil` for those of the transport.
  public var mostBytes: Int?

  /// A field of a header.
  public struct HeaderField: Hashable, Sendable {
    public var name: String
    public var value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// The field that proves who sends a request by a token.
    static func bearer(_ token: Secret<String>) -> HeaderField {
      HeaderField("Authorization", "Bearer \(token.revealed)")
    }
  }

  /// Makes a request.
  public init(
    _ method: String, _ address: WebAddress, headers: [HeaderField] = [], body: Data? = nil,
    mostBytes: Int? = nil
  ) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
    self.mostBytes = mostBytes
  }
}

/// A mail on its way to the server that takes it.
public struct MailRequest: Hashable, Sendable {
  /// The server.
  public var server: MailServer
  /// Who sends it.
  public var sender: MailAddress
  /// Who gets it.
  public var recipient: MailAddress
  /// Headers and body with their line ends (``Mail/text``).
  public var text: String

  /// Makes a request.
  public init(server: MailServer, sender: MailAddress, recipient: MailAddress, text: String) {
    self.server = server
    self.sender = sender
    self.recipient = recipient
    self.text = text
  }
}

/// The result of a transfer.
public enum TransferResult: Hashable, Sendable {
  /// The server answered over HTTP.
  case answered(status: Int, retryAfter: String?, body: Data)
  /// The server took the mail.
  case taken
  /// It ended otherwise.
  case ended(DeliveryResult)
}

/// Sends requests by Debian's libcurl, with the system's certificates, proxies and security updates.
///
/// Transfers share one thread, which lives while one is under way: nothing to send costs nothing.
/// Certificates are always checked, redirections never followed, answers bounded.
public final class Transport: Sendable {
  /// How long a transfer may take.
  public struct Limits: Hashable, Sendable {
    /// Until there is a connection.
    public var connecting: Duration = .seconds(15)
    /// Until the answer is complete.
    public var whole: Duration = .seconds(30)
    /// The most bytes of an answer that are read.
    public var answer = 64 << 10
    /// Whether connections stay open between transfers, until ``Transport/close()``.
    public var keepsConnections = false

    /// Those of Standard Webhooks: 15 to 30 seconds.
    public init() {}
  }

  private struct State {
    var waiting: [Transfer] = []
    var cancelled: Set<UInt64> = []
    var lastName: UInt64 = 0
    /// The loop of the thread; `nil` while there is none.
    var loop: Loop?
    var isClosed = false
  }

  /// The most transfers at a time; others wait.
  private static let most = 8

  private let limits: Limits
  private let authorities: String?
  private let isBlocked: @Sendable (_ host: String?) -> Bool
  private let state = Mutex(State())

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - authorities: A file with the certificates that are trusted in place of the system's.
  ///   - limits: How long a transfer may take.
  ///   - isBlocked: Whether this machine's rules keep its packets from a host; `nil` for any.
  public init(
    authorities: String? = nil, limits: Limits = Limits(),
    isBlocked: @escaping @Sendable (_ host: String?) -> Bool = Egress.isBlocked
  ) {
    self.authorities = authorities
    self.limits = limits
    self.isBlocked = isBlocked
  }

  /// Sends a request.
  public func send(_ request: HTTPRequest) async -> TransferResult {
    await send(.http(request))
  }

  /// Closes the connections that stayed open; what is sent later opens others.
  public func close() {
    state.withLock { state in
      state.isClosed = true
      state.loop?.wake()
    }
  }

  /// Sends a mail.
  public func send(_ mail: MailRequest) async -> TransferResult { await send(.mail(mail)) }

  private func send(_ content: Transfer.Content) async -> TransferResult {
    let name = state.withLock { state in
      state.lastName &+= 1
      return state.lastName
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        begin(Transfer(name: name, content, continuation))
      }
    } onCancel: {
      state.withLock { state in
        guard let loop = state.loop else { return }
        state.cancelled.insert(name)
        loop.wake()
      }
    }
  }

  private func begin(_ transfer: Transfer) {
    // A task that is cancelled already has told so before there was anything to cancel.
    guard !Task.isCancelled else { return transfer.end(.ended(.later(.timeout, after: nil))) }
    let isAlone: Bool? = state.withLock { state in
      if let loop = state.loop {
        state.waiting.append(transfer)
        loop.wake()
        return false
      }
      guard let loop = Loop() else { return nil }
      state.loop = loop
      state.waiting.append(transfer)
      return true
    }
    switch isAlone {
    case nil: transfer.end(.ended(.later(.unexpected(detail: "out of memory"), after: nil)))
    case true?:
      let thread = Thread { [self] in run() }
      thread.name = "transport"
      thread.stackSize = 512 << 10
      thread.start()
    default: break
    }
  }

  // MARK: The thread

  private func run() {
    guard let loop = state.withLock({ $0.loop }) else { return }
    var underWay: [UInt: Transfer] = [:]
    while true {
      let count = underWay.count
      let (new, cancelled, isDone) = state.withLock { state in
        let new = Array(state.waiting.prefix(max(0, Self.most - count)))
        state.waiting.removeFirst(new.count)
        defer { state.cancelled = state.cancelled.intersection(state.waiting.map(\.name)) }
        let isIdle = count == 0 && new.isEmpty
        let isDone = isIdle && (!limits.keepsConnections || state.isClosed)
        if isDone { state.loop = nil }
        return (new, state.cancelled, isDone)
      }
      if isDone { break }
      for transfer in new {
        if cancelled.contains(transfer.name) {
          transfer.end(.ended(.later(.timeout, after: nil)))
        } else if transfer.prepare(authorities: authorities, limits: limits), loop.add(transfer) {
          underWay[transfer.key] = transfer
        } else {
          transfer.end(.ended(.later(.unexpected(detail: "out of memory"), after: nil)))
        }
      }
      for transfer in underWay.values where cancelled.contains(transfer.name) {
        underWay[transfer.key] = nil
        loop.remove(transfer)
        transfer.end(.ended(.unknown(.timeout)))
      }
      for (key, code) in loop.advance() {
        guard let transfer = underWay.removeValue(forKey: key) else { continue }
        let result = transfer.result(code, isBlocked: isBlocked)
        loop.remove(transfer)
        transfer.end(result)
      }
      let isIdle = underWay.isEmpty
      let mayRest =
        limits.keepsConnections && state.withLock { $0.waiting.isEmpty && !$0.isClosed }
      if !isIdle || mayRest { loop.wait(isIdle: isIdle) }
    }
  }
}

/// The transfers of libcurl that go on at once.
@safe private final class Loop: Sendable {
  /// Its last owner closes it; libcurl allows `curl_multi_wakeup` from every thread.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  init?() {
    guard Curl.isReady, let multi = unsafe curl_multi_init() else { return nil }
    unsafe self.multi = multi
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  func wake() { unsafe curl_multi_wakeup(multi) }

  func wait(isIdle: Bool) {
    // Whoever brings something wakes it.
    unsafe curl_multi_poll(multi, nil, 0, isIdle ? 3_600_000 : 60_000, nil)
  }

  func add(_ transfer: Transfer) -> Bool {
    unsafe curl_multi_add_handle(multi, transfer.handle) == CURLM_OK
  }

  func remove(_ transfer: Transfer) { unsafe curl_multi_remove_handle(multi, transfer.handle) }

  /// Goes on with what can go on, and returns what has ended, by its key.
  func advance() -> [(UInt, CURLcode)] {
    var running: Int32 = 0
    unsafe curl_multi_perform(multi, &running)
    var ended: [(UInt, CURLcode)] = []
    var code = CURLE_OK
    while let handle = unsafe ccurl_ended(multi, &code) {
      ended.append((UInt(bitPattern: handle), code))
    }
    return ended
  }
}
