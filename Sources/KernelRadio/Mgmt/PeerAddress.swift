import GATT
import Radio

/// The address of a low-energy device together with how it was come by: what the kernel wants to
/// know of whom it shall connect, pair or encrypt.
///
/// Six bytes, least significant first, and a type: 1 public, 2 random. Source: BlueZ doc/mgmt-api,
/// "Address Types".
struct PeerAddress: Hashable, Sendable {
  var address: DeviceAddress
  var type: AddressType

  init(_ address: DeviceAddress, _ type: AddressType) {
    self.address = address
    self.type = type
  }

  /// Reads seven bytes.
  ///
  /// - Throws: ``GATTError`` where they are cut, or the device is one of classic Bluetooth.
  init(from reader: inout ByteReader) throws(GATTError) {
    address = DeviceAddress(rawValue: try reader.u48("address"))
    switch try reader.u8("address type") {
    case 1: type = .public
    case 2: type = .random
    case let code:
      throw .invalid(field: "address type", reason: "\(code) is none of low energy")
    }
  }

  func write(to writer: inout ByteWriter) {
    writer.unsigned(address.rawValue, width: 6)
    writer.u8(type == .public ? 1 : 2)
  }
}
