import GATT
import Radio

@testable import KernelRadio

/// A peer with a few services that responds as its specification requires and counts the requests.
struct Peer {
  static let address = DeviceAddress(rawValue: 0xC412_3456_789A)
  static let weight = BluetoothUUID(0x2A9D)
  static let feature = BluetoothUUID(0x2A9E)
  static let name = BluetoothUUID(0x2A00)
  static let vendorService = BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
  static let vendorValue = BluetoothUUID(high: 0xFB00_5C82_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)

  /// Its attributes, by ascending handle.
  var attributes: [Attribute]
  var mtu: UInt16 = 517
  /// Whether its values require an encrypted link.
  var wantsSecurity = false
  /// The received requests.
  private(set) var requests: [ATTPDU] = []
  private(set) var commands: [ATTPDU] = []
  private(set) var confirmations = 0
  private var prepared: [UInt8] = []

  struct Attribute {
    let handle: UInt16
    let type: BluetoothUUID
    var value: [UInt8]
    /// The last handle of the service of this declaration.
    var end: UInt16?
  }

  init(_ attributes: [Attribute]) {
    self.attributes = attributes
  }

  /// A weight scale with three services, all with 16-bit UUIDs.
  static func scale(hash: [UInt8]? = nil, offersChanges: Bool = true) -> Peer {
    var builder = PeerBuilder()
    builder.service(BluetoothUUID(0x1800))
    builder.characteristic(name, 0x02, Array("Scale".utf8))
    builder.service(BluetoothUUID(0x1801))
    if offersChanges { builder.characteristic(.serviceChanged, 0x20, [], isSwitched: true) }
    if let hash { builder.characteristic(.databaseHash, 0x02, hash) }
    builder.service(.weightScaleService)
    builder.characteristic(feature, 0x02, [0, 0, 0, 0])
    builder.characteristic(weight, 0x20, [], isSwitched: true)
    return Peer(builder.attributes)
  }

  /// The value attribute of a characteristic.
  func handle(of uuid: BluetoothUUID) -> UInt16 {
    attributes.last { $0.type == uuid }?.handle ?? 0
  }

  func value(of uuid: BluetoothUUID) -> [UInt8]? {
    attributes.last { $0.type == uuid }?.value
  }
}

// MARK: - Responses
extension Peer {
  /// The response to the client's unit; `nil` if none is due.
  mutating func answer(_ bytes: [UInt8]) throws -> [UInt8]? {
    let pdu = try ATTPDU(bytes)
    switch pdu.opcode.kind {
    case .request:
      requests.append(pdu)
      return Array(answer(to: pdu).bytes.prefix(Int(mtu)))
    case .command: commands.append(pdu)
    case .confirmation: confirmations += 1
    default: break
    }
    return nil
  }

  private mutating func answer(to pdu: ATTPDU) -> ATTPDU {
    func error(_ handle: UInt16, _ code: ATTErrorCode) -> ATTPDU {
      .error(request: pdu.opcode, handle: handle, code: code)
    }
    switch pdu {
    case .mtuRequest: return .mtuResponse(mtu)
    case .readByGroupType(let first, let last, let type),
      .readByType(let first, let last, let type):
      let found = attributes.filter { (first...last).contains($0.handle) && $0.type == type }
      let items = found.map { attribute in
        attribute.handle.octets + (attribute.end?.octets ?? []) + attribute.value
      }
      let like = items.prefix { $0.count == items[0].count }
      guard let length = like.first?.count else { return error(first, .attributeNotFound) }
      let list = Array(like.prefix((Int(mtu) - 2) / length))
      if case .readByType = pdu { return .readByTypeResponse(list) }
      return .readByGroupTypeResponse(list)
    case .findInformation(let first, let last):
      let found = attributes.filter { (first...last).contains($0.handle) }
      let kinds = found.map { AttributeKind(handle: $0.handle, uuid: $0.type) }
        .prefix { ($0.uuid.short == nil) == (found[0].type.short == nil) }
      return kinds.isEmpty
        ? error(first, .attributeNotFound)
        : .findInformationResponse(Array(kinds.prefix((Int(mtu) - 2) / 4)))
    case .read(let handle), .readBlob(let handle, _):
      guard !wantsSecurity else { return error(handle, .insufficientAuthentication) }
      guard let attribute = attributes.first(where: { $0.handle == handle }) else {
        return error(handle, .invalidHandle)
      }
      if case .readBlob(_, let offset) = pdu {
        guard Int(offset) <= attribute.value.count else { return error(handle, .invalidOffset) }
        return .readBlobResponse(Array(attribute.value.dropFirst(Int(offset))))
      }
      return .readResponse(attribute.value)
    case .write(let value):
      guard !wantsSecurity else { return error(value.handle, .insufficientEncryption) }
      return write(value) ? .writeResponse : error(value.handle, .invalidHandle)
    case .prepareWrite(let part, let offset):
      prepared += part.data
      return .prepareWriteResponse(part, offset: offset)
    case .executeWrite: return .executeWriteResponse
    default: return error(0, .requestNotSupported)
    }
  }

  private mutating func write(_ value: HandleValue) -> Bool {
    guard let index = attributes.firstIndex(where: { $0.handle == value.handle }) else {
      return false
    }
    attributes[index].value = value.data
    return true
  }

  /// The parts of a long write.
  var longValue: [UInt8] { prepared }
}

/// Assigns handles to attributes.
struct PeerBuilder {
  private(set) var attributes: [Peer.Attribute] = []
  private var next: UInt16 = 1

  mutating func service(_ uuid: BluetoothUUID, spare: UInt16 = 0) {
    next += spare
    add(.primaryService, uuid.octets, end: next)
  }

  mutating func characteristic(
    _ uuid: BluetoothUUID, _ properties: UInt8, _ value: [UInt8], isSwitched: Bool = false
  ) {
    add(.characteristicDeclaration, [properties] + (next + 1).octets + uuid.octets)
    add(uuid, value)
    if isSwitched { add(.clientConfiguration, [0, 0]) }
  }

  private mutating func add(_ type: BluetoothUUID, _ value: [UInt8], end: UInt16? = nil) {
    attributes.append(Peer.Attribute(handle: next, type: type, value: value, end: end))
    if let service = attributes.lastIndex(where: { $0.end != nil }) {
      attributes[service].end = next
    }
    next += 1
  }
}

extension UInt16 {
  /// Least significant byte first.
  var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}

extension BluetoothUUID {
  /// The UUID's bytes as in attributes.
  fileprivate var octets: [UInt8] { shortestBytes }
}
