/// A device's Bluetooth address: 48 bits, printed as BlueZ prints it.
public struct DeviceAddress: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The 48 bits; the first printed octet is the most significant.
  public let rawValue: UInt64

  /// Takes the lower 48 bits of `rawValue`.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue & 0xFFFF_FFFF_FFFF
  }

  /// Reads `5C:CA:D3:70:D4:A2`, in either case.
  ///
  /// - Returns: `nil` unless there are exactly six colon-separated pairs of hex digits.
  public init?(_ text: String) {
    let octets = text.split(separator: ":", omittingEmptySubsequences: false)
    guard octets.count == 6, octets.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    // `Int(_:radix:)` also accepts a sign.
    let digits = octets.joined()
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let value = UInt64(digits, radix: 16)
    else { return nil }
    rawValue = value
  }

  public static func < (a: DeviceAddress, b: DeviceAddress) -> Bool { a.rawValue < b.rawValue }

  /// `5C:CA:D3:70:D4:A2`.
  public var description: String {
    let digits = Array("0123456789ABCDEF")
    return (0..<6).map { octet in
      let byte = Int(rawValue >> UInt64(40 - 8 * octet)) & 0xFF
      return String([digits[byte >> 4], digits[byte & 15]])
    }.joined(separator: ":")
  }
}

/// How an address was obtained (Core Specification, Vol 6 Part B §1.3).
public enum AddressType: String, Hashable, Sendable {
  /// Assigned by the IEEE.
  case `public`
  /// Random: static, or private and changing.
  case random
}
