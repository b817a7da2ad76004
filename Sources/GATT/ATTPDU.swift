/// A protocol data unit of the attribute protocol (Core Specification, Vol 3 Part F §3.4).
package enum ATTPDU: Hashable, Sendable {
  /// The response to a failed request.
  case error(request: ATTOpcode, handle: UInt16, code: ATTErrorCode)
  case mtuRequest(UInt16)
  case mtuResponse(UInt16)
  case findInformation(first: UInt16, last: UInt16)
  case findInformationResponse([AttributeKind])
  /// All attributes of a type; for 0x2803, the characteristics.
  case readByType(first: UInt16, last: UInt16, type: BluetoothUUID)
  /// Items of one length, each beginning with its handle.
  case readByTypeResponse([[UInt8]])
  case read(handle: UInt16)
  case readResponse([UInt8])
  /// A value from an offset to its end.
  case readBlob(handle: UInt16, offset: UInt16)
  case readBlobResponse([UInt8])
  /// All groups of a type; for 0x2800, the services.
  case readByGroupType(first: UInt16, last: UInt16, type: BluetoothUUID)
  /// Items of one length, each beginning with its first and its last handle.
  case readByGroupTypeResponse([[UInt8]])
  case write(HandleValue)
  case writeResponse
  /// A write without a response.
  case writeCommand(HandleValue)
  /// A part of a long value, queued by the server until an execute write.
  case prepareWrite(HandleValue, offset: UInt16)
  /// The part as the server received it.
  case prepareWriteResponse(HandleValue, offset: UInt16)
  /// Writes or discards the queued parts.
  case executeWrite(isCommitted: Bool)
  case executeWriteResponse
  case notification(HandleValue)
  /// Several values at once (opcode 0x23).
  case notifications([HandleValue])
  case indication(HandleValue)
  case confirmation
  /// Any other PDU: known ones that are not used here, and unknown ones.
  case other(ATTOpcode, [UInt8])
}

/// A value with the handle of its attribute.
package struct HandleValue: Hashable, Sendable {
  package let handle: UInt16
  package let data: [UInt8]

  /// Makes a value.
  package init(handle: UInt16, data: [UInt8]) {
    self.handle = handle
    self.data = data
  }
}

/// The type of the attribute with a handle.
package struct AttributeKind: Hashable, Sendable {
  package let handle: UInt16
  package let uuid: BluetoothUUID

  /// Makes an entry.
  package init(handle: UInt16, uuid: BluetoothUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}

extension ATTPDU {
  /// The first byte.
  package var opcode: ATTOpcode {
    let code: UInt8 =
      switch self {
      case .error: 0x01
      case .mtuRequest: 0x02
      case .mtuResponse: 0x03
      case .findInformation: 0x04
      case .findInformationResponse: 0x05
      case .readByType: 0x08
      case .readByTypeResponse: 0x09
      case .read: 0x0A
      case .readResponse: 0x0B
      case .readBlob: 0x0C
      case .readBlobResponse: 0x0D
      case .readByGroupType: 0x10
      case .readByGroupTypeResponse: 0x11
      case .write: 0x12
      case .writeResponse: 0x13
      case .prepareWrite: 0x16
      case .prepareWriteResponse: 0x17
      case .executeWrite: 0x18
      case .executeWriteResponse: 0x19
      case .notification: 0x1B
      case .indication: 0x1D
      case .confirmation: 0x1E
      case .notifications: 0x23
      case .writeCommand: 0x52
      case .other(let opcode, _): opcode.rawValue
      }
    return ATTOpcode(rawValue: code)
  }
}

// MARK: - Opcode

/// The first byte of a protocol data unit (Core Specification, Vol 3 Part F §3.4.8).
package struct ATTOpcode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The type of a PDU (Vol 3 Part F §3.3).
  package enum Kind: Hashable, Sendable {
    /// Requires a response; one request is outstanding at a time.
    case request
    /// The response to a request.
    case response
    /// Requires no response.
    case command
    /// Values that the server sends on its own, without confirmation.
    case notification
    /// A value that the server sends on its own and the client confirms.
    case indication
    /// The confirmation of an indication.
    case confirmation
    /// Not of this protocol.
    case unknown
  }

  /// The type of the PDU; bit 6 marks a command, known or not.
  package var kind: Kind {
    switch rawValue {
    case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20: .request
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: .response
    case 0x1B, 0x23: .notification
    case 0x1D: .indication
    case 0x1E: .confirmation
    case _ where rawValue & 0x40 != 0: .command
    default: .unknown
    }
  }

  /// The opcode of this request's response, other than an error.
  package var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }
}

// MARK: - Reading

extension ATTPDU {
  /// Reads a whole PDU.
  ///
  /// - Throws: ``GATTError`` if it is truncated or a length in it is invalid.
  package init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    var reader = ByteReader(bytes)
    let opcode = ATTOpcode(rawValue: try reader.u8("opcode"))
    self = try reader.parameters(of: opcode)
  }
}

extension ByteReader {
  /// Reads the parameters after an opcode.
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

  /// Reads the remaining bytes as a UUID of 2 or 16 bytes.
  package mutating func lastUUID(_ field: String) throws(GATTError) -> BluetoothUUID {
    guard remaining == 2 || remaining == 16 else {
      throw .invalid(field: field, reason: "it has \(remaining) bytes, and a UUID has 2 or 16")
    }
    return try uuid(field, width: remaining)
  }

  /// Reads a length and at least one item of that length.
  private mutating func items() throws(GATTError) -> [[UInt8]] {
    let length = Int(try u8("item length"))
    guard length > 0 else { throw .invalid(field: "item length", reason: "it is zero") }
    var items: [[UInt8]] = []
    repeat { items.append(try bytes(length, "item")) } while !isAtEnd
    return items
  }

  /// Reads at least one handle with its UUID; all UUIDs have the same length, 2 or 16 bytes.
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

// MARK: - Writing

extension ATTPDU {
  /// The encoded PDU.
  ///
  /// The caller ensures the limits: items have one length of at most 255 bytes, values fit the MTU.
  /// A 32-bit UUID is written in full, because the protocol has only 2 and 16 bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.u8(opcode.rawValue)
    switch self {
    case .error(let request, let handle, let code):
      writer.u8(request.rawValue)
      writer.u16(handle)
      writer.u8(code.rawValue)
    case .mtuRequest(let mtu), .mtuResponse(let mtu): writer.u16(mtu)
    case .findInformation(let first, let last):
      writer.u16(first)
      writer.u16(last)
    case .findInformationResponse(let kinds): writer.kinds(kinds)
    case .readByType(let first, let last, let type),
      .readByGroupType(let first, let last, let type):
      writer.u16(first)
      writer.u16(last)
      writer.append(type.attributeBytes)
    case .readByTypeResponse(let items), .readByGroupTypeResponse(let items):
      writer.u8(UInt8(truncatingIfNeeded: items.first?.count ?? 0))
      writer.append(items.joined())
    case .read(let handle): writer.u16(handle)
    case .readBlob(let handle, let offset):
      writer.u16(handle)
      writer.u16(offset)
    case .readResponse(let data), .readBlobResponse(let data): writer.append(data)
    case .write(let value), .writeCommand(let value), .notification(let value),
      .indication(let value):
      writer.u16(value.handle)
      writer.append(value.data)
    case .prepareWrite(let part, let offset), .prepareWriteResponse(let part, let offset):
      writer.u16(part.handle)
      writer.u16(offset)
      writer.append(part.data)
    case .executeWrite(let isCommitted): writer.u8(isCommitted ? 1 : 0)
    case .notifications(let values):
      for value in values {
        writer.u16(value.handle)
        writer.u16(UInt16(truncatingIfNeeded: value.data.count))
        writer.append(value.data)
      }
    case .writeResponse, .executeWriteResponse, .confirmation: break
    case .other(_, let parameters): writer.append(parameters)
    }
    return writer.bytes
  }
}

extension ByteWriter {
  fileprivate mutating func kinds(_ kinds: [AttributeKind]) {
    let isShort = kinds.allSatisfy { $0.uuid.short != nil }
    u8(isShort ? 1 : 2)
    for kind in kinds {
      u16(kind.handle)
      append(isShort ? kind.uuid.shortestBytes : kind.uuid.fullBytes)
    }
  }
}

extension BluetoothUUID {
  /// 2 bytes if possible, else all 16, least significant first (Vol 3 Part F §3.2.1).
  fileprivate var attributeBytes: [UInt8] { short == nil ? fullBytes : shortestBytes }

  fileprivate var fullBytes: [UInt8] {
    var writer = ByteWriter()
    writer.unsigned(low, width: 8)
    writer.unsigned(high, width: 8)
    return writer.bytes
  }
}
