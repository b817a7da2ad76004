extension ATTPDU {
  /// Reads a whole PDU.
  ///
  /// - Throws: ``GATTError`` where it is cut off, or where a length in it cannot be right.
  package init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    var reader = ByteReader(bytes)
    let opcode = ATTOpcode(rawValue: try reader.u8("opcode"))
    self = try reader.parameters(of: opcode)
  }
}

extension ByteReader {
  /// Reads what follows an opcode.
  fileprivate mutating func parameters(of opcode: ATTOpcode) throws(GATTError) -> ATTPDU {
    switch opcode.rawValue {
    case 0x01:
      let request = ATTOpcode(rawValue: try u8("request opcode"))
      let handle = try u16("attribute handle")
      let code = ATTErrorCode(rawValue: try u8("error code"))
      return .error(request: request, handle: handle, code: code)
    case 0x02: return .mtuRequest(try u16("client MTU"))
    case 0x03: return .mtuResponse(try u16("server MTU"))
    case 0x04:
      let (first, last) = try handles()
      return .findInformation(first: first, last: last)
    case 0x05: return .findInformationResponse(try attributeKinds())
    case 0x08:
      let (first, last) = try handles()
      return .readByType(first: first, last: last, type: try lastUUID("attribute type"))
    case 0x09: return .readByTypeResponse(try items())
    case 0x0A: return .read(handle: try u16("attribute handle"))
    case 0x0B: return .readResponse(remainder())
    case 0x0C:
      let handle = try u16("attribute handle")
      return .readBlob(handle: handle, offset: try u16("value offset"))
    case 0x0D: return .readBlobResponse(remainder())
    case 0x10:
      let (first, last) = try handles()
      return .readByGroupType(first: first, last: last, type: try lastUUID("attribute group type"))
    case 0x11: return .readByGroupTypeResponse(try items())
    case 0x12: return .write(try handleValue())
    case 0x13: return .writeResponse
    case 0x16:
      let (part, offset) = try preparedPart()
      return .prepareWrite(part, offset: offset)
    case 0x17:
      let (part, offset) = try preparedPart()
      return .prepareWriteResponse(part, offset: offset)
    case 0x18: return .executeWrite(isCommitted: try u8("flags") == 1)
    case 0x19: return .executeWriteResponse
    case 0x1B: return .notification(try handleValue())
    case 0x1D: return .indication(try handleValue())
    case 0x1E: return .confirmation
    case 0x23: return .notifications(try handleValues())
    case 0x52: return .writeCommand(try handleValue())
    default: return .other(opcode, remainder())
    }
  }

  private mutating func handles() throws(GATTError) -> (first: UInt16, last: UInt16) {
    let first = try u16("starting handle")
    return (first, try u16("ending handle"))
  }

  private mutating func handleValue() throws(GATTError) -> HandleValue {
    HandleValue(handle: try u16("attribute handle"), data: remainder())
  }

  private mutating func preparedPart() throws(GATTError) -> (HandleValue, offset: UInt16) {
    let handle = try u16("attribute handle")
    let offset = try u16("value offset")
    return (HandleValue(handle: handle, data: remainder()), offset)
  }

  /// Reads a UUID of 2 or 16 bytes that is all that is left.
  package mutating func lastUUID(_ field: String) throws(GATTError) -> BluetoothUUID {
    guard remaining == 2 || remaining == 16 else {
      throw .invalid(field: field, reason: "it has \(remaining) bytes, and a UUID has 2 or 16")
    }
    return try uuid(field, width: remaining)
  }

  /// Reads a list of items of one length, which stands before them; there is at least one.
  private mutating func items() throws(GATTError) -> [[UInt8]] {
    let length = Int(try u8("item length"))
    guard length > 0 else { throw .invalid(field: "item length", reason: "it is zero") }
    var items: [[UInt8]] = []
    repeat { items.append(try bytes(length, "item")) } while !isAtEnd
    return items
  }

  /// Reads handles with their UUIDs, at least one, all of them of one of two lengths.
  private mutating func attributeKinds() throws(GATTError) -> [AttributeKind] {
    let format = try u8("format")
    guard format == 1 || format == 2 else {
      throw .invalid(field: "format", reason: "it is \(format), and 1 or 2 is possible")
    }
    var kinds: [AttributeKind] = []
    repeat {
      let handle = try u16("attribute handle")
      let uuid = try uuid("attribute type", width: format == 1 ? 2 : 16)
      kinds.append(AttributeKind(handle: handle, uuid: uuid))
    } while !isAtEnd
    return kinds
  }

  /// Reads the values of a Multiple Handle Value Notification.
  private mutating func handleValues() throws(GATTError) -> [HandleValue] {
    var values: [HandleValue] = []
    while !isAtEnd {
      let handle = try u16("attribute handle")
      let length = Int(try u16("value length"))
      values.append(HandleValue(handle: handle, data: try bytes(length, "attribute value")))
    }
    return values
  }
}
