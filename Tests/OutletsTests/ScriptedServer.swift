import Foundation
import Glibc
import Synchronization

/// A server on this machine that says what a script says, one connection after another.
@safe final class ScriptedServer: Sendable {
  /// One connection.
  final class Connection {
    private let descriptor: Int32
    private var rest = Data()
    /// Everything that came.
    private(set) var received = Data()

    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func say(_ text: String) {
      let bytes = Array(text.utf8)
      _ = unsafe bytes.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }

    private func more() -> Bool {
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard count > 0 else { return false }
      rest += bytes[0..<count]
      received += bytes[0..<count]
      return true
    }

    /// The bytes up to an end, which is left out; `nil` if the other side goes first.
    func read(until end: String) -> String? {
      while true {
        if let range = rest.range(of: Data(end.utf8)) {
          defer { rest = Data(rest[range.upperBound...]) }
          return String(decoding: rest[..<range.lowerBound], as: UTF8.self)
        }
        guard more() else { return nil }
      }
    }

    /// A request over HTTP: its head and its body.
    func request() -> (head: String, body: String)? {
      guard let head = read(until: "\r\n\r\n") else { return nil }
      let length =
        head.split(separator: "\r\n").compactMap { line in
          line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
        }.first ?? 0
      while rest.count < length { guard more() else { return nil } }
      defer { rest = Data(rest.dropFirst(length)) }
      return (head, String(decoding: rest.prefix(length), as: UTF8.self))
    }

    /// Waits until the other side has gone.
    func wait() { while more() {} }
  }

  private struct State {
    /// How many connections were taken.
    var begun = 0
    var conversations: [String] = []
  }

  private let descriptor: Int32
  let port: Int
  private let state = Mutex(State())

  /// Everything that came, by connection; a client may have its answer before its connection has ended.
  var conversations: [String] {
    for _ in 0..<500 where state.withLock({ $0.begun > $0.conversations.count }) { usleep(10_000) }
    return state.withLock { $0.conversations }
  }

  init(_ script: @escaping @Sendable (Connection) -> Void) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isOpen else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self] in
      // It alone closes it: the number of a closed one can be the next server's, whose connections it took.
      defer { close(descriptor) }
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        self?.state.withLock { $0.begun += 1 }
        let connection = Connection(client)
        script(connection)
        let text = String(decoding: connection.received, as: UTF8.self)
        self?.state.withLock { $0.conversations.append(text) }
      }
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Runs while `body` does.
  func serve<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try await body()
  }
}
