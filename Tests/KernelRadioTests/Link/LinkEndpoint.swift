import Foundation
import Testing

@testable import KernelRadio

/// The other end of a link's socket, where a device would be.
final class LinkEndpoint: Sendable {
  let file: CInt

  init(file: CInt) {
    self.file = file
  }

  deinit { close(file) }

  /// Sends a unit as the device.
  func send(_ bytes: [UInt8]) {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe Foundation.send(file, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
    }
    #expect(count == bytes.count)
  }

  /// The next unit that the link sends; `nil` at the end of the link.
  ///
  /// It blocks: a thread of its own waits.
  func receive() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe recv(file, buffer.baseAddress, buffer.count, 0)
        }
        continuation.resume(returning: count > 0 ? Array(bytes.prefix(count)) : nil)
      }
    }
  }

  /// Answers as `peer` does until the link asks nothing more than `count` requests.
  func serve(_ peer: inout Peer, requests count: Int) async throws {
    while peer.requests.count < count, let request = await receive() {
      if let answer = try peer.answer(request) { send(answer) }
    }
  }

  /// Hangs up.
  func hangUp() {
    shutdown(file, CInt(SHUT_RDWR))
  }
}
