package import Foundation
import Glibc
import Synchronization

/// A connection to the daemon's socket, and one HTTP request on it.
///
/// Its calls wait: a command has nothing else to do.
package final class ClientSocket: Sendable {
  /// Why there is no connection.
  package enum Failure: Error, Hashable {
    /// Nobody listens.
    case absent
    /// The socket is for others.
    case denied
    /// The daemon closed the connection, or does not answer.
    case broken
  }

  /// The longest path of a socket, in bytes, without its final zero (unix(7)).
  package static let longestPath = 107

  private let descriptor: Int32
  private let writing = Mutex(())

  /// Connects.
  package init(path: String) throws(Failure) {
    var address = sockaddr_un()
    let bytes = Array(path.utf8)
    guard bytes.count <= Self.longestPath else { throw .absent }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    // Not the property yet: `deinit`, which runs for a complete object whose `init` throws, would
    // close a number that another thread may have got meanwhile.
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .absent }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw code == EACCES || code == EPERM ? .denied : .absent
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Ends reading and writing, also in other threads.
  func shutdown() { _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Lets reading fail after that many seconds without an answer.
  func limitReading(to seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  // MARK: Writing

  /// Sends the head of a request; the body of a `POST` is JSON Lines.
  package func begin(_ method: String, _ path: String) throws(Failure) {
    let body =
      method == "POST"
      ? "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n" : ""
    try write(Data("\(method) \(path) HTTP/1.1\r\nHost: measured\r\n\(body)\r\n".utf8))
  }

  /// Sends a part of the body.
  package func send(_ data: Data) throws(Failure) {
    guard !data.isEmpty else { return }
    try write(Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8))
  }

  /// Ends the body.
  package func end() throws(Failure) { try write(Data("0\r\n\r\n".utf8)) }

  private func write(_ data: Data) throws(Failure) {
    let isWritten = writing.withLock { _ in
      var rest = data[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { buffer in
          unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
    guard isWritten else { throw .broken }
  }

  /// Shows every five seconds that this program is still there, until the result is released.
  func showsLife() -> SignOfLife { SignOfLife(self) }

  /// Sends empty lines.
  final class SignOfLife: Sendable {
    private let thread: LifeThread

    fileprivate init(_ socket: ClientSocket) {
      thread = LifeThread()
      thread.start(socket)
    }

    deinit { thread.stop() }
  }

  private final class LifeThread: Sendable {
    private let isOver = Mutex(false)

    func start(_ socket: ClientSocket) {
      Thread.detachNewThread { [self] in
        var count = 0
        while !isOver.withLock({ $0 }) {
          usleep(100_000)
          count += 1
          if count % 50 == 0 { try? socket.send(Data("\n".utf8)) }
        }
      }
    }

    func stop() { isOver.withLock { $0 = true } }
  }

  // MARK: Reading

  /// The next bytes; `nil` at the end.
  fileprivate func read() throws(Failure) -> Data? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .broken }
      return count == 0 ? nil : Data(bytes[0..<count])
    }
  }
}

/// The answer to a request on a socket.
struct ClientResponse {
  /// The status code.
  let status: Int
  private let socket: ClientSocket
  private var bytes: Data
  private var lines = Data()
  /// The bytes left of a body that is not chunked; `nil` for a chunked one.
  private var rest: Int?
  private var isAtEnd = false

  /// The longest head and the longest line of a body, in bytes.
  private static let longest = 1 << 20

  /// Waits for the head of the answer.
  init(_ socket: ClientSocket) throws(ClientSocket.Failure) {
    self.socket = socket
    var bytes = Data()
    let end = Data("\r\n\r\n".utf8)
    while bytes.range(of: end) == nil {
      guard bytes.count < Self.longest, let more = try socket.read() else { throw .broken }
      bytes += more
    }
    guard let range = bytes.range(of: end) else { throw .broken }
    let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    self.bytes = Data(bytes[range.upperBound...])
    guard let status = head.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw .broken }
    self.status = status
    func field(_ name: String) -> String? {
      head.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
    if field("transfer-encoding")?.lowercased() != "chunked" {
      rest = field("content-length").flatMap { Int($0) } ?? 0
    }
  }

  /// The whole body.
  mutating func body() throws(ClientSocket.Failure) -> Data {
    var body = Data()
    while let part = try next() {
      body += part
      guard body.count <= Self.longest else { throw .broken }
    }
    return body
  }

  /// Why the daemon refuses, by the problem document that is the body.
  mutating func refusal() -> String {
    struct Problem: Decodable { var detail: String }
    let document = (try? body()) ?? Data()
    return (try? JSONDecoder().decode(Problem.self, from: document))?.detail
      ?? "it gives no reason"
  }

  /// The next line of the body, without its end; `nil` after the last.
  mutating func line() throws(ClientSocket.Failure) -> Data? {
    while true {
      if let end = lines.firstIndex(of: UInt8(ascii: "\n")) {
        defer { lines = Data(lines[(end + 1)...]) }
        return Data(lines[..<end])
      }
      guard lines.count <= Self.longest, let part = try next() else { return nil }
      lines += part
    }
  }

  /// The next part of the body; `nil` at its end.
  private mutating func next() throws(ClientSocket.Failure) -> Data? {
    guard !isAtEnd else { return nil }
    if let rest {
      guard rest > 0 else { return nil }
      if bytes.isEmpty { bytes = try more() }
      let part = bytes.prefix(rest)
      bytes = Data(bytes.dropFirst(part.count))
      self.rest = rest - part.count
      return Data(part)
    }
    let size = try chunkHead()
    guard size > 0 else {
      isAtEnd = true
      return nil
    }
    while bytes.count < size + 2 { bytes += try more() }
    let part = Data(bytes.prefix(size))
    bytes = Data(bytes.dropFirst(size + 2))
    return part
  }

  private mutating func chunkHead() throws(ClientSocket.Failure) -> Int {
    while true {
      if let end = bytes.range(of: Data("\r\n".utf8)) {
        let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        bytes = Data(bytes[end.upperBound...])
        guard let size = Int(text.prefix { $0 != ";" }, radix: 16),
          (0...Self.longest).contains(size)
        else { throw .broken }
        return size
      }
      guard bytes.count < 1_024 else { throw .broken }
      bytes += try more()
    }
  }

  private func more() throws(ClientSocket.Failure) -> Data {
    guard let data = try socket.read() else { throw .broken }
    return data
  }
}
