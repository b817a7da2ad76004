import GATT
import Radio

/// The key that encrypts the link to a bonded device.
///
/// No description contains its value, which must not reach a log. Source: BlueZ doc/mgmt-api, "Load
/// Long Term Keys Command": 36 bytes.
struct LongTermKey: Hashable, Sendable {
  /// The length of the key itself in bytes.
  static let length = 16

  /// The peer; its identity address if it uses private addresses.
  var peer: PeerAddress
  /// How it was made: 0 unauthenticated, 1 authenticated, 2 and 3 the same with secure connections,
  /// 4 a debug key.
  var type: UInt8
  /// Whether it is for links with this machine as central.
  var isCentral: Bool
  /// The number of significant bytes, 7…16.
  var size: UInt8
  /// The key's identifier on the device (EDIV); zero with secure connections.
  var diversifier: UInt16
  /// The key's identifier on the device (Rand); zero with secure connections.
  var random: UInt64
  /// The key.
  var value: [UInt8]

  init(from reader: inout ByteReader) throws(GATTError) {
    peer = try PeerAddress(from: &reader)
    type = try reader.u8("key type")
    isCentral = try reader.u8("central") != 0
    size = try reader.u8("key size")
    guard (7...16).contains(size) else {
      throw .invalid(field: "key size", reason: "it is \(size), and 7 to 16 bytes are possible")
    }
    diversifier = try reader.u16("EDIV")
    random = try reader.u64("Rand")
    value = try reader.bytes(Self.length, "key")
  }

  func write(to writer: inout ByteWriter) {
    peer.write(to: &writer)
    writer.u8(type)
    writer.u8(isCentral ? 1 : 0)
    writer.u8(size)
    writer.u16(diversifier)
    writer.unsigned(random, width: 8)
    writer.append(value)
  }

  /// Whether this key replaces another: same device, same direction.
  ///
  /// A key of secure connections is for both directions.
  func replaces(_ other: LongTermKey) -> Bool {
    peer == other.peer && (isSecureConnections || isCentral == other.isCentral)
  }

  private var isSecureConnections: Bool { type >= 2 }
}

extension LongTermKey: CustomStringConvertible, CustomReflectable {
  var description: String { "the key of \(peer.address)" }

  var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The key that resolves a bonded device's private addresses.
///
/// No description contains its value. Source: BlueZ doc/mgmt-api, "Load Identity Resolving Keys
/// Command": 23 bytes.
struct IdentityKey: Hashable, Sendable {
  /// The length of the key itself in bytes.
  static let length = 16

  /// The identity address.
  var peer: PeerAddress
  /// The key.
  var value: [UInt8]

  init(from reader: inout ByteReader) throws(GATTError) {
    peer = try PeerAddress(from: &reader)
    value = try reader.bytes(Self.length, "key")
  }

  func write(to writer: inout ByteWriter) {
    peer.write(to: &writer)
    writer.append(value)
  }
}

extension IdentityKey: CustomStringConvertible, CustomReflectable {
  var description: String { "the identity key of \(peer.address)" }

  var customMirror: Mirror { Mirror(self, children: [:]) }
}
