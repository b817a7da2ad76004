extension UInt64 {
  /// The largest integer whose square is not above this one, exactly.
  ///
  /// The processor's own square root is correctly rounded everywhere (IEEE 754) and within one of
  /// the answer; the integer comparison after it settles which, so the result owes nothing to
  /// floating point. Cost: one hardware square root and two multiplications.
  @inlinable
  public var integerSquareRoot: UInt64 {
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
