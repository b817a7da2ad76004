import FixedPoint

extension Vector3 {
  /// The length, rounded down, exact for any components.
  var length: UInt64 {
    let squares =
      UInt64(x.magnitude) &* UInt64(x.magnitude)
      &+ UInt64(y.magnitude) &* UInt64(y.magnitude)
      &+ UInt64(z.magnitude) &* UInt64(z.magnitude)
    return squares.integerSquareRoot
  }
}
