import GATT

/// A protocol data unit of the attribute protocol (Core Specification, Vol 3 Part F §3.4).
enum ATTPDU: Hashable {
  /// The answer to a request that failed.
  case error(request: UInt8, code: UInt8)
  case mtuRequest(UInt16)
  case mtuResponse(UInt16)
  /// All attributes of a type: asked with 0x2803, the characteristics.
  case readByType(BluetoothUUID)
  case readByTypeResponse([[UInt8]])
  /// All groups of a type: asked with 0x2800, the services.
  case readByGroupType(BluetoothUUID)
  case readByGroupTypeResponse([[UInt8]])
  /// A value, from an offset on: Read Request (offset 0) and Read Blob Request.
  case read(handle: UInt16, offset: UInt16)
  case readResponse([UInt8])
  case write(handle: UInt16)
  case writeResponse
  /// A write that is not answered.
  case writeCommand(handle: UInt16)
  /// One or several values that were not asked for: notifications and indications.
  case values([HandleValue])
  /// A request whose answer says nothing about a characteristic's value.
  case otherRequest
  /// The answer to such a request.
  case otherResponse
  /// What neither asks nor answers: confirmations, signed writes.
  case other
}

/// A value, by the handle of its attribute.
struct HandleValue: Hashable {
  let handle: UInt16
  let data: [UInt8]
}

extension ATTPDU {
  /// Reads a whole PDU.
  init(_ bytes: [UInt8]) throws(GATTError) {
    var reader = ByteReader(bytes)
    let opcode = try reader.u8("opcode")
    switch opcode {
    case 0x01:
      let request = try reader.u8("request opcode")
      _ = try reader.u16("attribute handle")
      self = .error(request: request, code: try reader.u8("error code"))
    case 0x02: self = .mtuRequest(try reader.u16("client MTU"))
    case 0x03: self = .mtuResponse(try reader.u16("server MTU"))
    case 0x08:
      _ = try reader.bytes(4, "handle range")
      self = .readByType(try reader.lastUUID("attribute type"))
    case 0x09: self = .readByTypeResponse(try reader.items())
    case 0x0A: self = .read(handle: try reader.u16("attribute handle"), offset: 0)
    case 0x0C:
      let handle = try reader.u16("attribute handle")
      self = .read(handle: handle, offset: try reader.u16("value offset"))
    case 0x0B, 0x0D: self = .readResponse(reader.remainder())
    case 0x10:
      _ = try reader.bytes(4, "handle range")
      self = .readByGroupType(try reader.lastUUID("attribute group type"))
    case 0x11: self = .readByGroupTypeResponse(try reader.items())
    case 0x12: self = .write(handle: try reader.u16("attribute handle"))
    case 0x13: self = .writeResponse
    case 0x52: self = .writeCommand(handle: try reader.u16("attribute handle"))
    case 0x1B, 0x1D:
      let handle = try reader.u16("attribute handle")
      self = .values([HandleValue(handle: handle, data: reader.remainder())])
    case 0x23: self = .values(try reader.handleValues())
    case 0x04, 0x06, 0x0E, 0x16, 0x18, 0x20: self = .otherRequest
    case 0x05, 0x07, 0x0F, 0x17, 0x19, 0x21: self = .otherResponse
    default: self = .other
    }
  }
}

extension ByteReader {
  /// Reads a UUID of 2 or 16 bytes that is all that is left.
  mutating func lastUUID(_ field: String) throws(GATTError) -> BluetoothUUID {
    switch remaining {
    case 2: return BluetoothUUID(try u16(field))
    case 16:
      let low = try u64(field)
      return BluetoothUUID(high: try u64(field), low: low)
    default:
      throw .invalid(field: field, reason: "it has \(remaining) bytes, and a UUID has 2 or 16")
    }
  }

  /// Reads a list of items of one length, which stands before them.
  fileprivate mutating func items() throws(GATTError) -> [[UInt8]] {
    let length = Int(try u8("item length"))
    guard length > 0 else { throw .invalid(field: "item length", reason: "it is zero") }
    var items: [[UInt8]] = []
    while !isAtEnd { items.append(try bytes(length, "item")) }
    return items
  }

  /// Reads the values of a Multiple Handle Value Notification.
  fileprivate mutating func handleValues() throws(GATTError) -> [HandleValue] {
    var values: [HandleValue] = []
    while !isAtEnd {
      let handle = try u16("attribute handle")
      let length = Int(try u16("value length"))
      values.append(HandleValue(handle: handle, data: try bytes(length, "attribute value")))
    }
    return values
  }
}
