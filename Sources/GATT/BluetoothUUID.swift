/// A UUID that names a Bluetooth service or characteristic.
///
/// The 16-bit and 32-bit forms are abbreviations over the Bluetooth base UUID, so `180D` and
/// `0000180D-0000-1000-8000-00805F9B34FB` are equal (Core Specification, Vol 3 Part B §2.5.1).
public struct BluetoothUUID: Hashable, Sendable {
  /// The upper 64 bits.
  public let high: UInt64
  /// The lower 64 bits.
  public let low: UInt64

  /// The Bluetooth base UUID's lower half.
  static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB
  /// The Bluetooth base UUID's upper half, with its abbreviated part zero.
  static let baseHigh: UInt64 = 0x0000_0000_0000_1000

  /// Makes a UUID from its 128 bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes the UUID of a 16-bit abbreviation.
  public init(_ short: UInt16) {
    self.init(high: UInt64(short) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// Reads `180D`, `0x180D`, `0000180D` or the full form with hyphens, in either case.
  ///
  /// - Returns: `nil` for anything else.
  public init?(_ text: String) {
    var digits = Substring(text)
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
    let groups = digits.split(separator: "-", omittingEmptySubsequences: false)
    let isFull = groups.map(\.count) == [8, 4, 4, 4, 12]
    guard isFull || (groups.count == 1 && (digits.count == 4 || digits.count == 8)) else {
      return nil
    }
    var nibbles: [UInt64] = []
    for digit in groups.joined() {
      guard digit.isASCII, let nibble = digit.hexDigitValue else { return nil }
      nibbles.append(UInt64(nibble))
    }
    func number(_ part: ArraySlice<UInt64>) -> UInt64 { part.reduce(0) { $0 << 4 | $1 } }
    if isFull {
      self.init(high: number(nibbles[..<16]), low: number(nibbles[16...]))
    } else {
      self.init(high: number(nibbles[...]) << 32 | Self.baseHigh, low: Self.baseLow)
    }
  }

  /// The 16-bit abbreviation, if any.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt16(exactly: high >> 32)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The 16-bit form (`180D`) if possible, else the full form, in upper case.
  public var description: String {
    func hex(_ value: UInt64, _ width: Int) -> String {
      let digits = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: width - digits.count) + digits
    }
    if let short { return hex(UInt64(short), 4) }
    return [
      hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
      hex(low & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }
}

// MARK: - Bytes

extension BluetoothUUID {
  /// Makes the UUID of a 32-bit abbreviation.
  public init(abbreviation: UInt32) {
    self.init(high: UInt64(abbreviation) << 32 | Self.baseHigh, low: Self.baseLow)
  }

  /// The 32-bit abbreviation, if any; every 16-bit one is also a 32-bit one.
  public var abbreviation: UInt32? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt32(truncatingIfNeeded: high >> 32)
  }

  /// The shortest encoding of the UUID, 2, 4 or 16 bytes, least significant first.
  public var shortestBytes: [UInt8] {
    var writer = ByteWriter()
    if let short {
      writer.u16(short)
    } else if let abbreviation {
      writer.u32(abbreviation)
    } else {
      writer.unsigned(low, width: 8)
      writer.unsigned(high, width: 8)
    }
    return writer.bytes
  }
}

extension ByteReader {
  /// Reads a UUID of `width` bytes, 2, 4 or 16.
  mutating func uuid(_ field: String, width: Int) throws(GATTError) -> BluetoothUUID {
    switch width {
    case 2: return BluetoothUUID(try u16(field))
    case 4: return BluetoothUUID(abbreviation: try u32(field))
    default:
      try require(16, field)
      let low = try u64(field)
      return BluetoothUUID(high: try u64(field), low: low)
    }
  }
}

// MARK: - Services

// Assigned numbers of services (Bluetooth SIG Assigned Numbers §3.4). Those of characteristics are
// on their types.
extension BluetoothUUID {
  /// Current Time Service.
  public static let currentTimeService = BluetoothUUID(0x1805)
  /// Glucose Service.
  public static let glucoseService = BluetoothUUID(0x1808)
  /// Health Thermometer Service.
  public static let healthThermometerService = BluetoothUUID(0x1809)
  /// Heart Rate Service.
  public static let heartRateService = BluetoothUUID(0x180D)
  /// Battery Service.
  public static let batteryService = BluetoothUUID(0x180F)
  /// Blood Pressure Service.
  public static let bloodPressureService = BluetoothUUID(0x1810)
  /// Body Composition Service.
  public static let bodyCompositionService = BluetoothUUID(0x181B)
  /// User Data Service.
  public static let userDataService = BluetoothUUID(0x181C)
  /// Weight Scale Service.
  public static let weightScaleService = BluetoothUUID(0x181D)
  /// Pulse Oximeter Service.
  public static let pulseOximeterService = BluetoothUUID(0x1822)
}
