import GATT
import Radio

extension MgmtEvent {
  /// Reads an event.
  ///
  /// - Throws: ``GATTError`` where the packet is too short for what it says it is. Bytes after the
  ///   last known field are let pass: newer kernels append fields.
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

  /// The events that speak of a device.
  private static func ofDevice(
    _ code: UInt16, _ reader: inout ByteReader
  ) throws(GATTError) -> MgmtEvent {
    switch code {
    case 0x000A:
      let isKept = try reader.u8("store hint") != 0
      return .newLongTermKey(try LongTermKey(from: &reader), isKept: isKept)
    case 0x0018:
      let isKept = try reader.u8("store hint") != 0
      let privateAddress = DeviceAddress(rawValue: try reader.u48("private address"))
      return .newIdentityKey(
        try IdentityKey(from: &reader), privateAddress: privateAddress, isKept: isKept)
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

  /// Whether an event that speaks of a device speaks of one of low energy.
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
    // One that is too short to tell is left to its decoder, which says so.
    return place >= packet.parameters.count || packet.parameters[place] != 0
  }
}

extension FoundDevice {
  /// "Device Found Event": address, RSSI, flags, and the AD structures behind their length.
  init(from reader: inout ByteReader) throws(GATTError) {
    peer = try PeerAddress(from: &reader)
    let rssi = try reader.s8("RSSI")
    // 127 stands for a signal that was not measured.
    self.rssi = rssi == 127 ? nil : Int(rssi)
    let flags = try reader.u32("flags")
    isConnectable = flags & 1 << 2 == 0
    let length = Int(try reader.u16("data length"))
    data = try reader.bytes(length, "data")
  }
}
