import GATT

/// How a capture wraps its packets, by the numbers of the format.
enum Datalink: UInt32 {
  /// Packets bare; the flags say what they are.
  case hci = 1001
  /// A packet type byte before each packet (UART, H4): Android's HCI log.
  case uart = 1002
  /// Linux' monitor format: what and where from is in the flags, `btmon -w`.
  case monitor = 2001
}

extension CapturedPacket {
  /// What the record holds; `nil` for packets that this reader has no use for.
  init?(_ record: BtsnoopRecord, of datalink: Datalink) throws(GATTError) {
    // Everything but the monitor format counts one adapter, and its flags begin with the direction.
    let direction: PacketDirection = record.flags & 1 == 0 ? .sent : .received
    switch datalink {
    case .hci:
      let type: PacketType =
        record.flags & 2 == 0 ? .acl : direction == .sent ? .command : .event
      try self.init(adapter: 0, direction: direction, type: type, bytes: record.packet[...])
    case .uart:
      guard let first = record.packet.first else {
        throw .truncated(field: "packet type", needed: 1, available: 0)
      }
      guard let type = PacketType(rawValue: first) else { return nil }
      try self.init(
        adapter: 0, direction: direction, type: type, bytes: record.packet.dropFirst())
    case .monitor:
      let adapter = UInt16(truncatingIfNeeded: record.flags >> 16)
      let bytes = record.packet[...]
      switch record.flags & 0xFFFF {
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
