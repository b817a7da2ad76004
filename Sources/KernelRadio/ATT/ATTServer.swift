import GATT

/// This machine's responses as a server: it has no attributes, but it always responds, because a
/// peer that waits for a response ends the link after 30 s (Vol 3 Part F §3.3.3).
enum ATTServer {
  /// The response to a peer's unit; `nil` if none is due.
  static func answer(to pdu: ATTPDU, mtu: UInt16) -> ATTPDU? {
    let opcode = pdu.opcode
    switch pdu {
    case .mtuRequest: return .mtuResponse(mtu)
    case .findInformation(let first, let last), .readByType(let first, let last, _),
      .readByGroupType(let first, let last, _):
      let isRange = first > 0 && first <= last
      return .error(
        request: opcode, handle: first, code: isRange ? .attributeNotFound : .invalidHandle)
    case .read(let handle), .readBlob(let handle, _):
      return .error(request: opcode, handle: handle, code: .invalidHandle)
    case .write(let value), .prepareWrite(let value, _):
      return .error(request: opcode, handle: value.handle, code: .invalidHandle)
    case .executeWrite: return .executeWriteResponse
    case .other(ATTOpcode(rawValue: 0x06), let parameters):
      // Find By Type Value begins with its handles too.
      var reader = ByteReader(parameters)
      guard let first = try? reader.u16("starting handle") else { return refusal(of: opcode) }
      return .error(request: opcode, handle: first, code: .attributeNotFound)
    default:
      switch opcode.kind {
      case .request, .unknown:
        return .error(request: opcode, handle: 0, code: .requestNotSupported)
      case .response, .command, .notification, .indication, .confirmation: return nil
      }
    }
  }

  /// The response to an undecodable request; `nil` if none is due.
  static func refusal(of opcode: ATTOpcode) -> ATTPDU? {
    switch opcode.kind {
    case .request: .error(request: opcode, handle: 0, code: .invalidPDU)
    case .unknown: .error(request: opcode, handle: 0, code: .requestNotSupported)
    case .response, .command, .notification, .indication, .confirmation: nil
    }
  }
}
