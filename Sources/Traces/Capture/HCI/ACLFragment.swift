import GATT

/// A part of an L2CAP message, as an ACL data packet carries it (Vol 4 Part E §5.4.2).
struct ACLFragment: Hashable {
  /// The link, 12 bits.
  let handle: UInt16
  /// Whether a message begins here; a packet boundary flag of 1 continues one.
  let isStart: Bool
  /// The bytes; `nil` where the recorder kept only some of them.
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
