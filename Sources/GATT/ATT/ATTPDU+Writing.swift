extension ATTPDU {
  /// The PDU as it goes over the air.
  ///
  /// Whoever makes it sees to the limits: items are of one length of at most 255 bytes, values fit
  /// the MTU. A 32-bit UUID is spelt in full, as the protocol knows only 2 and 16 bytes.
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
  /// 2 bytes where they will do, else all 16, least significant first (Vol 3 Part F §3.2.1).
  fileprivate var attributeBytes: [UInt8] { short == nil ? fullBytes : shortestBytes }

  fileprivate var fullBytes: [UInt8] {
    var writer = ByteWriter()
    writer.unsigned(low, width: 8)
    writer.unsigned(high, width: 8)
    return writer.bytes
  }
}
