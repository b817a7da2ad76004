import Foundation
import GATT
import Radio
import Synchronization
import Testing

@testable import BlueZ

/// A link whose socket ends here: a test reads and writes what a device would.
final class LinkBench: Sendable {
  /// The device's end.
  let file: CInt
  let link: KernelLink
  let loop: EventLoop
  let news: AsyncStream<LinkNews>

  /// Makes a link of one end of a pair of sockets, and opens it.
  init() async throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let (mine, theirs) = (ends[0], ends[1])
    _ = fcntl(theirs, F_SETFL, O_NONBLOCK)
    file = mine
    let loop = try EventLoop(name: "test")
    self.loop = loop
    let (news, sink) = AsyncStream<LinkNews>.makeStream()
    self.news = news
    link = KernelLink(
      Self.target, on: loop, connect: { _ in LinkSocket(owning: theirs) },
      tell: { news in
        sink.yield(news)
        if case .ended = news { sink.finish() }
      })
    await link.open()
  }

  deinit {
    close(file)
    loop.stop()
  }

  static let target = LinkTarget(
    peer: PeerAddress(Peer.address, .random),
    controller: PeerAddress(DeviceAddress(rawValue: 1), .public))

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
      Thread.detachNewThread { [file] in
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

  /// All that the link tells until its end.
  func rest() async -> [LinkNews] {
    await news.reduce(into: []) { $0.append($1) }
  }
}

extension LinkNews {
  var event: RadioEvent? {
    if case .event(let event) = self { event } else { nil }
  }

  var end: LinkEnd? {
    if case .ended(let end) = self { end } else { nil }
  }
}
