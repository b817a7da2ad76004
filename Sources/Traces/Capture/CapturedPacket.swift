import GATT
import Radio

/// The direction of a packet, from the recording host's view.
enum PacketDirection: Hashable {
  case sent
  case received
}

/// The type of a packet by its H4 number (Core Specification, Vol 4 Part A §2).
enum PacketType: UInt8 {
  case command = 1
  case acl = 2
  case event = 4
}

/// A packet between a host and one of its adapters.
struct CapturedPacket: Hashable {
  /// The content of a packet.
  enum Content: Hashable {
    /// The adapter was reset, closed or removed, and its links ended.
    case adapterEnded
    /// An event of the controller.
    case event(code: UInt8, parameters: [UInt8])
    /// A part of a message on a link.
    case acl(ACLFragment)
  }

  /// Which of the host's adapters.
  let adapter: UInt16
  /// The direction.
  let direction: PacketDirection
  /// The content.
  let content: Content
}

extension CapturedPacket {
  /// The opcode of the HCI command Reset (Core Specification, Vol 4 Part E §7.3.2).
  private static let resetCommand: UInt16 = 0x0C03

  /// Reads a packet; `nil` for a command that changes no link.
  init?(
    adapter: UInt16, direction: PacketDirection, type: PacketType, bytes: ArraySlice<UInt8>
  ) throws(GATTError) {
    var reader = ByteReader(bytes)
    let content: Content
    switch type {
    case .command:
      guard try reader.u16("command opcode") == Self.resetCommand else { return nil }
      content = .adapterEnded
    case .event:
      let code = try reader.u8("event code")
      let length = Int(try reader.u8("parameter length"))
      content = .event(code: code, parameters: try reader.bytes(length, "event parameters"))
      try reader.finish()
    case .acl:
      content = .acl(try ACLFragment(&reader))
    }
    self.init(adapter: adapter, direction: direction, content: content)
  }
}

// MARK: - Datalinks

/// How a capture wraps its packets, by the format's numbers.
enum Datalink: UInt32 {
  /// Bare packets; their type is in the flags.
  case hci = 1001
  /// A packet type byte before each packet (UART, H4): Android's HCI log.
  case uart = 1002
  /// Linux's monitor format (`btmon -w`): opcode and adapter are in the flags.
  case monitor = 2001
}

extension CapturedPacket {
  /// The record's packet; `nil` for a type that this reader ignores.
  init?(_ record: BtsnoopRecord, of datalink: Datalink) throws(GATTError) {
    try self.init(flags: record.flags, packet: record.packet, of: datalink)
  }

  /// The packet of a datalink, with that one's facts about it; `nil` for a type that is ignored.
  init?(flags: UInt32, packet: [UInt8], of datalink: Datalink) throws(GATTError) {
    // Except for the monitor format there is one adapter, and the first flag is the direction.
    let direction: PacketDirection = flags & 1 == 0 ? .sent : .received
    switch datalink {
    case .hci:
      let type: PacketType =
        flags & 2 == 0 ? .acl : direction == .sent ? .command : .event
      try self.init(adapter: 0, direction: direction, type: type, bytes: packet[...])
    case .uart:
      guard let first = packet.first else {
        throw .truncated(field: "packet type", needed: 1, available: 0)
      }
      guard let type = PacketType(rawValue: first) else { return nil }
      try self.init(
        adapter: 0, direction: direction, type: type, bytes: packet.dropFirst())
    case .monitor:
      let adapter = UInt16(truncatingIfNeeded: flags >> 16)
      let bytes = packet[...]
      switch flags & 0xFFFF {
      // Deleted and closed: the adapter's links are gone without an event for each.
      case 1, 9: self.init(adapter: adapter, direction: .received, content: .adapterEnded)
      case 2: try self.init(adapter: adapter, direction: .sent, type: .command, bytes: bytes)
      case 3: try self.init(adapter: adapter, direction: .received, type: .event, bytes: bytes)
      case 4: try self.init(adapter: adapter, direction: .sent, type: .acl, bytes: bytes)
      case 5: try self.init(adapter: adapter, direction: .received, type: .acl, bytes: bytes)
      default: return nil
      }
    }
  }
}

// MARK: - Events

/// A controller's event that this reader handles.
enum LinkEvent: Hashable {
  /// Advertisements were received.
  case advertised([AdvertisingReport])
  /// A link came up.
  case connected(handle: UInt16, DeviceAddress)
  /// A link went down.
  case disconnected(handle: UInt16)

  /// Reads an event by its code (Vol 4 Part E §7.7); `nil` for any other event, or a failure.
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
    case 0x01, 0x0A, 0x29:  // LE (Enhanced) Connection Complete, which begin identically
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

// MARK: - Data

/// A part of an L2CAP message, as an ACL data packet carries it (Vol 4 Part E §5.4.2).
struct ACLFragment: Hashable {
  /// The link, 12 bits.
  let handle: UInt16
  /// Whether a message starts here; a packet boundary flag of 1 continues one.
  let isStart: Bool
  /// The bytes; `nil` if the recorder cut them short.
  let payload: [UInt8]?

  init(handle: UInt16, isStart: Bool, payload: [UInt8]?) {
    self.handle = handle
    self.isStart = isStart
    self.payload = payload
  }

  /// Reads an ACL data packet.
  init(_ reader: inout ByteReader) throws(GATTError) {
    let header = try reader.u16("connection handle")
    let length = Int(try reader.u16("data length"))
    let bytes = reader.remainder()
    self.init(
      handle: header & 0x0FFF, isStart: header >> 12 & 0b11 != 0b01,
      payload: bytes.count == length ? bytes : nil)
  }
}
