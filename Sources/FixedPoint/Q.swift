/// A fixed-point number: a 32-bit integer that counts units of 2^-`fraction`.
///
/// `Q<30>` spans ±2 in steps of 9.3e-10, `Q<16>` spans ±32 768 in steps of 1.5e-5. `fraction` is
/// 0...31. Sums and products beyond the range saturate at its end; the `…ReportingOverflow` forms
/// wrap and report it. Nothing traps.
///
/// A product is formed in 64 bits and rounded to nearest: its error is at most half a step.
@frozen
public struct Q<let fraction: Int>: Hashable, Sendable {
  /// The count of 2^-`fraction` units.
  public var raw: Int32

  /// Makes the number of `raw` steps of 2^-`fraction`.
  @inlinable
  public init(raw: Int32) {
    self.raw = raw
  }

  /// Makes the number nearest to an integer, saturated.
  @inlinable
  public init(_ value: Int) {
    let limit = Int64(Int32.max)
    let bounded = Int64(value).clamped(to: limit)
    self.init(saturating: bounded &<< Int64(fraction))
  }

  /// Makes the number nearest to `numerator / denominator`; a division by zero saturates.
  @inlinable
  public init(_ numerator: Int32, over denominator: Int32) {
    // Twice the quotient, so that the last bit decides the rounding.
    let doubled = (Int64(numerator) &<< 1).scaled(
      by: 1 &<< Int64(fraction), over: Int64(denominator))
    self.init(saturating: doubled.roundedShift(right: 1))
  }

  /// Makes the number nearest to `value`, saturated; not-a-number is zero.
  @inlinable
  public init(_ value: Double) {
    let scaled = (value * Double(Int64(1) &<< Int64(fraction))).rounded()
    self.init(
      raw: scaled >= Double(Int32.max)
        ? .max : scaled <= Double(Int32.min) ? .min : scaled.isNaN ? 0 : Int32(scaled))
  }

  /// Makes the number of `raw` steps, saturated.
  @inlinable
  public init(saturating raw: Int64) {
    self.raw = Int32(clamping: raw)
  }

  /// The number as a `Double`, exactly.
  @inlinable
  public var double: Double {
    Double(raw) / Double(Int64(1) &<< Int64(fraction))
  }

  /// The smallest step, 2^-`fraction`.
  @inlinable
  public static var step: Self { Self(raw: 1) }

  /// The same number with another number of fractional bits, rounded to nearest and saturated.
  @inlinable
  public func converted<let other: Int>(to type: Q<other>.Type = Q<other>.self) -> Q<other> {
    other >= fraction
      ? Q<other>(saturating: Int64(raw) &<< Int64(other - fraction))
      : Q<other>(saturating: Int64(raw).roundedShift(right: fraction - other))
  }
}

extension Q: Comparable {
  /// Compares by value.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

extension Q: CustomStringConvertible {
  /// The decimal value and the format, such as `0.75 (Q2)`.
  public var description: String { "\(double) (Q\(fraction))" }
}

// MARK: - Arithmetic

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

  /// The product, rounded to nearest and saturated; the error is at most half a step.
  @inlinable
  public static func * (left: Self, right: Self) -> Self {
    Self(saturating: (Int64(left.raw) &* Int64(right.raw)).roundedShift(right: fraction))
  }

  /// The negative, saturated: the negative of the lowest number is the highest.
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

  /// The sum wrapped around the range, and whether it wrapped.
  @inlinable
  public func addingReportingOverflow(_ other: Self) -> (partialValue: Self, overflow: Bool) {
    let (sum, overflow) = raw.addingReportingOverflow(other.raw)
    return (Self(raw: sum), overflow)
  }

  /// The rounded product wrapped around the range, and whether it wrapped.
  @inlinable
  public func multipliedReportingOverflow(
    by other: Self
  ) -> (partialValue: Self, overflow: Bool) {
    let product = (Int64(raw) &* Int64(other.raw)).roundedShift(right: fraction)
    let wrapped = Int32(truncatingIfNeeded: product)
    return (Self(raw: wrapped), Int64(wrapped) != product)
  }

  /// The absolute value, saturated.
  @inlinable
  public var magnitude: Self { raw < 0 ? -self : self }
}
