extension Q {
  /// Zero.
  @inlinable
  public static var zero: Self { Self(raw: 0) }

  /// The sum, exact within the range and saturated.
  @inlinable
  public static func + (left: Self, right: Self) -> Self {
    Self(saturating: Int64(left.raw) &+ Int64(right.raw))
  }

  /// The difference, exact within the range and saturated.
  @inlinable
  public static func - (left: Self, right: Self) -> Self {
    Self(saturating: Int64(left.raw) &- Int64(right.raw))
  }

  /// The product, rounded to nearest and saturated; off by at most half a step.
  @inlinable
  public static func * (left: Self, right: Self) -> Self {
    Self(saturating: (Int64(left.raw) &* Int64(right.raw)).roundedShift(right: fraction))
  }

  /// The negative, saturated: that of the lowest number is the highest.
  @inlinable
  public static prefix func - (number: Self) -> Self {
    Self(saturating: 0 &- Int64(number.raw))
  }

  /// Adds and saturates.
  @inlinable
  public static func += (left: inout Self, right: Self) { left = left + right }

  /// Subtracts and saturates.
  @inlinable
  public static func -= (left: inout Self, right: Self) { left = left - right }

  /// Multiplies, rounds and saturates.
  @inlinable
  public static func *= (left: inout Self, right: Self) { left = left * right }

  /// The sum wrapped around the range, and whether it did wrap.
  @inlinable
  public func addingReportingOverflow(_ other: Self) -> (partialValue: Self, overflow: Bool) {
    let (sum, overflow) = raw.addingReportingOverflow(other.raw)
    return (Self(raw: sum), overflow)
  }

  /// The rounded product wrapped around the range, and whether it did wrap.
  @inlinable
  public func multipliedReportingOverflow(
    by other: Self
  ) -> (partialValue: Self, overflow: Bool) {
    let product = (Int64(raw) &* Int64(other.raw)).roundedShift(right: fraction)
    let wrapped = Int32(truncatingIfNeeded: product)
    return (Self(raw: wrapped), Int64(wrapped) != product)
  }

  /// How far from zero, saturated.
  @inlinable
  public var magnitude: Self { raw < 0 ? -self : self }
}
