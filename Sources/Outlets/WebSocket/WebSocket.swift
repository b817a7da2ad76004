import Care
import Digests
import Foundation

/// A websocket of a server, as a client of RFC 6455 without extensions: one text goes out, one comes in.
///
/// Debian 12's libcurl is built without websockets, and the page's server brings no client and no TLS of
/// its own: the frames are a small file, and everything below them is libcurl's.
final class WebSocket: Sendable {
  /// How long a connection may take, and how much may come.
  struct Limits: Sendable {
    var connecting = Duration.seconds(15)
    var answering = Duration.seconds(60)
    /// The most bytes of a message.
    var message = 16 << 20
  }

  private let work: Work
  private let queue: DispatchQueue

  /// Connects to a path of a server.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - path: The path below it.
  ///   - authorities: A file with the certificates that are trusted in place of the system's.
  ///   - limits: How long it may take, and how much may come.
  ///   - random: The source of keys and masks.
  ///   - isBlocked: Whether this machine's rules keep its packets from a host; `nil` for any.
  /// - Throws: ``DeliveryFault``.
  init(
    to server: WebAddress, path: String, authorities: String?, limits: Limits = Limits(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    isBlocked: @escaping @Sendable (_ host: String?) -> Bool = Egress.isBlocked
  ) async throws(DeliveryFault) {
    guard let address = server.appending(path), let parts = URLComponents(string: address.text)
    else { throw .unexpected(detail: path) }
    work = Work(
      ByteConnection(to: address, authorities: authorities, isBlocked: isBlocked),
      host: server.host.contains(":") ? "[\(server.host)]" : server.host, port: parts.port,
      path: parts.percentEncodedPath, limits, random)
    queue = DispatchQueue(label: "measured.websocket")
    try await perform { work throws(DeliveryFault) in try work.open() }
  }

  /// Sends a text.
  ///
  /// - Throws: ``DeliveryFault``.
  func send(_ text: Data) async throws(DeliveryFault) {
    try await perform { work throws(DeliveryFault) in try work.send(text) }
  }

  /// Waits for the next text.
  ///
  /// - Throws: ``DeliveryFault``; a time-out too.
  func receive() async throws(DeliveryFault) -> Data {
    try await perform { work throws(DeliveryFault) in try work.receive() }
  }

  /// Sends a close frame, and ends the connection.
  func close() async {
    try? await perform { work throws(DeliveryFault) in work.close() }
  }

  private func perform<T: Sendable>(
    _ body: @escaping @Sendable (Work) throws(DeliveryFault) -> T
  ) async throws(DeliveryFault) -> T {
    let result: Result<T, DeliveryFault> = await withCheckedContinuation { continuation in
      queue.async { [work] in
        do throws(DeliveryFault) {
          continuation.resume(returning: .success(try body(work)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}

/// The connection behind the queue, which alone touches it.
private final class Work: @unchecked Sendable {
  private let connection: ByteConnection
  private let (host, port, path): (String, Int?, String)
  private let limits: WebSocket.Limits
  private var frames: WebSocketFrames
  private var random: any RandomNumberGenerator & Sendable

  /// The most bytes of the server's first answer.
  private static let longestHead = 16 << 10

  init(
    _ connection: ByteConnection, host: String, port: Int?, path: String,
    _ limits: WebSocket.Limits, _ random: any RandomNumberGenerator & Sendable
  ) {
    (self.connection, self.limits, self.random) = (connection, limits, random)
    (self.host, self.port, self.path) = (host, port, path)
    frames = WebSocketFrames(longest: limits.message)
  }

  private var end: ContinuousClock.Instant { .now + limits.answering }

  private var mask: UInt32 { random.next() }

  func open() throws(DeliveryFault) {
    try connection.open(within: limits.connecting)
    let end = ContinuousClock.now + limits.connecting
    let key = Data((0..<16).map { _ in random.next() as UInt8 }).base64EncodedString()
    let lines = [
      "GET \(path) HTTP/1.1", "Host: \(host)\(port.map { ":\($0)" } ?? "")",
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
      "Sec-WebSocket-Version: 13", "User-Agent: measured", "", "",
    ]
    try connection.send(Array(lines.joined(separator: "\r\n").utf8), until: end)
    var bytes: [UInt8] = []
    var length: Int?
    while length == nil {
      bytes += try connection.receive(until: end)
      length = WebSocketUpgrade.length(of: bytes)
      guard length != nil || bytes.count <= Self.longestHead else {
        throw .unexpected(detail: "a head of more than \(Self.longestHead) bytes")
      }
    }
    let count = length ?? 0
    if let fault = WebSocketUpgrade.fault(of: bytes.prefix(count), key: key) { throw fault }
    frames.append(bytes.dropFirst(count))
  }

  func send(_ text: Data) throws(DeliveryFault) {
    try connection.send(WebSocketFrames.text(text, mask: mask), until: end)
  }

  func receive() throws(DeliveryFault) -> Data {
    let end = end
    while true {
      switch try next() {
      case .text(let text): return text
      case .ping(let payload):
        try connection.send(WebSocketFrames.pong(payload, mask: mask), until: end)
      case .close: throw .unexpected(detail: "the other side has closed the connection")
      case nil: frames.append(try connection.receive(until: end))
      }
    }
  }

  private func next() throws(DeliveryFault) -> WebSocketFrames.Message? {
    do throws(WebSocketFrames.Failure) {
      return try frames.next()
    } catch {
      throw .unexpected(
        detail: error == .tooLong
          ? "a message of more than \(limits.message) bytes" : "it sends no frames of a websocket")
    }
  }

  func close() {
    try? connection.send(WebSocketFrames.close(mask: mask), until: .now + .seconds(1))
    connection.close()
  }
}

/// The server's first answer, by which a connection becomes a websocket.
enum WebSocketUpgrade {
  /// The bytes of a head with its empty line; `nil` until it is whole.
  static func length(of bytes: [UInt8]) -> Int? {
    let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
    return bytes.firstRange(of: end).map(\.upperBound)
  }

  /// Why a head is none that follows from a key; `nil` if it is.
  static func fault(of head: some Sequence<UInt8>, key: String) -> DeliveryFault? {
    let lines = String(decoding: Array(head), as: UTF8.self).split(separator: "\r\n")
    let first = lines.first ?? ""
    let words = first.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      return .unexpected(detail: "it speaks no HTTP")
    }
    guard status == 101 else {
      let detail = words.count > 2 ? String(words[2]) : ""
      return DeliveryResult(status: status, retryAfter: nil, detail: detail).fault
        ?? .unexpected(detail: "\(status)")
    }
    let accepted = lines.first { $0.lowercased().hasPrefix("sec-websocket-accept:") }?
      .drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)
    guard accepted == answer(to: key) else {
      return .unexpected(detail: "it answers another websocket")
    }
    return nil
  }

  /// The answer that a key asks for (RFC 6455, section 4.2.2).
  static func answer(to key: String) -> String {
    let digest = SHA1.digest(of: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Data(digest).base64EncodedString()
  }
}
