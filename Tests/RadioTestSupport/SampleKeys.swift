import GATT
@testable package import KernelRadio
package import Radio

/// Keys of bonded devices.
package enum SampleKeys {
  package static let controller = DeviceAddress(rawValue: 0x001B_DC00_0001)
  package static let stick = DeviceAddress(rawValue: 0x001B_DC00_0002)

  package static func longTermKey(
    of device: UInt64, type: UInt8 = 2, isCentral: Bool = false, value: UInt8 = 7
  ) throws -> LongTermKey {
    var writer = ByteWriter()
    PeerAddress(DeviceAddress(rawValue: device), .random).write(to: &writer)
    writer.append([type, isCentral ? 1 : 0, 16])
    writer.append([UInt8](repeating: 0, count: 10) + [UInt8](repeating: value, count: 16))
    var reader = ByteReader(writer.bytes)
    return try LongTermKey(from: &reader)
  }

  package static func identityKey(of device: UInt64, value: UInt8 = 9) throws -> IdentityKey {
    var writer = ByteWriter()
    PeerAddress(DeviceAddress(rawValue: device), .random).write(to: &writer)
    writer.append([UInt8](repeating: value, count: 16))
    var reader = ByteReader(writer.bytes)
    return try IdentityKey(from: &reader)
  }

  /// Two bonds, the second with two controllers, and a name.
  package static func ring() throws -> KeyRing {
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
