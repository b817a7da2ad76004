/// The rounding shifts, divisions and clamps of the fixed-point operations.
extension Int64 {
  /// This value divided by 2^`bits`, rounded to nearest, halves towards positive infinity.
  ///
  /// `bits` is 0...62. The last bit shifted out decides, so no addition can overflow.
  @inlinable
  public func roundedShift(right bits: Int) -> Int64 {
    guard bits > 0 else { return self }
    return (self &>> Int64(bits)) &+ ((self &>> (Int64(bits) &- 1)) & 1)
  }

  /// `roundedShift` for a value at least half a unit below `Int64.max`; beyond that the sum wraps.
  ///
  /// `bits` is 1...62. Cost: one addition and one shift; for inner loops.
  @inlinable
  public func nearbyShift(right bits: Int) -> Int64 {
    (self &+ (1 &<< (Int64(bits) &- 1))) &>> Int64(bits)
  }

  /// This value divided by a positive `divisor`, rounded to nearest, halves away from zero.
  ///
  /// Zero for any other divisor; never traps.
  @inlinable
  public func roundedDivision(by divisor: Int64) -> Int64 {
    guard divisor > 0 else { return 0 }
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    guard remainder.magnitude >= divisor.magnitude &- remainder.magnitude else { return quotient }
    return self < 0 ? quotient &- 1 : quotient &+ 1
  }

  /// This value clamped to ±`limit`.
  @inlinable
  public func clamped(to limit: Int64) -> Int64 {
    self > limit ? limit : (self < -limit ? -limit : self)
  }

  /// `self · numerator / denominator` over a 128-bit product, rounded towards zero.
  ///
  /// A quotient beyond 64 bits saturates, and so does a division by zero (0 / 0 is 0).
  /// Cost: one wide multiplication and one wide division.
  @inlinable
  public func scaled(by numerator: Int64, over denominator: Int64) -> Int64 {
    let negative = ((self < 0) != (numerator < 0)) != (denominator < 0)
    let product = magnitude.multipliedFullWidth(by: numerator.magnitude)
    if product.high == 0 && product.low == 0 { return 0 }
    guard product.high < denominator.magnitude else { return negative ? .min : .max }
    let quotient = denominator.magnitude.dividingFullWidth(product).quotient
    guard quotient <= UInt64(Int64.max) else { return negative ? .min : .max }
    return negative ? -Int64(quotient) : Int64(quotient)
  }
}

// MARK: - Square roots

extension UInt64 {
  /// The largest integer whose square is at most this one, exactly.
  ///
  /// The hardware square root is correctly rounded (IEEE 754) and within one of the result; an
  /// integer comparison corrects it, so the result does not depend on floating point. Below 2^50 no
  /// correction is needed: such an integer is exact as a float, its root is at least 2^-26 away
  /// from the next integer, and the rounding error is at most 2^-29.
  /// Cost: one hardware square root, and two multiplications from 2^50.
  @inlinable
  public var integerSquareRoot: UInt64 {
    if self < 1 &<< 50 { return UInt64(Int64(Double(Int64(self)).squareRoot())) }
    // 2^32 - 1 is the root of the largest input; the float may round above it.
    var root = Swift.min(UInt64(Double(self).squareRoot()), 0xFFFF_FFFF)
    while root &* root > self { root &-= 1 }
    while root < 0xFFFF_FFFF && (root &+ 1) &* (root &+ 1) <= self { root &+= 1 }
    return root
  }
}

extension UInt32 {
  /// The largest integer whose square is at most this one, exactly.
  ///
  /// A 32-bit integer is exact as a float, and its correctly rounded root cannot reach the next
  /// integer: the distance is at least 2^-18, the rounding error at most 2^-37.
  @inlinable
  public var integerSquareRoot: UInt32 {
    UInt32(Double(self).squareRoot())
  }
}
