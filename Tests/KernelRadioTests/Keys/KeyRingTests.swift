import GATT
import Radio
import TestSupport
import Testing

@testable import KernelRadio

/// Keys that the tests of keys share.
enum SampleKeys {
  static let controller = DeviceAddress(rawValue: 0x001B_DC00_0001)
  static let stick = DeviceAddress(rawValue: 0x001B_DC00_0002)

  static func longTermKey(
    of device: UInt64, type: UInt8 = 2, isCentral: Bool = false, value: UInt8 = 7
  ) throws -> LongTermKey {
    var writer = ByteWriter()
    PeerAddress(DeviceAddress(rawValue: device), .random).write(to: &writer)
    writer.append([type, isCentral ? 1 : 0, 16])
    writer.append([UInt8](repeating: 0, count: 10) + [UInt8](repeating: value, count: 16))
    var reader = ByteReader(writer.bytes)
    return try LongTermKey(from: &reader)
  }

  static func identityKey(of device: UInt64, value: UInt8 = 9) throws -> IdentityKey {
    var writer = ByteWriter()
    PeerAddress(DeviceAddress(rawValue: device), .random).write(to: &writer)
    writer.append([UInt8](repeating: value, count: 16))
    var reader = ByteReader(writer.bytes)
    return try IdentityKey(from: &reader)
  }

  /// Two bonds, the second with two controllers, and a name.
  static func ring() throws -> KeyRing {
    var ring = KeyRing()
    _ = ring.store(try longTermKey(of: 1), of: controller)
    _ = ring.store(try identityKey(of: 1), of: controller)
    _ = ring.store(try longTermKey(of: 2, type: 0, isCentral: true), of: controller)
    _ = ring.store(try longTermKey(of: 2, type: 0, isCentral: false), of: controller)
    _ = ring.store(try longTermKey(of: 2, value: 8), of: stick)
    ring.name(DeviceAddress(rawValue: 2), "Küchenwaage")
    return ring
  }
}

@Suite struct KeyRingTests {
  var ring = KeyRing()
  let controller = SampleKeys.controller

  /// Macros cannot take what changes a value.
  func check(_ isRight: Bool, _ location: SourceLocation = #_sourceLocation) {
    #expect(isRight, sourceLocation: location)
  }

  @Test mutating func replacesAKeyOfTheSameDirectionOnly() throws {
    let old = try SampleKeys.longTermKey(of: 1, type: 0, isCentral: true, value: 1)
    let back = try SampleKeys.longTermKey(of: 1, type: 0, isCentral: false, value: 2)
    let new = try SampleKeys.longTermKey(of: 1, type: 1, isCentral: true, value: 3)
    for key in [old, back, new] { check(ring.store(key, of: controller)) }
    #expect(ring.longTermKeys(of: controller) == [back, new])
  }

  @Test mutating func replacesBothDirectionsByAKeyOfSecureConnections() throws {
    for isCentral in [true, false] {
      let key = try SampleKeys.longTermKey(of: 1, type: 0, isCentral: isCentral)
      check(ring.store(key, of: controller))
    }
    let key = try SampleKeys.longTermKey(of: 1, type: 3)
    check(ring.store(key, of: controller))
    #expect(ring.longTermKeys(of: controller) == [key])
  }

  @Test func keepsTheKeysOfControllersApart() throws {
    let ring = try SampleKeys.ring()
    #expect(ring.longTermKeys(of: controller).count == 3)
    #expect(
      ring.longTermKeys(of: SampleKeys.stick)
        == [try SampleKeys.longTermKey(of: 2, value: 8)])
    #expect(ring.identityKeys(of: SampleKeys.stick).isEmpty)
    let peer = PeerAddress(DeviceAddress(rawValue: 2), .random)
    #expect(
      ring.bonds(with: peer.address) == [
        KeyRing.Bond(controller: controller, peer: peer),
        KeyRing.Bond(controller: SampleKeys.stick, peer: peer),
      ])
  }

  @Test func listsBondsByAddressWithTheirNames() throws {
    #expect(
      try SampleKeys.ring().bonds == [
        BondedDevice(address: DeviceAddress(rawValue: 1)),
        BondedDevice(address: DeviceAddress(rawValue: 2), name: "Küchenwaage"),
      ])
  }

  @Test mutating func forgetsADeviceWithAllItsControllers() throws {
    ring = try SampleKeys.ring()
    check(ring.forget(DeviceAddress(rawValue: 2)))
    #expect(ring.bonds.map(\.address.rawValue) == [1])
    #expect(ring.names.isEmpty)
    #expect(ring.longTermKeys(of: SampleKeys.stick).isEmpty)
    check(!ring.forget(DeviceAddress(rawValue: 2)))
  }

  @Test mutating func namesOnlyDevicesThatItKnowsAndInOneLine() throws {
    let device = DeviceAddress(rawValue: 1)
    ring.name(device, "Waage")
    #expect(ring.names.isEmpty)
    _ = ring.store(try SampleKeys.longTermKey(of: 1), of: controller)
    ring.name(device, "a\nb\u{0}c")
    #expect(ring.names == [device: "a b c"])
    ring.name(device, String(repeating: "x", count: 500))
    #expect(ring.names[device]?.count == 248)
  }

  @Test mutating func isBounded() throws {
    for device in 1...UInt64(KeyRing.capacity) {
      check(ring.store(try SampleKeys.longTermKey(of: device), of: controller))
    }
    check(!ring.store(try SampleKeys.longTermKey(of: 1000), of: controller))
    check(!ring.store(try SampleKeys.identityKey(of: 1000), of: controller))
    // A device that is known may renew its keys.
    check(ring.store(try SampleKeys.longTermKey(of: 5, value: 99), of: controller))
    check(ring.store(try SampleKeys.identityKey(of: 5), of: controller))
    #expect(ring.bonds.count == KeyRing.capacity)
    #expect(ring.text.utf8.count <= KeyRing.maximumFileLength)
  }
}
