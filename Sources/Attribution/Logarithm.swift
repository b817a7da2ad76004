import FixedPoint

/// Logarithms and powers of two from tables, for the inner loops of the evidence.
///
/// A logarithm counts units of 2^-16, a power units of 2^-30, as in `BinaryLogarithm`, which fills
/// the tables. Between two entries both are straight lines: the error is at most 2^-15 in the
/// logarithm and 2^-19 of the value in the power.
enum Logarithm {
  /// log2(1 + i / 1024).
  private static let logarithms: [Int64] = (0...1_024).map {
    BinaryLogarithm.log2(1_024 + UInt64($0)) - 10 << 16
  }
  /// 2^(-i / 256).
  private static let powers: [Int64] = (0...256).map { BinaryLogarithm.power(minus: $0 << 8) }

  /// log2 of `value`, zero for one and below.
  static func log2(_ value: Int64) -> Int64 {
    guard value > 1 else { return 0 }
    let exponent = 63 - value.leadingZeroBitCount
    // The mantissa without its leading one, in 2^-26.
    let mantissa =
      (exponent > 26 ? value >> Int64(exponent - 26) : value << Int64(26 - exponent))
      & (1 << 26 - 1)
    let index = Int(mantissa >> 16)
    let low = logarithms[index]
    return Int64(exponent) << 16 + low
      + ((logarithms[index + 1] - low) * (mantissa & 0xFFFF)) >> 16
  }

  /// 2^-`exponent` for an exponent of at least zero; a negative one counts as zero.
  static func power(minus exponent: Int64) -> Int64 {
    guard exponent > 0 else { return 1 << 30 }
    guard exponent < 31 << 16 else { return 0 }
    let index = Int((exponent & 0xFFFF) >> 8)
    let high = powers[index]
    return (high - ((high - powers[index + 1]) * (exponent & 0xFF)) >> 8) >> (exponent >> 16)
  }

  /// log2(2^`a` + 2^`b`).
  static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let difference = abs(a - b)
    guard difference < 20 << 16 else { return max(a, b) }
    return max(a, b) + log2(1 << 30 + power(minus: difference)) - 30 << 16
  }
}

/// log2 of a normal density in units of 2^-16, per unit of the deviation.
///
/// The deviation counts 2^-8 units, below 2^28; the variance 2^-8 squared units.
func normalDensity(_ deviation: Int64, _ variance: Int64) -> Int64 {
  -width(variance) - exponent(deviation, variance)
}

/// log2(√(2πv)) of a variance v in 2^-8 squared units, in units of 2^-16.
func width(_ variance: Int64) -> Int64 {
  // ½·log2(2π) = 1.325748.
  86_884 + (Logarithm.log2(max(variance, 1)) - 8 << 16) / 2
}

/// Half the squared deviation over the variance times log2(e), in units of 2^-16, at most 288 bits.
func exponent(_ deviation: Int64, _ variance: Int64) -> Int64 {
  // ½·log2(e) = 0.721348.
  let square = (deviation * deviation) >> 8
  let ratio = square >= variance * 400 ? 400 << 16 : (square << 16) / max(variance, 1)
  return (ratio * 47_274) >> 16
}
