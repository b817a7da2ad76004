/// A second-order filter over integers that is exact at rest.
///
/// Direct form I with a 64-bit accumulator; what the shift to the output drops is added to the next
/// accumulator (first-order error feedback), so rounding neither drifts nor sticks: a constant input
/// is reached exactly and held. Units are the caller's; micro-g leaves ten bits below the noise of
/// any sensor.
///
/// Range: inputs are held within ±2^29, outputs within ±2^30, hence no input can overflow.
/// Error against the float64 filter: at most 2 + rate / (20 · cutoff) units in the low-pass and the
/// high-pass, for cutoffs from 1/800 to 1/6 of the rate; a constant is off by nothing. Above that a
/// constant may be left flickering by one unit.
/// Cost: five multiplications.
@frozen
public struct Biquad: Hashable, Sendable {
  @usableFromInline var b0: Int64
  @usableFromInline var b1: Int64
  @usableFromInline var a1: Int64
  @usableFromInline var a2: Int64
  @usableFromInline var x1: Int64 = 0
  @usableFromInline var x2: Int64 = 0
  @usableFromInline var y1: Int64 = 0
  @usableFromInline var y2: Int64 = 0
  @usableFromInline var residue: Int64 = 0

  /// Makes a filter that has seen nothing but zeros.
  public init(_ coefficients: BiquadCoefficients) {
    b0 = coefficients.b0
    b1 = coefficients.b1
    a1 = coefficients.a1
    a2 = coefficients.a2
  }

  /// Goes on with other coefficients from the same past, as when a sensor changes its rate.
  public mutating func redesign(_ coefficients: BiquadCoefficients) {
    b0 = coefficients.b0
    b1 = coefficients.b1
    a1 = coefficients.a1
    a2 = coefficients.a2
  }

  /// The output for the next input.
  @inlinable
  public mutating func filter(_ input: Int32) -> Int32 {
    let x = Int64(input).clamped(to: 1 &<< 29)
    // |Σ b·x| <= 4·2^30·2^29 and |Σ a·y| <= 3·2^30·2^30: the sum stays below 2^63.
    let sum =
      b0 &* (x &+ x2) &+ b1 &* x1 &- a1 &* y1 &- a2 &* y2 &+ residue
    residue = sum & ((1 &<< 30) &- 1)
    let y = (sum &>> 30).clamped(to: 1 &<< 30)
    x2 = x1
    x1 = x
    y2 = y1
    y1 = y
    return Int32(truncatingIfNeeded: y)
  }

  /// Forgets the past as though `input` had stood there for ever.
  ///
  /// A low-pass then starts at `input`, a high-pass at zero; there is no transient to wait for.
  public mutating func settle(at input: Int32) {
    let x = Int64(input).clamped(to: 1 << 29)
    x1 = x
    x2 = x
    y1 = b1 >= 0 ? x : 0
    y2 = y1
    residue = 0
  }
}
