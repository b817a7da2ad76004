import Foundation
import GATT
import Radio
import RadioTestSupport
import SystemBus
import TestSupport
import Testing

@testable import KernelRadio

/// An owner of links that runs on their loop, like the radio.
actor LinkOwner {
  let loop: EventLoop
  let buffer: EventBuffer
  private var links: [DeviceAddress: KernelLink] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  init(loop: EventLoop, buffer: EventBuffer) {
    self.loop = loop
    self.buffer = buffer
  }

  /// Opens a link that subscribes and confirms by itself.
  ///
  /// - Returns: The device's end of its socket.
  func open(_ address: DeviceAddress) throws -> CInt {
    var ends: [CInt] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let theirs = ends[1]
    let link = KernelLink(
      LinkBench.target(address), on: loop, connect: { _ in LinkSocket(owning: theirs) },
      report: { [weak self] update in self?.assumeIsolated { $0.linkUpdated(update, of: address) } }
    )
    links[address] = link
    link.assumeIsolated { $0.open() }
    return ends[0]
  }

  private func linkUpdated(_ update: LinkUpdate, of address: DeviceAddress) {
    guard let link = links[address] else { return }
    switch update {
    case .event(let event):
      buffer.push(event)
      if case .services = event {
        link.assumeIsolated { $0.send(.subscribe(address, characteristic: Peer.weight)) }
      }
      if case .value(let value) = event, let confirmation = value.confirmation {
        link.assumeIsolated { $0.send(.confirm(confirmation)) }
        link.assumeIsolated { $0.close() }
      }
    case .learnt: break
    case .ended: links[address] = nil
    }
  }

  var count: Int { links.count }
}

@Suite struct LinkOwnerTests {
  /// One device floods while no event is consumed; another one is used to weigh.
  @Test func `gives each device its share`() async throws {
    let loop = try EventLoop(name: "test")
    let buffer = EventBuffer(loop)
    let owner = LinkOwner(loop: loop, buffer: buffer)
    let (flooding, scale) = (DeviceAddress(rawValue: 7), Peer.address)
    let floodingEnd = LinkEndpoint(file: try await owner.open(flooding))
    let scaleEnd = LinkEndpoint(file: try await owner.open(scale))
    var (floodingPeer, scalePeer) = (Peer.scale(), Peer.scale())
    try await floodingEnd.serve(&floodingPeer, requests: 6)
    let handle = floodingPeer.handle(of: Peer.weight)
    let count = 5000
    for _ in 0..<count {
      floodingEnd.send(ATTPDU.notification(HandleValue(handle: handle, data: [1])).bytes)
    }
    floodingEnd.hangUp()
    try await scaleEnd.serve(&scalePeer, requests: 6)
    scaleEnd.send(KernelLinkTests.indication(9, of: scalePeer))
    #expect(await scaleEnd.receive() == [0x1E])
    #expect(await scaleEnd.receive() == nil)

    var values: [DeviceAddress: Int] = [:]
    var lost = 0
    var ended = 0
    while ended < 2, case .event(let event) = await buffer.next(until: nil) {
      switch event.event {
      case .value(let value): values[value.address, default: 0] += 1
      case .lost(flooding, let count): lost += count
      case .disconnected: ended += 1
      default: break
      }
    }
    let limit = EventBuffer.Limits().valuesOfOneDevice
    #expect(values == [flooding: limit, scale: 1])
    #expect(lost == count - limit)
    #expect(await owner.count == 0)
    loop.stop()
  }
}
