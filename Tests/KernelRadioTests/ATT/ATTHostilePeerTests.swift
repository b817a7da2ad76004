import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ATTHostilePeerTests {
  /// The first bytes of units that a peer may send, to be truncated, extended and damaged.
  static let units = [
    "01 10 0100 0A", "01 08 0100 05", "01 12 0D00 0F", "03 0502", "03 0000", "02 1700",
    "11 06 0100 0500 0018 0600 FFFF 1D18", "11 14 0100 FFFF F0C88D2DCD8AAD1C87F3E702805C00FB",
    "09 07 0200 20 0300 9D2A", "09 07 FEFF 20 FFFF 9D2A", "09 12 0100 00", "05 01 0400 0229",
    "0B 4142", "0D", "13", "17 0300 0000 01", "19", "1B 0300 01", "1D 0300 01", "1D 0C00 02",
    "23 0300 0200 0102 0C00 FFFF", "1E", "0A 0300", "52 0300 01", "18 01", "F0",
  ].map(bytes)

  /// Units of any kind and order are survived; memory stays within its limits; and every unit has
  /// at most one confirmation, response or request as its answer.
  @Test(arguments: UInt64(1)...50) func `survives any units`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var conversation = Conversation(.scale(), isBonded: seed % 2 == 0)
    conversation.isSilent = true
    conversation.canRaise = false
    try conversation.start()
    for _ in 0..<2000 {
      conversation.clear()
      try conversation.receive(Self.unit(&generator))
      #expect(conversation.sent.count <= 2)
      #expect(conversation.sent.allSatisfy { $0.count <= 517 })
      let client = conversation.client
      #expect(client.jobs.count <= ATTClient.mostCommands + 3)
      #expect(client.early.count <= ATTClient.mostEarlyValues)
      #expect(client.unconfirmed.count <= ATTClient.mostIndications)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: try conversation.perform(Conversation.subscribe)
      case 1: try conversation.perform(ATTCommandTests.write([1]))
      case 2: try conversation.raised()
      case 3: try conversation.perform(.confirm(Confirmation(address: Peer.address, number: 0)))
      case 4 where client.isClosed:
        conversation = Conversation(.scale(), cached: conversation.learnt)
        conversation.isSilent = true
        conversation.canRaise = false
        try conversation.start()
      default: break
      }
    }
  }

  private static func unit(_ generator: inout SeededGenerator) -> [UInt8] {
    var unit = units[Int.random(in: 0..<units.count, using: &generator)]
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: unit.removeLast(Int.random(in: 0...unit.count, using: &generator))
    case 1: unit += generator.bytes(Int.random(in: 0...600, using: &generator))
    case 2: unit = generator.bytes(Int.random(in: 0...30, using: &generator))
    case 3, 4:
      let index = Int.random(in: 0..<unit.count, using: &generator)
      unit[index] = UInt8.random(in: .min ... .max, using: &generator)
    default: break
    }
    return unit
  }

  /// Every response is sent twice.
  @Test func `accepts repeated responses`() throws {
    var conversation = Conversation(.scale())
    conversation.isSilent = true
    try conversation.start()
    try conversation.perform(Conversation.subscribe)
    var peer = conversation.peer
    var answered = 0
    while answered < conversation.sent.count {
      let answer = try #require(try peer.answer(conversation.sent[answered]))
      answered += 1
      try conversation.receive(answer)
      try conversation.receive(answer)
    }
    #expect(conversation.events == [.services(Peer.address, ATTDiscoveryTests.services)])
    #expect(peer.value(of: .clientConfiguration) == [2, 0])
    #expect(conversation.ends.isEmpty)
  }

  /// An undecodable response ends the request, and the next one is sent.
  @Test func `continues after an undecodable response`() throws {
    var conversation = try Conversation.begun()
    conversation.isSilent = true
    try conversation.perform(.subscribe(Peer.address, characteristic: Peer.weight))
    try conversation.perform(.read(Peer.address, characteristic: Peer.name))
    try conversation.receive(bytes("05 01 0D00 02"))
    #expect(ATTCommandTests.isFailure(.other, conversation.events))
    try conversation.receive(bytes("0B 41"))
    #expect(conversation.events.count == 2)
  }
}
