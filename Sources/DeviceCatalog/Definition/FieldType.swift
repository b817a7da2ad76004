/// How a field lies in a frame.
enum FieldType: String, Hashable, Sendable, CaseIterable {
  case u8, s8
  case u16le, s16le, u16be, s16be
  case u24le, u24be
  case u32le, s32le, u32be, s32be
  case f32le
  /// IEEE 11073 16-bit float, little endian.
  case sfloat
  /// IEEE 11073 32-bit float, little endian.
  case float
  /// Seven bytes: year, month, day, hour, minute, second of the device's clock.
  case dateTime

  /// How many bytes it takes.
  var width: Int {
    switch self {
    case .u8, .s8: 1
    case .u16le, .s16le, .u16be, .s16be, .sfloat: 2
    case .u24le, .u24be: 3
    case .u32le, .s32le, .u32be, .s32be, .f32le, .float: 4
    case .dateTime: 7
    }
  }

  /// Whether the field is an integer: what flags, bits and motion can be read from.
  var isInteger: Bool {
    switch self {
    case .f32le, .sfloat, .float, .dateTime: false
    default: true
    }
  }

  /// The integer that `bytes`, exactly ``width`` of them, spell; `nil` for a type that is none.
  func integer(_ bytes: some BidirectionalCollection<UInt8>) -> Int64? {
    guard isInteger, bytes.count == width else { return nil }
    var value: Int64 = 0
    if isBigEndian {
      for byte in bytes { value = value << 8 | Int64(byte) }
    } else {
      for byte in bytes.reversed() { value = value << 8 | Int64(byte) }
    }
    let signBit = Int64(1) << Int64(8 * width - 1)
    return isSigned && value & signBit != 0 ? value - 2 * signBit : value
  }

  /// Whether the most significant byte comes first.
  var isBigEndian: Bool {
    switch self {
    case .u16be, .s16be, .u24be, .u32be, .s32be: true
    default: false
    }
  }

  private var isSigned: Bool {
    switch self {
    case .s8, .s16le, .s16be, .s32le, .s32be: true
    default: false
    }
  }
}
