import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ATTDiscoveryTests {
  static let services = [
    GATTService(
      uuid: BluetoothUUID(0x1800),
      characteristics: [GATTCharacteristic(uuid: Peer.name, properties: [.read])]),
    GATTService(
      uuid: BluetoothUUID(0x1801),
      characteristics: [GATTCharacteristic(uuid: .serviceChanged, properties: [.indicate])]),
    GATTService(
      uuid: .weightScaleService,
      characteristics: [
        GATTCharacteristic(uuid: Peer.feature, properties: [.read]),
        GATTCharacteristic(uuid: Peer.weight, properties: [.indicate]),
      ]),
  ]

  @Test func `subscribes in six requests`() throws {
    var conversation = Conversation(.scale())
    try conversation.start()
    try conversation.perform(Conversation.subscribe)
    #expect(conversation.events == [.services(Peer.address, Self.services)])
    #expect(conversation.peer.value(of: .clientConfiguration) == [2, 0])
    #expect(
      conversation.peer.requests.map(\.opcode.rawValue) == [0x02, 0x10, 0x08, 0x08, 0x04, 0x12])
  }

  /// A strap with a vendor's service after its standard ones.
  @Test func `subscribes in eight requests with long UUI ds`() throws {
    var builder = PeerBuilder()
    builder.service(.heartRateService)
    builder.characteristic(BluetoothUUID(0x2A37), 0x10, [], isSwitched: true)
    builder.service(Peer.vendorService)
    builder.characteristic(Peer.vendorValue, 0x18, [], isSwitched: true)
    // Its UUID takes 16 bytes in the declaration of the service as well.
    var conversation = Conversation(Peer(builder.attributes))
    try conversation.start()
    try conversation.perform(.subscribe(Peer.address, characteristic: Peer.vendorValue))
    #expect(conversation.peer.value(of: .clientConfiguration) == [1, 0])
    #expect(conversation.peer.requests.count == 8)
  }

  @Test(arguments: [23, 24, 31, 64] as [UInt16])
  func `finds everything with a small MTU`(mtu: UInt16) throws {
    var peer = Peer.scale(hash: Array(repeating: 7, count: 16))
    peer.mtu = mtu
    var conversation = Conversation(peer)
    try conversation.start()
    guard case .services(_, let services) = conversation.events.first else {
      Issue.record("no services were reported")
      return
    }
    #expect(services.map(\.uuid) == Self.services.map(\.uuid))
    #expect(services.flatMap(\.characteristics).count == 5)
    #expect(conversation.client.mtu == Int(mtu))
  }

  @Test func `needs three requests with an unchanged hash`() throws {
    let scale = Peer.scale(hash: Array(repeating: 7, count: 16))
    var first = Conversation(scale)
    try first.start()
    try first.perform(Conversation.subscribe)
    #expect(first.learnt?.databaseHash == Array(repeating: 7, count: 16))

    var second = Conversation(scale, cached: first.learnt)
    try second.start()
    try second.perform(Conversation.subscribe)
    #expect(second.events == first.events)
    #expect(second.peer.requests.map(\.opcode.rawValue) == [0x02, 0x08, 0x12])
    #expect(second.peer.value(of: .clientConfiguration) == [2, 0])
  }

  @Test func `rediscovers after a changed hash`() throws {
    var first = Conversation(.scale(hash: Array(repeating: 7, count: 16)))
    try first.start()
    try first.perform(Conversation.subscribe)
    var second = Conversation(
      .scale(hash: Array(repeating: 8, count: 16)), cached: first.learnt)
    try second.start()
    try second.perform(Conversation.subscribe)
    #expect(second.peer.requests.count == 7 + 1)
    #expect(second.learnt?.databaseHash == Array(repeating: 8, count: 16))
  }

  /// Without a hash, cached attributes are valid for a bonded peer and for one that never changes.
  @Test(arguments: [(false, true, 2), (true, true, 2), (true, false, 6), (false, false, 2)])
  func `uses the cache only if reliable`(offersChanges: Bool, isBonded: Bool, requests: Int) throws
  {
    let scale = Peer.scale(offersChanges: offersChanges)
    var first = Conversation(scale, isBonded: isBonded)
    try first.start()
    try first.perform(Conversation.subscribe)
    var second = Conversation(scale, isBonded: isBonded, cached: first.learnt)
    try second.start()
    try second.perform(Conversation.subscribe)
    #expect(second.peer.requests.count == requests)
    #expect(second.peer.value(of: .clientConfiguration) == [2, 0])
  }

  @Test func `rediscovers after a wrong cached handle`() throws {
    var first = Conversation(.scale(offersChanges: false))
    try first.start()
    try first.perform(Conversation.subscribe)
    // The device got another service at the front: all handles moved.
    var builder = PeerBuilder()
    builder.service(.batteryService)
    builder.characteristic(BluetoothUUID(0x2A19), 0x02, [90])
    builder.service(.weightScaleService, spare: 90)
    builder.characteristic(Peer.weight, 0x20, [], isSwitched: true)
    var second = Conversation(Peer(builder.attributes), cached: first.learnt)
    try second.start()
    try second.perform(Conversation.subscribe)
    guard case .services(_, let services) = second.events.last else {
      Issue.record("the services were not reported again")
      return
    }
    #expect(services.map(\.uuid) == [.batteryService, .weightScaleService])
    try second.perform(Conversation.subscribe)
    #expect(second.peer.value(of: .clientConfiguration) == [2, 0])
    #expect(second.ends.isEmpty)
  }

  /// A bonded scale whose handles have moved since its attributes were cached.
  private func movedScale() throws -> Conversation {
    var first = Conversation(.scale(offersChanges: false), isBonded: true)
    try first.start()
    try first.perform(Conversation.subscribe)
    var builder = PeerBuilder()
    builder.service(.batteryService, spare: 90)
    builder.characteristic(BluetoothUUID(0x2A19), 0x02, [90])
    builder.service(.weightScaleService, spare: 90)
    builder.characteristic(Peer.weight, 0x20, [], isSwitched: true)
    var second = Conversation(Peer(builder.attributes), isBonded: true, cached: first.learnt)
    try second.start()
    second.clear()
    return second
  }

  /// A device deletes the record that is confirmed, so its meaning is asked for first.
  @Test func `confirms no record of a handle that moved`() throws {
    var conversation = try movedScale()
    try conversation.receive(conversation.indication([7]))
    #expect(conversation.events.count == 2)
    #expect(conversation.events.last == conversation.value([7], confirmation: 0))
    #expect(conversation.peer.confirmations == 0)
    try conversation.perform(.confirm(Confirmation(address: Peer.address, number: 0)))
    #expect(conversation.peer.confirmations == 1)
    // The attributes are certain now.
    try conversation.receive(.indication(HandleValue(handle: 999, data: [1])))
    #expect(conversation.peer.confirmations == 2)
  }

  /// A record that comes while the attributes are requested again waits for them.
  @Test func `keeps a record during the rediscovery`() throws {
    var conversation = try Conversation.begun()
    let changed = HandleValue(
      handle: conversation.peer.handle(of: .serviceChanged), data: [1, 0, 0xFF, 0xFF])
    conversation.isSilent = true
    try conversation.receive(.indication(changed))
    let request = try #require(conversation.sent.last)
    try conversation.receive(conversation.indication([7]))
    #expect(conversation.events.isEmpty)
    conversation.isSilent = false
    try conversation.receive(try #require(try conversation.peer.answer(request)))
    #expect(conversation.events == [conversation.value([7], confirmation: 0)])
  }

  /// The handle may be that of another attribute, which gives an error of its own.
  @Test func `rediscovers after any error of a cached handle`() throws {
    var conversation = try movedScale()
    try conversation.perform(Conversation.subscribe)
    conversation.clear()
    try conversation.perform(Conversation.subscribe)
    #expect(conversation.peer.value(of: .clientConfiguration) == [2, 0])
    #expect(conversation.ends.isEmpty)
  }

  @Test func `rediscovers after service changed`() throws {
    var conversation = try Conversation.begun()
    let changed = HandleValue(
      handle: conversation.peer.handle(of: .serviceChanged), data: [1, 0, 0xFF, 0xFF])
    try conversation.receive(.indication(changed))
    // Nothing changed: no event is reported.
    #expect(conversation.events.isEmpty)
    #expect(conversation.peer.confirmations == 1)

    var builder = PeerBuilder()
    builder.service(.weightScaleService)
    builder.characteristic(Peer.weight, 0x20, [], isSwitched: true)
    conversation.peer = Peer(builder.attributes)
    try conversation.receive(.indication(changed))
    #expect(
      conversation.events == [
        .services(
          Peer.address,
          [
            GATTService(
              uuid: .weightScaleService,
              characteristics: [GATTCharacteristic(uuid: Peer.weight, properties: [.indicate])])
          ])
      ])
  }

  /// A peer that requires the request to be repeated, though nothing relevant changed.
  @Test func `repeats a request after out of sync`() throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    try conversation.perform(.read(Peer.address, characteristic: Peer.name))
    conversation.isSilent = false
    try conversation.receive(bytes("01 0A 0300 12"))
    #expect(
      conversation.events == [
        conversation.value(Array("Scale".utf8), of: Peer.name, in: BluetoothUUID(0x1800))
      ])
  }

  /// A peer that is always out of sync.
  @Test func `repeats a request once`() throws {
    var conversation = try Conversation.begun()
    for _ in 0..<2 {
      conversation.isSilent = true
      try conversation.perform(.read(Peer.address, characteristic: Peer.name))
      try conversation.receive(bytes("01 0A 0300 12"))
      for answer in ["11 06 0100 FFFF 1D18", "09 07 0200 02 0300 002A", "01 08 0300 0A"] {
        try conversation.receive(bytes(answer))
      }
      try conversation.receive(bytes("01 0A 0300 12"))
    }
    #expect(conversation.ends.isEmpty)
    #expect(conversation.client.current == nil)
    guard case .services? = conversation.events.first,
      case .failed(_, let error)? = conversation.events.last, error.kind == .other
    else {
      Issue.record("reported \(conversation.events)")
      return
    }
  }

  @Test func `enables service changed once data arrives`() throws {
    var conversation = Conversation(.scale(), isBonded: true)
    try conversation.start()
    try conversation.perform(Conversation.subscribe)
    #expect(
      conversation.peer.requests.map(\.opcode.rawValue)
        == [0x02, 0x10, 0x08, 0x08, 0x04, 0x12, 0x04, 0x12])
    #expect(conversation.learnt?.configurations.count == 2)
  }

  @Test func `continues without a larger MTU`() throws {
    var conversation = Conversation(.scale())
    conversation.isSilent = true
    try conversation.start()
    conversation.isSilent = false
    try conversation.receive(bytes("01 02 0000 06"))
    #expect(conversation.client.mtu == 23)
    #expect(conversation.events == [.services(Peer.address, Self.services)])
  }

  @Test func `closes on invalid services`() throws {
    var conversation = Conversation(.scale())
    conversation.isSilent = true
    try conversation.start()
    try conversation.receive(bytes("03 0502"))
    try conversation.receive(bytes("11 06 0900 0500 1D18"))
    #expect(conversation.ends.map { $0?.kind } == [.other])
    try conversation.receive(bytes("11 06 0100 0500 1D18"))
    #expect(conversation.ends.count == 1)
  }

  /// One declaration per response, endlessly.
  @Test func `is bounded`() throws {
    var conversation = Conversation(.scale())
    conversation.isSilent = true
    try conversation.start()
    try conversation.receive(bytes("03 0502"))
    try conversation.receive(bytes("11 06 0100 FFFF 1D18"))
    var handle: UInt16 = 1
    while conversation.events.isEmpty, handle < 20_000 {
      try conversation.receive(
        [0x09, 0x07] + handle.octets + [0x10] + (handle + 1).octets + bytes("9D2A"))
      handle += 2
    }
    #expect(conversation.peer.requests.isEmpty)
    #expect(conversation.client.known?.table.characteristics.count == 1023)
  }
}
