import GATT

/// Which way a packet went, seen from the recording host.
enum PacketDirection: Hashable {
  case sent
  case received
}

/// What a packet is, by its H4 number (Core Specification, Vol 4 Part A §2).
enum PacketType: UInt8 {
  case command = 1
  case acl = 2
  case event = 4
}

/// A packet between a host and one of its adapters.
struct CapturedPacket: Hashable {
  /// What the packet says.
  enum Content: Hashable {
    /// The adapter was reset, closed or taken away, and its links with it.
    case adapterEnded
    /// The controller reported something.
    case event(code: UInt8, parameters: [UInt8])
    /// A part of a message on a link.
    case acl(ACLFragment)
  }

  /// Which of the host's adapters.
  let adapter: UInt16
  /// Which way it went.
  let direction: PacketDirection
  /// What it says.
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
