import GATT
import Radio

/// The key by which a bonded device is known behind its private addresses.
///
/// Its value is in no description. Source: BlueZ doc/mgmt-api, "Load Identity Resolving Keys
/// Command": 23 bytes.
struct IdentityKey: Hashable, Sendable {
  /// How many bytes the key itself has.
  static let length = 16

  /// The address that stays.
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
