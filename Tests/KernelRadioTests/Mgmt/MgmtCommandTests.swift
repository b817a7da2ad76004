import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct MgmtCommandTests {
  static let scale = PeerAddress(DeviceAddress(rawValue: 0xC412_3456_789A), .random)
  static let strap = PeerAddress(DeviceAddress(rawValue: 0xA0_9E1A_0000_01), .public)

  /// A key in the kernel's layout, and an identity key.
  static let longTermKey =
    "9A78563412C4 02 02 00 10 0000 0000000000000000 2BA55272A3F3BA74AAE3F7FA998C4814"
  static let identityKey = "9A78563412C4 02 0102030405060708090A0B0C0D0E0F10"

  @Test(arguments: [
    (MgmtCommand.readControllers, "0300 0000 0000"),
    (.readInformation, "0400 0000 0000"),
    (.setPowered(true), "0500 0000 0100 01"),
    (.setPowered(false), "0500 0000 0100 00"),
    (.setBondable(true), "0900 0000 0100 01"),
    (.setSecureSimplePairing(true), "0B00 0000 0100 01"),
    (.setLowEnergy(true), "0D00 0000 0100 01"),
    (.setSecureConnections(true), "2D00 0000 0100 01"),
    (.loadLongTermKeys([]), "1300 0000 0200 0000"),
    (.loadIdentityKeys([]), "3000 0000 0200 0000"),
    (.setCapability(.noInputNoOutput), "1800 0000 0100 03"),
    (.setCapability(.keyboardDisplay), "1800 0000 0100 04"),
    (.pair(scale, .keyboardDisplay), "1900 0000 0800 9A78563412C4 02 04"),
    (.cancelPairing(strap), "1A00 0000 0700 0100001A9EA0 01"),
    (.unpair(scale), "1B00 0000 0800 9A78563412C4 02 01"),
    (.answerConfirmation(scale, isConfirmed: true), "1C00 0000 0700 9A78563412C4 02"),
    (.answerConfirmation(scale, isConfirmed: false), "1D00 0000 0700 9A78563412C4 02"),
    (.answerPasskey(scale, 123_456), "1E00 0000 0B00 9A78563412C4 02 40E20100"),
    (.answerPasskey(scale, nil), "1F00 0000 0700 9A78563412C4 02"),
    (.startDiscovery, "2300 0000 0100 06"),
    (.stopDiscovery, "2400 0000 0100 06"),
    (.listenWithoutPauses, "4C00 0000 0A00 1300 02 6000 1400 02 6000"),
    (.removeMonitors, "5300 0000 0200 0000"),
  ])
  func `is written as the kernel reads it`(command: MgmtCommand, hex: String) {
    let packet = MgmtPacket(code: command.code, controller: 0, parameters: command.parameters)
    #expect(packet.encoded == bytes(hex))
  }

  @Test func `loads keys unchanged`() throws {
    var reader = ByteReader(bytes(Self.longTermKey))
    let key = try LongTermKey(from: &reader)
    #expect(key.peer == Self.scale)
    #expect(key.type == 2)
    #expect(
      MgmtCommand.loadLongTermKeys([key, key]).parameters
        == bytes("0200" + Self.longTermKey + Self.longTermKey))
    reader = ByteReader(bytes(Self.identityKey))
    let identity = try IdentityKey(from: &reader)
    #expect(
      MgmtCommand.loadIdentityKeys([identity]).parameters == bytes("0100" + Self.identityKey))
  }

  @Test func `fills a pattern up to 31 bytes`() {
    let pattern = AdvertisementPattern(type: .serviceData16, offset: 1, value: [0x18])
    #expect(
      MgmtCommand.addMonitor([pattern]).parameters
        == bytes("01 16 01 01 18") + [UInt8](repeating: 0, count: 30))
  }

  @Test func `truncates a long pattern`() {
    let pattern = AdvertisementPattern(
      type: .flags, offset: 0, value: [UInt8](repeating: 7, count: 40))
    #expect(MgmtCommand.addMonitor([pattern]).parameters.count == 1 + 3 + 31)
  }

  /// A monitor accepts 16 patterns (HCI_MAX_ADV_MONITOR_NUM_PATTERNS), each within 31 bytes.
  @Test func `fits the patterns of a monitor`() {
    let patterns = [AdvertisementPattern].nearlyEverything
    #expect((1...16).contains(patterns.count))
    #expect(patterns.allSatisfy { Int($0.offset) + $0.value.count <= 31 && !$0.value.isEmpty })
    #expect(Set(patterns).count == patterns.count)
  }

  @Test func `describes without the key`() throws {
    var reader = ByteReader(bytes(Self.longTermKey))
    let key = try LongTermKey(from: &reader)
    reader = ByteReader(bytes(Self.identityKey))
    let identity = try IdentityKey(from: &reader)
    var dumped = ""
    dump(key, to: &dumped)
    dump(identity, to: &dumped)
    let text = "\(key) \(identity) \(dumped) \(String(reflecting: key))"
    #expect(text.contains("C4:12:34:56:78:9A"))
    #expect(!text.contains("43"))
    #expect(!text.lowercased().contains("2b"))
  }
}
