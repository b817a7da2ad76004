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
  let news: AsyncStream<LinkNews>

  /// Makes a link of one end of a pair of sockets, and opens it.
  init() async throws {
    var ends: [CInt] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let (mine, theirs) = (ends[0], ends[1])
    device = LinkEndpoint(file: mine)
    let loop = try EventLoop(name: "test")
    self.loop = loop
    let (news, sink) = AsyncStream<LinkNews>.makeStream()
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
