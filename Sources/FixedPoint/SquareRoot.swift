extension UInt64 {
  /// The largest integer whose square is not above this one, exactly.
  ///
  /// The processor's own square root is correctly rounded everywhere (IEEE 754) and within one of
  /// the answer; the integer comparison after it settles which, so the result owes nothing to
  /// floating point. Below 2^50 there is nothing to settle: such an integer is exact as a float, and
  /// its root is at least 2^-26 away from the next integer, the rounding at most 2^-29.
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
  /// The largest integer whose square is not above this one, exactly.
  ///
  /// A 32-bit integer is exact as a float, whose correctly rounded root cannot reach the next
  /// integer: the distance to it is at least 2^-18, the rounding 2^-37.
  @inlinable
  public var integerSquareRoot: UInt32 {
    UInt32(Double(self).squareRoot())
  }
}
