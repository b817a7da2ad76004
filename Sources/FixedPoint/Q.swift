/// A fixed-point number: a 32-bit integer that counts units of 2^-`fraction`.
///
/// `Q<30>` spans ±2 in steps of 9.3e-10, `Q<16>` spans ±32 768 in steps of 1.5e-5. `fraction` is
/// 0...31. Sums and products that leave the range are held at its end (they *saturate*); the
/// `…ReportingOverflow` forms say so instead. Nothing here traps.
///
/// A product is formed in 64 bits and rounded to nearest, so it is off by at most half a step.
@frozen
public struct Q<let fraction: Int>: Hashable, Sendable {
  /// The count of 2^-`fraction` units.
  public var raw: Int32

  /// Makes the number that is `raw` steps of 2^-`fraction`.
  @inlinable
  public init(raw: Int32) {
    self.raw = raw
  }

  /// Makes the number nearest to an integer, held at the end of the range beyond it.
  @inlinable
  public init(_ value: Int) {
    let limit = Int64(Int32.max)
    let bounded = Int64(value).clamped(to: limit)
    self.init(saturating: bounded &<< Int64(fraction))
  }

  /// Makes the number nearest to `numerator / denominator`; division by zero gives the range's end.
  @inlinable
  public init(_ numerator: Int32, over denominator: Int32) {
    // Twice the quotient, so that the last bit decides the rounding.
    let doubled = (Int64(numerator) &<< 1).scaled(
      by: 1 &<< Int64(fraction), over: Int64(denominator))
    self.init(saturating: doubled.roundedShift(right: 1))
  }

  /// Makes the number nearest to `value`, held at the end of the range; not-a-number is zero.
  @inlinable
  public init(_ value: Double) {
    let scaled = (value * Double(Int64(1) &<< Int64(fraction))).rounded()
    self.init(
      raw: scaled >= Double(Int32.max)
        ? .max : scaled <= Double(Int32.min) ? .min : scaled.isNaN ? 0 : Int32(scaled))
  }

  /// Makes the number of `raw` steps, held at the end of the range.
  @inlinable
  public init(saturating raw: Int64) {
    self.raw = Int32(clamping: raw)
  }

  /// The number as a float, exactly.
  @inlinable
  public var double: Double {
    Double(raw) / Double(Int64(1) &<< Int64(fraction))
  }

  /// The smallest step, 2^-`fraction`.
  @inlinable
  public static var step: Self { Self(raw: 1) }

  /// The same number with another count of fractional bits, rounded to nearest and saturated.
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
  /// The decimal value with the digits that the step warrants, such as `0.707107 (Q30)`.
  public var description: String { "\(double) (Q\(fraction))" }
}
