import GATT
import Radio

/// A MiBeacon, what Xiaomi's devices advertise as service data of FE95, in its versions 4 and 5.
///
/// Frame control (u16, low byte first), product (u16), frame counter (u8); then, as the frame
/// control says, the sender's address (6 bytes, reversed), its abilities (1 or 2 bytes), and the
/// payload. An encrypted payload ends in three bytes that go on with the counter and four of the
/// tag. Source: Bluetooth-Devices/xiaomi-ble, `parser.py`.
struct MiBeacon: Hashable, Sendable {
  /// What kind of product it says it is.
  private(set) var product: UInt16
  /// The frame's number, of which only the last byte is sent in every frame.
  private(set) var counter: Counter
  /// What the beacon carries: sealed, in clear, or nothing.
  private(set) var payload: Payload

  /// What a beacon carries.
  enum Payload: Hashable, Sendable {
    case none
    case clear
    case sealed(message: [UInt8], tag: [UInt8], nonceMiddle: [UInt8])
  }

  /// The number of a frame: 8 bits, and 24 more in what is encrypted.
  struct Counter: Hashable, Sendable {
    var low: UInt8
    var high: [UInt8] = []

    /// Whether this frame was sent after `other`, as far as their numbers tell.
    ///
    /// Some devices leave the upper bits at zero, so that the lower ones begin anew after 255.
    func follows(_ other: Counter) -> Bool {
      if high != other.high {
        return other.high.reversed().lexicographicallyPrecedes(high.reversed())
      }
      return (1...127).contains(low &- other.low)
    }
  }

  /// Reads a beacon.
  ///
  /// - Throws: ``GATTError`` for one that is too short, of a mesh, of an older version, or that
  ///   claims to come from another address than `sender`.
  init(_ frame: [UInt8], from sender: DeviceAddress) throws(GATTError) {
    var reader = ByteReader(frame)
    let control = try reader.u16("frame control")
    func isSet(_ bit: UInt16) -> Bool { control >> bit & 1 == 1 }
    guard !isSet(7), control >> 12 >= 4 else {
      throw .invalid(field: "frame control", reason: "it is of a mesh, or of a version before 4")
    }
    let productBytes = try reader.bytes(2, "product")
    product = productBytes.reversed().reduce(0) { $0 << 8 | UInt16($1) }
    counter = Counter(low: try reader.u8("frame counter"))
    if isSet(4) {
      let claimed = try reader.u48("address")
      guard claimed == sender.rawValue else {
        throw .invalid(field: "address", reason: "the beacon was sent by another device")
      }
    }
    if isSet(5), try reader.u8("abilities") & 0x20 != 0 { _ = try reader.u8("inputs and outputs") }
    guard isSet(6) else {
      payload = .none
      return
    }
    guard isSet(3) else {
      payload = .clear
      return
    }
    let rest = reader.remainder()
    guard rest.count > 7 else {
      throw .truncated(field: "encrypted payload", needed: 8, available: rest.count)
    }
    counter.high = Array(rest.suffix(7).prefix(3))
    payload = .sealed(
      message: Array(rest.dropLast(7)), tag: Array(rest.suffix(4)),
      nonceMiddle: productBytes + [counter.low])
  }

  /// What the sealed payload says to whoever holds the bind key.
  ///
  /// - Throws: ``AESCCM/Failure``.
  func open(with key: [UInt8], from sender: DeviceAddress) throws(AESCCM.Failure) -> [UInt8] {
    guard case .sealed(let message, let tag, let middle) = payload else { throw .badLength }
    let reversed = (0..<6).map { UInt8(truncatingIfNeeded: sender.rawValue >> (8 * $0)) }
    return try AESCCM.open(
      message, tag: tag, key: key, nonce: reversed + middle + counter.high, associated: [0x11])
  }

  /// The objects of an opened payload: type (u16), length (u8), bytes, one behind the other.
  ///
  /// - Throws: ``GATTError`` where the last one ends early.
  static func objects(in payload: [UInt8]) throws(GATTError) -> [(type: UInt16, bytes: [UInt8])] {
    var reader = ByteReader(payload)
    var objects: [(type: UInt16, bytes: [UInt8])] = []
    while !reader.isAtEnd {
      let type = try reader.u16("object type")
      let count = Int(try reader.u8("object length"))
      objects.append((type, try reader.bytes(count, "object")))
    }
    return objects
  }
}
