/// Logarithms and powers of two in integers, the same on every machine.
///
/// A logarithm counts units of 2^-16, a power units of 2^-30. Both are computed bit by bit from
/// squarings and from square roots of two, so no table has to be trusted.
/// Error: at most 2^-16 in the logarithm, 2^-26 in the power.
public enum BinaryLogarithm {
  /// The logarithm of two, in units of 2^-16.
  public static let one: Int64 = 1 << 16

  /// log2 of `value` in units of 2^-16, zero for zero.
  ///
  /// Cost: 16 multiplications.
  public static func log2(_ value: UInt64) -> Int64 {
    guard value > 0 else { return 0 }
    let exponent = 63 - value.leadingZeroBitCount
    // The mantissa in 1..<2 with 31 fractional bits: its square fits 64 bits.
    var mantissa = exponent > 31 ? value >> UInt64(exponent - 31) : value << UInt64(31 - exponent)
    var result = Int64(exponent)
    for _ in 0..<16 {
      mantissa = (mantissa &* mantissa) >> 31
      let bit = mantissa >> 32
      mantissa >>= bit
      result = result << 1 | Int64(bit)
    }
    return result
  }

  /// 2^-`exponent` in units of 2^-30, for an exponent of at least zero in units of 2^-16.
  ///
  /// A negative exponent counts as zero. Cost: at most 16 multiplications.
  public static func power(minus exponent: Int64) -> Int64 {
    guard exponent > 0 else { return 1 << 30 }
    let whole = exponent >> 16
    guard whole < 31 else { return 0 }
    var result: UInt64 = 1 << 31
    var bits = exponent & 0xFFFF
    while bits != 0 {
      let bit = bits.trailingZeroBitCount
      result = (result &* roots[15 - bit] &+ (1 << 30)) >> 31
      bits &= bits - 1
    }
    return Int64(result >> UInt64(whole + 1))
  }

  /// log2(2^`a` + 2^`b`), all in units of 2^-16.
  public static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let difference = abs(a - b)
    guard difference < 20 << 16 else { return max(a, b) }
    return max(a, b) + log2(UInt64((1 << 30) + power(minus: difference))) - (30 << 16)
  }

  /// 2^(-1/2), 2^(-1/4), … 2^(-1/65536) in units of 2^-31, by repeated square roots.
  private static let roots: [UInt64] = {
    var root: UInt64 = 1 << 30
    return (0..<16).map { _ in
      root = (root << 31).integerSquareRoot
      return root
    }
  }()
}
