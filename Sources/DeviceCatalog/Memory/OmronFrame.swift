import GATT

/// A frame of the protocol by which Omron's monitors and scales give access to their memory.
///
/// Length, command (u16), address (u16), size, data, and a byte that makes the exclusive or of the
/// whole 0; high byte first. Of a reply without data the byte before the last is a result, 0 for
/// success. Devices with a key of their own cut a frame into pieces of sixteen bytes, and send each by
/// a characteristic of its own; those that only ask for a bond send it whole, by the first.
///
/// Sources: the descriptions of the protocol in userx14/omblepy and eigger/hass-omron.
struct OmronFrame: Hashable, Sendable {
  var kind: Kind
  var address: Int
  /// The bytes that were read; empty in other replies.
  var data: [UInt8]
  /// 0 for success.
  var result: UInt8

  /// The kind of a reply.
  enum Kind: UInt16, Hashable, Sendable {
    case opened = 0x8000
    case read = 0x8100
    case closed = 0x8F00
  }

  /// The characteristic of the key.
  static let lock = uuid(0xB305_B680_AEE7_11E1, 0xA730_0002_A5D5_C51B)
  /// The characteristics of the pieces of a command; no command here is longer than one.
  static let commands = [
    uuid(0xDB5B_55E0_AEE7_11E1, 0x965E_0002_A5D5_C51B),
    uuid(0xE0B8_A060_AEE7_11E1, 0x92F4_0002_A5D5_C51B),
    uuid(0x0AE1_2B00_AEE8_11E1, 0xA192_0002_A5D5_C51B),
    uuid(0x10E1_BA60_AEE8_11E1, 0x89E5_0002_A5D5_C51B),
  ]
  /// The characteristics of the pieces of a reply.
  static let replies = [
    uuid(0x4912_3040_AEE8_11E1, 0xA74D_0002_A5D5_C51B),
    uuid(0x4D0B_F320_AEE8_11E1, 0xA0D9_0002_A5D5_C51B),
    uuid(0x5128_CE60_AEE8_11E1, 0xB84B_0002_A5D5_C51B),
    uuid(0x560F_1420_AEE8_11E1, 0x8184_0002_A5D5_C51B),
  ]

  private static func uuid(_ high: UInt64, _ low: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: high, low: low)
  }
}

// MARK: - Commands

extension OmronFrame {
  /// Opens the memory.
  static let open = command(0x0000, at: 0, size: 0x10)
  /// Closes it, whatever was read: without, the device shows an error.
  static let close = command(0x0F00, at: 0, size: 0)

  /// Asks for `size` bytes at an address.
  static func read(at address: Int, size: Int) -> [UInt8] {
    command(0x0100, at: address, size: size)
  }

  private static func command(_ kind: UInt16, at address: Int, size: Int) -> [UInt8] {
    let frame = [
      8, UInt8(kind >> 8), UInt8(kind & 0xFF), UInt8(truncatingIfNeeded: address >> 8),
      UInt8(truncatingIfNeeded: address), UInt8(truncatingIfNeeded: size), 0,
    ]
    return frame + [frame.reduce(0, ^)]
  }
}

// MARK: - Replies

extension OmronFrame {
  /// The shortest frame: all but the data.
  static let overhead = 8

  /// Reads a whole reply.
  ///
  /// - Returns: `nil` for a command that is not read here.
  /// - Throws: ``FrameDefect`` if it is damaged.
  init?(_ bytes: [UInt8]) throws(FrameDefect) {
    guard bytes.count >= Self.overhead, Int(bytes[0]) == bytes.count else {
      throw .wrongLength(count: bytes.count, expected: bytes.first.map(Int.init) ?? Self.overhead)
    }
    let total = bytes.reduce(0, ^)
    guard total == 0 else { throw .wrongChecksum(total, expected: 0) }
    guard let kind = Kind(rawValue: UInt16(bytes[1]) << 8 | UInt16(bytes[2])) else { return nil }
    self.kind = kind
    address = Int(bytes[3]) << 8 | Int(bytes[4])
    let size = Int(bytes[5])
    switch kind {
    case .read where size > 0 && bytes.count == Self.overhead && bytes[6] != 0:
      (data, result) = ([], bytes[6])
    case .read:
      // Bytes that a reply does not have were never written.
      let missing = max(0, size - (bytes.count - Self.overhead))
      data = missing > 0 ? Array(repeating: 0xFF, count: size) : Array(bytes[6..<6 + size])
      result = 0
    case .opened, .closed:
      (data, result) = ([], bytes[6])
    }
  }
}

/// Puts the pieces of replies together.
struct OmronReplies: Hashable, Sendable {
  private static let pieceCount = 16
  private var pieces: [Int: [UInt8]] = [:]
  /// Whether a reply comes in one piece.
  private let isWhole: Bool

  /// Begins without a piece.
  init(isWhole: Bool = false) { self.isWhole = isWhole }

  /// The whole reply, if it is complete with the piece of a characteristic; `nil` for a
  /// characteristic without pieces.
  ///
  /// - Returns: No bytes while pieces are missing.
  mutating func add(_ piece: [UInt8], of characteristic: BluetoothUUID) -> [UInt8]? {
    guard let place = OmronFrame.replies.firstIndex(of: characteristic) else { return nil }
    if isWhole { return place == 0 ? Array(piece.prefix(piece.first.map(Int.init) ?? 0)) : nil }
    // The pieces come in their order.
    if place == 0 { pieces = [:] }
    pieces[place] = Array(piece.prefix(Self.pieceCount))
    guard let count = pieces[0]?.first.map(Int.init), count > 0 else {
      pieces = [:]
      return []
    }
    let needed = min((count + Self.pieceCount - 1) / Self.pieceCount, OmronFrame.replies.count)
    let whole = (0..<needed).compactMap { pieces[$0] }
    guard whole.count == needed else { return [] }
    pieces = [:]
    return Array(whole.joined().prefix(count))
  }
}
