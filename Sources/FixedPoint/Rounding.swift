/// The shifts and clamps that every fixed-point operation of this module ends with.
extension Int64 {
  /// This value divided by 2^`bits`, rounded to nearest, halves towards positive infinity.
  ///
  /// `bits` is 0...62. The last bit shifted out decides, so nothing is added that could overflow.
  @inlinable
  public func roundedShift(right bits: Int) -> Int64 {
    guard bits > 0 else { return self }
    return (self &>> Int64(bits)) &+ ((self &>> (Int64(bits) &- 1)) & 1)
  }

  /// `roundedShift` for a value known to be more than half a unit below the top, where the sum wraps.
  ///
  /// `bits` is 1...62. Cost: one addition and one shift; for inner loops.
  @inlinable
  public func nearbyShift(right bits: Int) -> Int64 {
    (self &+ (1 &<< (Int64(bits) &- 1))) &>> Int64(bits)
  }

  /// This value divided by `divisor`, which is above zero, rounded to nearest, halves away from zero.
  ///
  /// Zero where the divisor is not above zero; never traps.
  @inlinable
  public func roundedDivision(by divisor: Int64) -> Int64 {
    guard divisor > 0 else { return 0 }
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    guard remainder.magnitude >= divisor.magnitude &- remainder.magnitude else { return quotient }
    return self < 0 ? quotient &- 1 : quotient &+ 1
  }

  /// This value held within ±`limit`.
  @inlinable
  public func clamped(to limit: Int64) -> Int64 {
    self > limit ? limit : (self < -limit ? -limit : self)
  }

  /// `self · numerator / denominator` over a 128-bit product, rounded towards zero.
  ///
  /// A quotient beyond 64 bits is held at the end of the range, and so is a division by zero
  /// (0 / 0 is 0). Cost: one wide multiplication and one wide division.
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
