import Foundation
import Radio
import SystemBus
import Testing

@testable import KernelRadio

/// A link with the other end of its socket: a test reads and writes like a device.
final class LinkBench: Sendable {
  let device: LinkEndpoint
  let link: KernelLink
  let loop: EventLoop
  let updates: AsyncStream<LinkUpdate>

  /// Makes a link of one end of a pair of sockets, and opens it.
  init() async throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let (mine, theirs) = (ends[0], ends[1])
    device = LinkEndpoint(file: mine)
    let loop = try EventLoop(name: "test")
    self.loop = loop
    let (updates, sink) = AsyncStream<LinkUpdate>.makeStream()
    self.updates = updates
    link = KernelLink(
      Self.target(), on: loop, connect: { _ in LinkSocket(owning: theirs) },
      report: { update in
        sink.yield(update)
        if case .ended = update { sink.finish() }
      })
    await link.open()
  }

  deinit {
    loop.stop()
  }

  static func target(_ address: DeviceAddress = Peer.address) -> LinkTarget {
    LinkTarget(
      peer: PeerAddress(address, .random),
      controller: PeerAddress(DeviceAddress(rawValue: 1), .public))
  }

  /// All updates of the link until its end.
  func rest() async -> [LinkUpdate] {
    await updates.reduce(into: []) { $0.append($1) }
  }
}

extension LinkUpdate {
  var event: RadioEvent? {
    if case .event(let event) = self { event } else { nil }
  }

  var end: LinkError?? {
    if case .ended(let end) = self { end } else { nil }
  }
}

/// The other end of a link's socket, in place of a device.
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
  /// It blocks a separate thread.
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

  /// Answers like `peer` until the link has sent `count` requests.
  func serve(_ peer: inout Peer, requests count: Int) async throws {
    while peer.requests.count < count, let request = await receive() {
      if let answer = try peer.answer(request) { send(answer) }
    }
  }

  /// Disconnects.
  func hangUp() {
    shutdown(file, CInt(SHUT_RDWR))
  }
}
