extension Sequence<UInt8> {
  /// The bytes as lower-case hex digits, two a byte, without separators.
  public var hexString: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    text.append(hexOf: self)
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends the hex digits of bytes.
  mutating func append(hexOf bytes: some Sequence<UInt8>) {
    for byte in bytes {
      append(hexDigit: byte >> 4)
      append(hexDigit: byte & 15)
    }
  }

  private mutating func append(hexDigit digit: UInt8) {
    append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }

  /// The bytes that hex digits spell, two a byte, in either case.
  ///
  /// - Returns: `nil` for an odd number of digits, and for anything that is no ASCII hex digit:
  ///   spaces, prefixes and signs, too.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8
    guard digits.count.isMultiple(of: 2) else { return nil }
    self.init()
    reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
      default: return nil
      }
      if let first = high {
        append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
  }
}
