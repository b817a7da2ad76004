import GATT
import Radio

/// A request to the peer, with the context for its response.
enum ATTRequest: Hashable, Sendable {
  case mtu(UInt16)
  /// The peer's database hash.
  case databaseHash
  case services(from: UInt16)
  case characteristics(from: UInt16)
  /// The descriptor that enables a characteristic's values.
  case configuration(CharacteristicEntry, among: ClosedRange<UInt16>)
  case configure(CharacteristicEntry, at: UInt16)
  /// A value, or the next part of a long one.
  case read(CharacteristicEntry, LongRead)
  case write(CharacteristicEntry, data: [UInt8])
  /// A part of a long value.
  case prepare(CharacteristicEntry, data: [UInt8], part: Range<Int>)
  case execute(CharacteristicEntry, isCommitted: Bool)

  /// The request's protocol data unit.
  var pdu: ATTPDU {
    switch self {
    case .mtu(let mtu): .mtuRequest(mtu)
    case .databaseHash: .readByType(first: 1, last: 0xFFFF, type: .databaseHash)
    case .services(let first): .readByGroupType(first: first, last: 0xFFFF, type: .primaryService)
    case .characteristics(let first):
      .readByType(first: first, last: 0xFFFF, type: .characteristicDeclaration)
    case .configuration(_, let handles):
      .findInformation(first: handles.lowerBound, last: handles.upperBound)
    case .configure(let characteristic, let handle):
      .write(HandleValue(handle: handle, data: characteristic.configuration))
    case .read(_, let read): read.request
    case .write(let characteristic, let data):
      .write(HandleValue(handle: characteristic.value, data: data))
    case .prepare(let characteristic, let data, let part):
      .prepareWrite(
        HandleValue(handle: characteristic.value, data: Array(data[part])),
        offset: UInt16(truncatingIfNeeded: part.lowerBound))
    case .execute(_, let isCommitted): .executeWrite(isCommitted: isCommitted)
    }
  }
}

extension ATTRequest {
  /// Whether `answer` responds to the request.
  ///
  /// A list of handles outside the request is a repeated answer to an earlier request.
  func accepts(_ answer: ATTPDU) -> Bool {
    if case .error(let request, _, _) = answer { return request == pdu.opcode }
    guard answer.opcode == pdu.opcode.response else { return false }
    switch (self, answer) {
    case (.services(let first), .readByGroupTypeResponse(let items)),
      (.characteristics(let first), .readByTypeResponse(let items)):
      return items.allSatisfy { item in
        var reader = ByteReader(item)
        // An item that is too short is left to its decoder, which throws.
        return (try? reader.u16("attribute handle")).map { $0 >= first } ?? true
      }
    case (.configuration(_, let handles), .findInformationResponse(let kinds)):
      return kinds.allSatisfy { handles.contains($0.handle) }
    default:
      return true
    }
  }
}

extension BluetoothUUID {
  /// The declaration of a primary service (Vol 3 Part G §3.1).
  static let primaryService = BluetoothUUID(0x2800)
  /// The declaration of a characteristic (Vol 3 Part G §3.3.1).
  static let characteristicDeclaration = BluetoothUUID(0x2803)
  /// Client Characteristic Configuration (Vol 3 Part G §3.3.3.3).
  static let clientConfiguration = BluetoothUUID(0x2902)
  /// Service Changed (Vol 3 Part G §7.1).
  static let serviceChanged = BluetoothUUID(0x2A05)
  /// Database Hash (Vol 3 Part G §7.3).
  static let databaseHash = BluetoothUUID(0x2B2A)
}

extension CharacteristicEntry {
  /// The configuration that enables its values: notifications if offered, as BlueZ chooses too,
  /// since some devices misdeclare indications; else indications.
  var configuration: [UInt8] { properties.contains(.notify) ? [1, 0] : [2, 0] }
}
