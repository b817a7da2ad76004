import GATT
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct MgmtPacketTests {
  @Test func writesAHeaderAndItsParameters() {
    let packet = MgmtPacket(code: 0x0023, controller: 1, parameters: [6])
    #expect(packet.encoded == bytes("2300 0100 0100 06"))
  }

  @Test func readsWhatItWrites() throws {
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
  func refusesWhatIsCutOrTooLong(hex: String, error: GATTError) {
    #expect(throws: error) { try MgmtPacket(bytes(hex)) }
  }
}
