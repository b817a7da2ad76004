import Foundation
import Radio
import SystemBus
import Testing

@testable import KernelRadio

/// A link whose socket ends here: a test reads and writes what a device would.
final class LinkBench: Sendable {
  let device: LinkEndpoint
  let link: KernelLink
  let loop: EventLoop
  let news: AsyncStream<LinkUpdate>

  /// Makes a link of one end of a pair of sockets, and opens it.
  init() async throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let (mine, theirs) = (ends[0], ends[1])
    device = LinkEndpoint(file: mine)
    let loop = try EventLoop(name: "test")
    self.loop = loop
    let (news, sink) = AsyncStream<LinkUpdate>.makeStream()
    self.news = news
    link = KernelLink(
      Self.target(), on: loop, connect: { _ in LinkSocket(owning: theirs) },
      tell: { news in
        sink.yield(news)
        if case .ended = news { sink.finish() }
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

  /// All that the link tells until its end.
  func rest() async -> [LinkUpdate] {
    await news.reduce(into: []) { $0.append($1) }
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
