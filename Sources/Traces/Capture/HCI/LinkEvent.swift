import GATT
import Radio

/// What a controller's event says that this reader acts on.
enum LinkEvent: Hashable {
  /// Somebody advertised.
  case advertised([AdvertisingReport])
  /// A link came up.
  case connected(handle: UInt16, DeviceAddress)
  /// A link went down.
  case disconnected(handle: UInt16)

  /// Reads an event by its code (Vol 4 Part E §7.7); `nil` for one that reports something else,
  /// or a failure.
  init?(code: UInt8, parameters: [UInt8]) throws(GATTError) {
    var reader = ByteReader(parameters)
    switch code {
    case 0x05:  // Disconnection Complete
      guard try reader.u8("status") == 0 else { return nil }
      self = .disconnected(handle: try reader.u16("connection handle") & 0x0FFF)
      _ = try reader.u8("reason")
    case 0x3E:  // LE Meta event
      try self.init(lowEnergy: &reader)
    default:
      return nil
    }
  }

  private init?(lowEnergy reader: inout ByteReader) throws(GATTError) {
    switch try reader.u8("subevent code") {
    case 0x01, 0x0A, 0x29:  // LE (Enhanced) Connection Complete, which begin alike
      guard try reader.u8("status") == 0 else { return nil }
      let handle = try reader.u16("connection handle") & 0x0FFF
      _ = try reader.bytes(2, "role and address type")
      self = .connected(handle: handle, DeviceAddress(rawValue: try reader.u48("peer address")))
    case 0x02: self = .advertised(try AdvertisingReport.legacy(&reader))
    case 0x0D: self = .advertised(try AdvertisingReport.extended(&reader))
    default: return nil
    }
  }
}
