import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct MgmtEventTests {
  static let scale = MgmtCommandTests.scale

  static func event(_ hex: String) throws -> MgmtEvent {
    try MgmtEvent(MgmtPacket(bytes(hex)))
  }

  @Test(arguments: [
    (
      "0100 0000 0400 0500 00 01",
      MgmtEvent.answer(command: 5, status: .success, parameters: [1])
    ),
    ("0200 FFFF 0300 2300 0A", .answer(command: 0x23, status: .busy, parameters: [])),
    ("0400 0100 0000", .controllerAdded),
    ("0500 0100 0000", .controllerRemoved),
    ("0600 0000 0400 01020000", .newSettings([.powered, .lowEnergy])),
    ("1300 0000 0200 06 01", .discovering(true)),
    ("1300 0000 0200 06 00", .discovering(false)),
    ("2C00 0000 0200 0100", .monitorRemoved(handle: 1)),
    (
      "0F00 0000 0C00 9A78563412C4 02 01 00000000",
      .confirmationRequest(scale, passkey: 0, needsPerson: false)
    ),
    (
      "0F00 0000 0C00 9A78563412C4 02 00 40E20100",
      .confirmationRequest(scale, passkey: 123_456, needsPerson: true)
    ),
    ("1000 0000 0700 9A78563412C4 02", .passkeyRequest(scale)),
    (
      "1700 0000 0C00 9A78563412C4 02 40E20100 03",
      .passkeyNotice(scale, passkey: 123_456, entered: 3)
    ),
    ("1100 0000 0800 9A78563412C4 02 05", .authenticationFailed(scale)),
    ("0B00 0000 0D00 9A78563412C4 02 00000000 0000", .other(0x0B)),
    ("FFFF 0000 0000", .other(0xFFFF)),
  ])
  func `decodes events`(hex: String, event: MgmtEvent) throws {
    #expect(try Self.event(hex) == event)
  }

  @Test(arguments: [
    "1200 0000 1900 9A78563412C4 02 CE 00000000 0B00 02010605031D180D18 0000",
    "2F00 0000 1B00 0000 9A78563412C4 02 CE 00000000 0B00 02010605031D180D18 0000",
  ])
  func `reads an advertisement of a discovery and of a monitor`(hex: String) throws {
    let found = FoundDevice(
      peer: Self.scale, rssi: -50, isConnectable: true, data: bytes("02010605031D180D18 0000"))
    #expect(try Self.event(hex) == .deviceFound(found))
  }

  @Test func `decodes a missing signal and an unconnectable device`() throws {
    let hex = "1200 0000 0E00 9A78563412C4 02 7F 04000000 0000"
    let found = FoundDevice(peer: Self.scale, rssi: nil, isConnectable: false, data: [])
    #expect(try Self.event(hex) == .deviceFound(found))
  }

  @Test func `ignores newer fields`() throws {
    #expect(try Self.event("2C00 0000 0300 0100 FF") == .monitorRemoved(handle: 1))
  }

  @Test(arguments: ["00", "01"])
  func `decodes a new key with its store hint`(hint: String) throws {
    let hex = "0A00 0000 2500 \(hint)" + MgmtCommandTests.longTermKey
    var reader = ByteReader(bytes(MgmtCommandTests.longTermKey))
    let key = try LongTermKey(from: &reader)
    #expect(try Self.event(hex) == .newLongTermKey(key, isStored: hint == "01"))
  }

  @Test func `decodes a new identity with its private address`() throws {
    let hex = "1800 0000 1E00 01 665700E7CE73" + MgmtCommandTests.identityKey
    var reader = ByteReader(bytes(MgmtCommandTests.identityKey))
    let key = try IdentityKey(from: &reader)
    let address = DeviceAddress(rawValue: 0x73CE_E700_5766)
    #expect(try Self.event(hex) == .newIdentityKey(key, privateAddress: address, isStored: true))
  }

  /// Classic Bluetooth uses the same channel, with address type 0.
  @Test(arguments: [
    "1200 0000 0E00 9A78563412C4 00 CE 00000000 0000",
    "0F00 0000 0C00 9A78563412C4 00 00 40E20100",
  ])
  func `skips classic devices`(hex: String) throws {
    guard case .other = try Self.event(hex) else {
      Issue.record("a classic device was taken for one of low energy")
      return
    }
  }

  @Test(arguments: [
    ("0100 0000 0200 0500", GATTError.truncated(field: "status", needed: 1, available: 0)),
    ("1200 0000 0300 9A7856", .truncated(field: "address", needed: 6, available: 3)),
    (
      "1200 0000 0E00 9A78563412C4 02 CE 00000000 FFFF",
      .truncated(field: "data", needed: 65535, available: 0)
    ),
    (
      "1000 0000 0700 9A78563412C4 03",
      .invalid(field: "address type", reason: "3 is none of low energy")
    ),
    (
      "0A00 0000 2500 01 9A78563412C4 02 02 00 20 0000 0000000000000000 "
        + "00000000000000000000000000000000",
      .invalid(field: "key size", reason: "it is 32, and 7 to 16 bytes are possible")
    ),
  ])
  func `refuses invalid events`(hex: String, error: GATTError) {
    #expect(throws: error) { try Self.event(hex) }
  }

  /// For any bytes, decoding ends in an event or a typed error.
  @Test func `survives hostile packets`() {
    var generator = SeededGenerator(seed: 2026)
    let codes: [UInt16] = [
      0x01, 0x02, 0x04, 0x05, 0x06, 0x0A, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x17, 0x18, 0x2C, 0x2F,
    ]
    var events = 0
    var errors = 0
    for round in 0..<100_000 {
      let count = Int.random(in: 0...80, using: &generator)
      var packet = MgmtPacket(
        code: codes[round % codes.count], controller: 0, parameters: generator.bytes(count)
      ).encoded
      // A third are truncated or extended, or have a byte changed.
      if round % 3 == 0, let place = packet.indices.randomElement(using: &generator) {
        packet[place] = UInt8.random(in: 0...255, using: &generator)
      }
      if round % 7 == 0 { packet = packet.dropLast(Int.random(in: 0...5, using: &generator)) }
      do throws(GATTError) {
        _ = try MgmtEvent(MgmtPacket(packet))
        events += 1
      } catch {
        errors += 1
      }
    }
    #expect(events + errors == 100_000)
    #expect(events > 10_000)
    #expect(errors > 10_000)
  }
}

@Suite struct MgmtPacketTests {
  @Test func `writes a header and its parameters`() {
    let packet = MgmtPacket(code: 0x0023, controller: 1, parameters: [6])
    #expect(packet.encoded == bytes("2300 0100 0100 06"))
  }

  @Test func `reads what it writes`() throws {
    let packet = MgmtPacket(code: 0x0004, controller: MgmtPacket.noController)
    #expect(packet.encoded == bytes("0400 FFFF 0000"))
    #expect(try MgmtPacket(packet.encoded) == packet)
  }

  @Test(arguments: [
    ("", GATTError.truncated(field: "code", needed: 2, available: 0)),
    ("0400 00", .truncated(field: "controller", needed: 2, available: 1)),
    ("0400 0000 00", .truncated(field: "length", needed: 2, available: 1)),
    ("0400 0000 0200 01", .truncated(field: "parameters", needed: 2, available: 1)),
    ("0400 0000 FFFF 01", .truncated(field: "parameters", needed: 65535, available: 1)),
    ("0400 0000 0000 01", .trailing(count: 1)),
  ])
  func `refuses truncated and oversized packets`(hex: String, error: GATTError) {
    #expect(throws: error) { try MgmtPacket(bytes(hex)) }
  }
}
