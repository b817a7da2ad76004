/// A protocol data unit of the attribute protocol (Core Specification, Vol 3 Part F §3.4).
package enum ATTPDU: Hashable, Sendable {
  /// The answer to a request that failed.
  case error(request: ATTOpcode, handle: UInt16, code: ATTErrorCode)
  case mtuRequest(UInt16)
  case mtuResponse(UInt16)
  case findInformation(first: UInt16, last: UInt16)
  case findInformationResponse([AttributeKind])
  /// All attributes of a type: asked with 0x2803, the characteristics.
  case readByType(first: UInt16, last: UInt16, type: BluetoothUUID)
  /// Items of one length, each beginning with its handle.
  case readByTypeResponse([[UInt8]])
  case read(handle: UInt16)
  case readResponse([UInt8])
  /// A value, from an offset on.
  case readBlob(handle: UInt16, offset: UInt16)
  case readBlobResponse([UInt8])
  /// All groups of a type: asked with 0x2800, the services.
  case readByGroupType(first: UInt16, last: UInt16, type: BluetoothUUID)
  /// Items of one length, each beginning with its first and its last handle.
  case readByGroupTypeResponse([[UInt8]])
  case write(HandleValue)
  case writeResponse
  /// A write that is not answered.
  case writeCommand(HandleValue)
  /// A part of a long value, kept by the server until it is told what to do with it.
  case prepareWrite(HandleValue, offset: UInt16)
  /// The same as it was received.
  case prepareWriteResponse(HandleValue, offset: UInt16)
  /// Writes what was prepared, or drops it.
  case executeWrite(isCommitted: Bool)
  case executeWriteResponse
  case notification(HandleValue)
  /// Several values at once (opcode 0x23).
  case notifications([HandleValue])
  case indication(HandleValue)
  case confirmation
  /// Any other: known ones that are not used here, and unknown ones.
  case other(ATTOpcode, [UInt8])
}

/// A value, by the handle of its attribute.
package struct HandleValue: Hashable, Sendable {
  package let handle: UInt16
  package let data: [UInt8]

  /// Makes a value.
  package init(handle: UInt16, data: [UInt8]) {
    self.handle = handle
    self.data = data
  }
}

/// What kind of attribute has a handle.
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
