import GATT
import Radio

/// An event of the kernel's management channel, limited to those used here.
///
/// Source: BlueZ doc/mgmt-api, the section of the event's name.
enum MgmtEvent: Hashable, Sendable {
  /// "Command Complete Event" and "Command Status Event": the answer to a command.
  case answer(command: UInt16, status: MgmtStatus, parameters: [UInt8])
  /// "Index Added Event": a controller appeared.
  case controllerAdded
  /// "Index Removed Event": a controller was removed.
  case controllerRemoved
  /// "New Settings Event".
  case newSettings(MgmtSettings)
  /// "New Long Term Key Event"; `isStored` is the store hint: whether it may outlive the link.
  case newLongTermKey(LongTermKey, isStored: Bool)
  /// "New Identity Resolving Key Event", and the private address that led to it.
  case newIdentityKey(IdentityKey, privateAddress: DeviceAddress, isStored: Bool)
  /// "User Confirmation Request Event": whether the device shows `passkey` too; if `needsPerson` is
  /// false, only consent is requested.
  case confirmationRequest(PeerAddress, passkey: UInt32, needsPerson: Bool)
  /// "User Passkey Request Event": the six digits that the device shows.
  case passkeyRequest(PeerAddress)
  /// "Passkey Notify Event": the six digits to enter on the device, and how many were entered.
  case passkeyNotice(PeerAddress, passkey: UInt32, entered: UInt8)
  /// "Authentication Failed Event".
  case authenticationFailed(PeerAddress)
  /// "Device Found Event" and "Advertisement Monitor Device Found Event".
  case deviceFound(FoundDevice)
  /// "Discovering Event": whether discovery runs.
  case discovering(Bool)
  /// "Advertisement Monitor Removed Event", by handle.
  case monitorRemoved(handle: UInt16)
  /// An event that is not used here, or that concerns classic Bluetooth.
  case other(UInt16)
}

/// An advertisement as the kernel reports it.
struct FoundDevice: Hashable, Sendable {
  /// The advertiser; its identity address if its key is known.
  var peer: PeerAddress
  /// Received signal strength in dBm; `nil` if the controller did not measure it.
  var rssi: Int?
  /// Whether it accepts connections.
  var isConnectable: Bool
  /// The AD structures; for a discovery, those of the advertisement, then of the scan response.
  var data: [UInt8]
}

extension MgmtEvent {
  /// Reads an event.
  ///
  /// - Throws: ``GATTError`` if the packet is too short for its event. Bytes after the last known
  ///   field are ignored: newer kernels append fields.
  init(_ packet: MgmtPacket) throws(GATTError) {
    var reader = ByteReader(packet.parameters)
    switch packet.code {
    case 0x0001, 0x0002:
      self = .answer(
        command: try reader.u16("command"), status: MgmtStatus(rawValue: try reader.u8("status")),
        parameters: reader.remainder())
    case 0x0004: self = .controllerAdded
    case 0x0005: self = .controllerRemoved
    case 0x0006: self = .newSettings(MgmtSettings(rawValue: try reader.u32("settings")))
    case 0x002C: self = .monitorRemoved(handle: try reader.u16("monitor"))
    case 0x0013:
      _ = try reader.u8("address types")
      self = .discovering(try reader.u8("discovering") != 0)
    default:
      guard Self.isOfLowEnergyDevice(packet) else {
        self = .other(packet.code)
        return
      }
      self = try Self.ofDevice(packet.code, &reader)
    }
  }

  /// The events about a device.
  private static func ofDevice(
    _ code: UInt16, _ reader: inout ByteReader
  ) throws(GATTError) -> MgmtEvent {
    switch code {
    case 0x000A:
      let isStored = try reader.u8("store hint") != 0
      return .newLongTermKey(try LongTermKey(from: &reader), isStored: isStored)
    case 0x0018:
      let isStored = try reader.u8("store hint") != 0
      let privateAddress = DeviceAddress(rawValue: try reader.u48("private address"))
      return .newIdentityKey(
        try IdentityKey(from: &reader), privateAddress: privateAddress, isStored: isStored)
    case 0x000F:
      let peer = try PeerAddress(from: &reader)
      let hint = try reader.u8("confirm hint")
      return .confirmationRequest(
        peer, passkey: try reader.u32("value"), needsPerson: hint == 0)
    case 0x0010:
      return .passkeyRequest(try PeerAddress(from: &reader))
    case 0x0017:
      return .passkeyNotice(
        try PeerAddress(from: &reader), passkey: try reader.u32("passkey"),
        entered: try reader.u8("entered"))
    case 0x0011:
      return .authenticationFailed(try PeerAddress(from: &reader))
    case 0x002F:
      _ = try reader.u16("monitor")
      return .deviceFound(try FoundDevice(from: &reader))
    case 0x0012:
      return .deviceFound(try FoundDevice(from: &reader))
    default:
      return .other(code)
    }
  }

  /// Whether an event about a device concerns Low Energy.
  private static func isOfLowEnergyDevice(_ packet: MgmtPacket) -> Bool {
    let place: Int? =
      switch packet.code {
      case 0x000F, 0x0010, 0x0011, 0x0012, 0x0017: 6
      case 0x000A: 7
      case 0x002F: 8
      case 0x0018: 13
      default: nil
      }
    guard let place else { return false }
    // A packet that is too short is left to the event's decoder, which throws.
    return place >= packet.parameters.count || packet.parameters[place] != 0
  }
}

extension FoundDevice {
  /// "Device Found Event": address, RSSI, flags, and the AD structures behind their length.
  init(from reader: inout ByteReader) throws(GATTError) {
    peer = try PeerAddress(from: &reader)
    let rssi = try reader.s8("RSSI")
    // 127 means not measured.
    self.rssi = rssi == 127 ? nil : Int(rssi)
    let flags = try reader.u32("flags")
    isConnectable = flags & 1 << 2 == 0
    let length = Int(try reader.u16("data length"))
    data = try reader.bytes(length, "data")
  }
}
