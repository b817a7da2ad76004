/// A second-order filter over integers that is exact at rest.
///
/// Direct form I with a 64-bit accumulator; the bits that the shift to the output drops are added
/// to the next accumulator (first-order error feedback), so rounding has no drift and no dead band:
/// the output reaches a constant input exactly. The unit is the caller's; micro-g leaves ten bits
/// below the noise of a sensor.
///
/// Range: inputs are clamped to ±2^29, outputs to ±2^30, so no input can overflow.
/// Error against the float64 filter: at most 2 + rate / (20 · cutoff) units in the low-pass and the
/// high-pass, and 0 for a constant, for cutoffs from 1/800 to 1/6 of the rate. Above that the
/// output of a constant may alternate by one unit.
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

  /// Makes a filter whose past inputs are zeros.
  public init(_ coefficients: BiquadCoefficients) {
    b0 = coefficients.b0
    b1 = coefficients.b1
    a1 = coefficients.a1
    a2 = coefficients.a2
  }

  /// Replaces the coefficients and keeps the state, as when a sensor changes its rate.
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

  /// Sets the state that an infinitely long constant `input` leaves.
  ///
  /// A low-pass then starts at `input`, a high-pass at zero, both without a transient.
  public mutating func settle(at input: Int32) {
    let x = Int64(input).clamped(to: 1 << 29)
    x1 = x
    x2 = x
    y1 = b1 >= 0 ? x : 0
    y2 = y1
    residue = 0
  }
}

// MARK: - Design

/// The coefficients of a second-order Butterworth section in Q2.30, designed in integers.
///
/// With t = π·cutoff/rate the bilinear transform gives, without a tangent to divide by,
/// `b0 = sin² t / n`, `a2 = (1 - √2 sin t cos t) / n`, `n = 1 + √2 sin t cos t` (high-pass:
/// cos² t).
/// Sine and cosine are Taylor series over 60-bit integers, so that every machine designs the same
/// filter: implementations of libm differ in their last bit. The rounded coefficients are then
/// adjusted so that the gain at 0 Hz is exactly one in the low-pass and zero in the high-pass.
public struct BiquadCoefficients: Hashable, Sendable {
  /// Weight of the newest and of the oldest input.
  public let b0: Int64
  /// Weight of the middle input.
  public let b1: Int64
  /// Weight of the previous output, subtracted.
  public let a1: Int64
  /// Weight of the output before it, subtracted.
  public let a2: Int64

  /// Makes coefficients from stored values in Q2.30, each with a magnitude below 2^31.
  public init(b0: Int64, b1: Int64, a1: Int64, a2: Int64) {
    self.b0 = b0
    self.b1 = b1
    self.a1 = a1
    self.a2 = a2
  }

  /// The value of one.
  static let one: Int64 = 1 << 30

  /// Designs a low-pass: -3 dB at `cutoff`, 12 dB an octave above.
  ///
  /// Both frequencies are in the same unit. `nil` unless 0 < cutoff < rate / 2 and the cutoff is at
  /// least 1/20 000 of the rate, below which Q2.30 cannot represent `b0`.
  public static func lowPass(cutoff: Int64, rate: Int64) -> Self? {
    guard let prototype = Prototype(cutoff: cutoff, rate: rate) else { return nil }
    let b0 = prototype.quotient(of: prototype.sineSquared)
    guard b0 > 0 else { return nil }
    // DC-exact: 4·b0 = 1 + a1 + a2.
    let a2 = prototype.a2
    return Self(b0: b0, b1: 2 * b0, a1: 4 * b0 - one - a2, a2: a2)
  }

  /// Designs a high-pass: -3 dB at `cutoff`, 12 dB an octave below.
  ///
  /// Units and limits are those of `lowPass`.
  public static func highPass(cutoff: Int64, rate: Int64) -> Self? {
    guard let prototype = Prototype(cutoff: cutoff, rate: rate) else { return nil }
    let b0 = prototype.quotient(of: prototype.cosineSquared)
    // Nyquist-exact: 4·b0 = 1 - a1 + a2. At 0 Hz b0 + b1 + b2 = 0 for any rounding.
    let a2 = prototype.a2
    return Self(b0: b0, b1: -2 * b0, a1: one + a2 - 4 * b0, a2: a2)
  }
}

/// The common part of both designs: powers of sin t and cos t in Q60.
private struct Prototype {
  let sineSquared: Int64
  let cosineSquared: Int64
  let crossTerm: Int64

  private static let one: Int64 = 1 << 60
  /// π in Q60.
  private static let pi: Int64 = 3_622_009_729_038_561_421
  /// √2 in Q60.
  private static let squareRootOf2: Int64 = 1_630_477_228_166_597_777

  init?(cutoff: Int64, rate: Int64) {
    guard cutoff > 0, rate > 0, cutoff < rate - cutoff, cutoff >= rate / 20_000 else { return nil }
    let angle = Self.pi.scaled(by: cutoff, over: rate)
    let sine = Self.series(angle, firstTerm: angle, firstDivisor: 2)
    let cosine = Self.series(angle, firstTerm: Self.one, firstDivisor: 1)
    sineSquared = Self.product(sine, sine)
    cosineSquared = Self.product(cosine, cosine)
    crossTerm = Self.product(Self.squareRootOf2, Self.product(sine, cosine))
  }

  var a2: Int64 { quotient(of: Self.one - crossTerm) }

  /// `numerator / (1 + √2 sin t cos t)` in Q30, rounded to nearest.
  func quotient(of numerator: Int64) -> Int64 {
    numerator.scaled(by: BiquadCoefficients.one << 1, over: Self.one + crossTerm)
      .roundedShift(right: 1)
  }

  private static func product(_ a: Int64, _ b: Int64) -> Int64 {
    a.scaled(by: b, over: one)
  }

  /// Σ (-1)^k term_k of sine or cosine, each term the last times angle² / (n·(n + 1)).
  private static func series(_ angle: Int64, firstTerm: Int64, firstDivisor: Int64) -> Int64 {
    let square = product(angle, angle)
    var term = firstTerm
    var sum = firstTerm
    var divisor = firstDivisor
    // The angle is below π/2, so the 14th term is below 2^-70.
    for _ in 0..<14 {
      term = -product(term, square) / (divisor * (divisor + 1))
      sum += term
      divisor += 2
    }
    return sum
  }
}
