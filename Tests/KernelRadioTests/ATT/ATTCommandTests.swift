import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ATTCommandTests {
  static func read(_ uuid: BluetoothUUID) -> RadioCommand {
    .read(Peer.address, characteristic: uuid)
  }

  static func write(
    _ data: [UInt8], to uuid: BluetoothUUID = Peer.name, withResponse: Bool = true
  ) -> RadioCommand {
    .write(Peer.address, characteristic: uuid, data: data, withResponse: withResponse)
  }

  static func isFailure(_ kind: LinkFailure, _ events: [RadioEvent]) -> Bool {
    guard events.count == 1, case .failed(Peer.address, let error) = events[0] else { return false }
    return error.kind == kind
  }

  @Test func `reads and writes`() throws {
    var conversation = try Conversation.begun()
    try conversation.perform(Self.read(Peer.name))
    try conversation.perform(Self.write([1, 2]))
    try conversation.perform(Self.write([3], withResponse: false))
    #expect(
      conversation.events == [
        conversation.value(Array("Scale".utf8), of: Peer.name, in: BluetoothUUID(0x1800)),
        .written(Peer.address, characteristic: Peer.name),
      ])
    let handle = conversation.peer.handle(of: Peer.name)
    #expect(conversation.peer.commands == [.writeCommand(HandleValue(handle: handle, data: [3]))])
  }

  /// A value that fills a response exactly may be longer, or not.
  @Test(arguments: [0, 21, 22, 23, 44, 45, 300, 512])
  func `reads long values`(length: Int) throws {
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    var peer = Peer.scale()
    peer.mtu = 23
    let index = try #require(peer.attributes.firstIndex { $0.type == Peer.name })
    peer.attributes[index].value = value
    var conversation = try Conversation.begun(with: peer)
    try conversation.perform(Self.read(Peer.name))
    #expect(
      conversation.events == [
        conversation.value(value, of: Peer.name, in: BluetoothUUID(0x1800))
      ])
  }

  @Test(arguments: [20, 21, 36, 37, 512])
  func `writes long values`(length: Int) throws {
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    var peer = Peer.scale()
    peer.mtu = 23
    var conversation = try Conversation.begun(with: peer)
    try conversation.perform(Self.write(value))
    #expect(conversation.events == [.written(Peer.address, characteristic: Peer.name)])
    let written =
      length > 20 ? conversation.peer.longValue : conversation.peer.value(of: Peer.name)
    #expect(written == value)
  }

  @Test func `discards a long write that is echoed differently`() throws {
    var peer = Peer.scale()
    peer.mtu = 23
    var conversation = try Conversation.begun(with: peer)
    conversation.isSilent = true
    try conversation.perform(Self.write(Array(repeating: 9, count: 30)))
    let handle = conversation.peer.handle(of: Peer.name)
    try conversation.receive(
      .prepareWriteResponse(HandleValue(handle: handle, data: [8]), offset: 0))
    #expect(Self.isFailure(.other, conversation.events))
    #expect(conversation.sent.last == bytes("18 00"))
  }

  @Test(arguments: [
    write(Array(repeating: 0, count: 513)),
    write(Array(repeating: 0, count: 515), withResponse: false),
    read(BluetoothUUID(0x2A38)), write([1], to: BluetoothUUID(0x2A38)),
    .subscribe(Peer.address, characteristic: BluetoothUUID(0x2A38)),
    .subscribe(Peer.address, characteristic: Peer.name),
  ])
  func `reports impossible commands`(command: RadioCommand) throws {
    var conversation = try Conversation.begun()
    let asked = conversation.peer.requests.count
    try conversation.perform(command)
    #expect(Self.isFailure(.other, conversation.events))
    #expect(conversation.peer.requests.count == asked)
    // Later commands are performed.
    try conversation.perform(Self.read(Peer.name))
    #expect(conversation.events.count == 2)
  }

  @Test func `waits for the services and preserves the order`() throws {
    var conversation = Conversation(.scale())
    try conversation.perform(Self.read(Peer.feature))
    try conversation.perform(Conversation.subscribe)
    try conversation.perform(.disconnect(Peer.address))
    #expect(conversation.sent.isEmpty)
    try conversation.start()
    #expect(conversation.events.last == conversation.value([0, 0, 0, 0], of: Peer.feature))
    #expect(conversation.peer.value(of: .clientConfiguration) == [2, 0])
    #expect(conversation.ends == [nil])
  }

  @Test func `accepts a bounded number of commands`() throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    for _ in 0..<100 { try conversation.perform(Self.read(Peer.name)) }
    // One is in progress, 64 wait.
    #expect(conversation.events.count == 35)
    #expect(conversation.sent.count == 1)
  }

  // MARK: Security

  @Test func `raises security and repeats the request`() throws {
    var peer = Peer.scale()
    peer.wantsSecurity = true
    var conversation = try Conversation.begun(with: peer)
    try conversation.perform(Conversation.subscribe)
    #expect(conversation.raises == 1)
    #expect(conversation.peer.value(of: .clientConfiguration) == [2, 0])
    #expect(conversation.events.isEmpty)
  }

  @Test(arguments: [0x05, 0x08, 0x0C, 0x0F] as [UInt8])
  func `fails when security does not help`(code: UInt8) throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    try conversation.perform(Self.read(Peer.name))
    let refusal = ATTPDU.error(
      request: ATTOpcode(rawValue: 0x0A), handle: 3, code: ATTErrorCode(rawValue: code))
    conversation.canRaise = false
    try conversation.receive(refusal)
    // No request is sent, and none times out, while the link is being encrypted.
    #expect(conversation.raises == 1)
    #expect(conversation.client.wakeAt == nil)
    try conversation.receive(bytes("0B 4142"))
    #expect(conversation.events.isEmpty)
    try conversation.raised()
    #expect(conversation.sent == [bytes("0A 0300"), bytes("0A 0300")])
    try conversation.receive(refusal)
    #expect(conversation.raises == 1)
    #expect(Self.isFailure(.unauthorized, conversation.events))
  }

  // MARK: Time

  @Test func `closes when an answer is late`() throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    try conversation.perform(Self.read(Peer.name))
    #expect(conversation.client.wakeAt == conversation.now + .seconds(30))
    try conversation.wait()
    #expect(conversation.ends.map { $0?.kind } == [.gone])
    #expect(conversation.client.wakeAt == nil)
    try conversation.perform(Self.read(Peer.name))
    #expect(conversation.sent.count == 1)
  }

  @Test func `has no deadline without a request`() throws {
    #expect(try Conversation.begun().client.wakeAt == nil)
  }

  @Test func `disconnects from a silent peer`() throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    try conversation.perform(Self.read(Peer.name))
    try conversation.perform(.disconnect(Peer.address))
    #expect(conversation.ends.isEmpty)
    #expect(conversation.client.wakeAt == conversation.now + .seconds(5))
    try conversation.wait()
    #expect(conversation.ends == [nil])
  }

  /// Each response is in time, but they never end.
  @Test func `closes when services take too long`() throws {
    var conversation = Conversation(.scale())
    conversation.isSilent = true
    try conversation.start()
    try conversation.receive(bytes("03 0502"))
    try conversation.receive(bytes("11 06 0100 FFFF 1D18"))
    for handle in [1, 3, 5] as [UInt16] {
      conversation.now += .seconds(19)
      try conversation.receive(
        [0x09, 0x07] + handle.octets + [0x10] + (handle + 1).octets + bytes("9D2A"))
    }
    try conversation.wait()
    #expect(conversation.ends.map { $0?.kind } == [.gone])
  }
}
