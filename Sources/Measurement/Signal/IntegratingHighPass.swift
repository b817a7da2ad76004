import FixedPoint

/// The integral of a signal, without what is slower than a cutoff: a second-order Butterworth
/// high-pass of the sum of its inputs.
///
/// One of the two zeros of the high-pass at 0 Hz cancels the sum, so that nothing grows without a
/// limit, and a constant input leaves nothing behind.
struct IntegratingHighPass: Hashable, Sendable {
  /// The limit of an input and of the output: products with Q30 stay below 2^62.
  private static let limit: Int64 = 1 << 30

  private let coefficients: BiquadCoefficients
  private var x1: Int64 = 0
  private var y1: Int64 = 0
  private var y2: Int64 = 0

  /// Makes a filter of the coefficients of a high-pass, at rest at a constant input.
  init(_ coefficients: BiquadCoefficients, at input: Int64 = 0) {
    self.coefficients = coefficients
    x1 = input.clamped(to: Self.limit)
  }

  /// Takes the next value; the result's unit is the input's times the sampling interval.
  mutating func filter(_ input: Int64) -> Int64 {
    let x = input.clamped(to: Self.limit)
    // Each product is below 2^61; their sum may wrap only for a pole that is not stable.
    let sum =
      coefficients.b0 &* (x &- x1) &- coefficients.a1 &* y1 &- coefficients.a2 &* y2
    let y = sum.roundedShift(right: 30).clamped(to: Self.limit)
    (x1, y2, y1) = (x, y1, y)
    return y
  }
}
