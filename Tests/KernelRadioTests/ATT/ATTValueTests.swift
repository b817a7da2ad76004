import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ATTValueTests {
  @Test func `confirms on request`() throws {
    var conversation = Conversation(.scale(), firstIndication: 41)
    try conversation.start()
    conversation.clear()
    try conversation.receive(conversation.indication([1]))
    #expect(conversation.events == [conversation.value([1], confirmation: 41)])
    #expect(conversation.peer.confirmations == 0)
    let other = DeviceAddress(rawValue: 1)
    // Of an earlier link, of another device, of this indication, and of this one again.
    for (address, number) in [
      (Peer.address, 40), (other, 41), (Peer.address, 41), (Peer.address, 41),
    ]
      as [(DeviceAddress, UInt64)]
    {
      try conversation.perform(.confirm(Confirmation(address: address, number: number)))
    }
    #expect(conversation.peer.confirmations == 1)
  }

  @Test func `confirms during a request`() throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    try conversation.perform(.read(Peer.address, characteristic: Peer.name))
    try conversation.receive(conversation.indication([1]))
    try conversation.perform(.confirm(Confirmation(address: Peer.address, number: 0)))
    #expect(conversation.sent.last == [0x1E])
  }

  /// A peer that does not wait for the confirmation.
  @Test func `accepts a bounded number of indications`() throws {
    var conversation = try Conversation.begun()
    for byte: UInt8 in 0..<7 { try conversation.receive(conversation.indication([byte])) }
    let lost = RadioEvent.lost(Peer.address, count: 1)
    #expect(
      conversation.events
        == (0..<4).map { conversation.value([UInt8($0)], confirmation: $0) } + [lost, lost, lost])
    #expect(conversation.peer.confirmations == 0)
    try conversation.perform(.confirm(Confirmation(address: Peer.address, number: 2)))
    try conversation.receive(conversation.indication([9]))
    #expect(conversation.events.last == conversation.value([9], confirmation: 4))
  }

  @Test func `confirms indications of unknown attributes`() throws {
    var conversation = try Conversation.begun()
    try conversation.receive(.indication(HandleValue(handle: 999, data: [1])))
    try conversation.receive(.notification(HandleValue(handle: 999, data: [1])))
    #expect(conversation.events.isEmpty)
    #expect(conversation.peer.confirmations == 1)
  }

  @Test func `reports each notification`() throws {
    var conversation = try Conversation.begun()
    let handle = conversation.peer.handle(of: Peer.weight)
    try conversation.receive(.notification(HandleValue(handle: handle, data: [1])))
    try conversation.receive(
      .notifications([2, 3].map { HandleValue(handle: handle, data: [$0]) }))
    #expect(conversation.events == [1, 2, 3].map { conversation.value([$0]) })
  }

  /// A bonded scale sends as soon as the link is up.
  @Test func `stores values until the services are known`() throws {
    var conversation = Conversation(.scale(), isBonded: true)
    let handle = conversation.peer.handle(of: Peer.weight)
    try conversation.receive(conversation.indication([7]))
    for byte: UInt8 in 0..<70 {
      try conversation.receive(.notification(HandleValue(handle: handle, data: [byte])))
    }
    let lost = (0..<7).map { _ in RadioEvent.lost(Peer.address, count: 1) }
    #expect(conversation.events == lost)
    conversation.clear()
    try conversation.start()
    #expect(
      conversation.events == [
        .services(Peer.address, ATTDiscoveryTests.services),
        conversation.value([7], confirmation: 0),
      ] + (0..<63).map { conversation.value([$0]) })
  }
}
