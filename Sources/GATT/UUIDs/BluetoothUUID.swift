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

  /// Makes a UUID of its 128 bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The UUID that a 16-bit number abbreviates.
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

  /// The 16-bit abbreviation, where there is one.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
    return UInt16(exactly: high >> 32)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The 16-bit form (`180D`) where there is one, else the full form, in upper case.
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
