/// Reads decimal numbers from text as whole billionths, so that a file gives the same integers on
/// every machine.
enum DecimalField {
  /// The number in `field`, in billionths, rounded half away from zero.
  ///
  /// Takes an optional sign, digits, a point, digits and an exponent, with spaces around it.
  ///
  /// - Returns: `nil` for anything else, and beyond ± 9 × 10⁹.
  static func billionths(_ field: some Collection<UInt8>) -> Int64? {
    var index = field.startIndex
    var end = field.endIndex
    while index < end, isSpace(field[index]) { index = field.index(after: index) }
    while end > index, isSpace(field[field.index(end, offsetBy: -1)]) {
      end = field.index(end, offsetBy: -1)
    }
    guard index < end else { return nil }
    var isNegative = false
    if field[index] == UInt8(ascii: "-") || field[index] == UInt8(ascii: "+") {
      isNegative = field[index] == UInt8(ascii: "-")
      index = field.index(after: index)
    }

    var mantissa: UInt64 = 0
    var scale = 0
    var digits = 0
    var hasPoint = false
    scan: while index < end {
      let byte = field[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits += 1
        if mantissa < 100_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
          if hasPoint { scale += 1 }
        } else if !hasPoint {
          scale -= 1
        }
      case UInt8(ascii: "."):
        guard !hasPoint else { return nil }
        hasPoint = true
      default:
        break scan
      }
      index = field.index(after: index)
    }
    guard digits > 0 else { return nil }
    if index < end {
      guard field[index] | 0x20 == UInt8(ascii: "e"),
        let exponent = Int(
          String(decoding: field[field.index(after: index)..<end], as: UTF8.self)),
        abs(exponent) <= 40
      else { return nil }
      scale -= exponent
    }
    guard let magnitude = scaled(mantissa, by: 9 - scale) else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func scaled(_ mantissa: UInt64, by exponent: Int) -> Int64? {
    guard exponent < 0 else {
      var value = mantissa
      for _ in 0..<min(exponent, 20) {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        guard !overflow else { return nil }
        value = product
      }
      return value <= 9_000_000_000_000_000_000 ? Int64(value) : nil
    }
    guard exponent > -19 else { return 0 }
    var divisor: UInt64 = 1
    for _ in 0..<(-exponent) { divisor *= 10 }
    let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: divisor)
    return Int64(quotient + (remainder >= divisor - divisor / 2 ? 1 : 0))
  }
}
