import GATT
import Radio

/// A controller's supported or current settings.
///
/// Source: BlueZ doc/mgmt-api, "Read Controller Information Command".
struct MgmtSettings: OptionSet, Hashable, Sendable {
  var rawValue: UInt32

  static let powered = MgmtSettings(rawValue: 1 << 0)
  static let connectable = MgmtSettings(rawValue: 1 << 1)
  static let discoverable = MgmtSettings(rawValue: 1 << 3)
  static let bondable = MgmtSettings(rawValue: 1 << 4)
  static let secureSimplePairing = MgmtSettings(rawValue: 1 << 6)
  static let classic = MgmtSettings(rawValue: 1 << 7)
  static let lowEnergy = MgmtSettings(rawValue: 1 << 9)
  static let secureConnections = MgmtSettings(rawValue: 1 << 11)
  static let privacy = MgmtSettings(rawValue: 1 << 13)
}

/// A controller's properties (doc/mgmt-api, "Read Controller Information Command").
struct ControllerInformation: Hashable, Sendable {
  /// Its own address; `nil` if it has none yet.
  var address: DeviceAddress?
  /// The supported settings.
  var supported: MgmtSettings
  /// The settings that are switched on.
  var current: MgmtSettings

  /// Decodes the answer to the command; the name and class at its end are not used.
  ///
  /// - Throws: ``GATTError`` if it is too short.
  init(_ parameters: [UInt8]) throws(GATTError) {
    var reader = ByteReader(parameters)
    let address = DeviceAddress(rawValue: try reader.u48("address"))
    self.address = address.rawValue == 0 ? nil : address
    _ = try reader.bytes(3, "version and manufacturer")
    supported = MgmtSettings(rawValue: try reader.u32("supported settings"))
    current = MgmtSettings(rawValue: try reader.u32("current settings"))
  }
}

/// The address and address type of a low-energy device, by which the kernel connects, pairs and
/// encrypts.
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

  /// Decodes seven bytes.
  ///
  /// - Throws: ``GATTError`` if they are truncated, or the device uses classic Bluetooth.
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
