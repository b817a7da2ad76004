/// The coefficients of a second-order Butterworth section in Q2.30, designed in integers.
///
/// With t = π·cutoff/rate the bilinear transform gives, without a tangent to divide by,
/// `b0 = sin² t / n`, `a2 = (1 - √2 sin t cos t) / n`, `n = 1 + √2 sin t cos t` (high-pass: cos² t).
/// Sine and cosine are Taylor series over 60-bit integers, so that every machine designs the same
/// filter: libm's differ in their last bit. The rounded coefficients are then tied together so that
/// the low-pass has a gain of exactly one at rest and the high-pass exactly none.
public struct BiquadCoefficients: Hashable, Sendable {
  /// Weight of the newest and of the oldest input.
  public let b0: Int64
  /// Weight of the middle input.
  public let b1: Int64
  /// Weight of the previous output, subtracted.
  public let a1: Int64
  /// Weight of the output before it, subtracted.
  public let a2: Int64

  /// Takes coefficients designed before, in Q2.30 with the magnitude of each below 2^31.
  public init(b0: Int64, b1: Int64, a1: Int64, a2: Int64) {
    self.b0 = b0
    self.b1 = b1
    self.a1 = a1
    self.a2 = a2
  }

  /// The value of one.
  static let one: Int64 = 1 << 30

  /// Designs a low-pass that lets pass what is slower than `cutoff`; -3 dB there, 12 dB an octave.
  ///
  /// Both frequencies are in the same unit, whichever it is. `nil` unless 0 < cutoff < rate / 2 and
  /// the cutoff is at least 1/20 000 of the rate, below which Q2.30 cannot hold `b0`.
  public static func lowPass(cutoff: Int64, rate: Int64) -> Self? {
    guard let prototype = Prototype(cutoff: cutoff, rate: rate) else { return nil }
    let b0 = prototype.quotient(of: prototype.sineSquared)
    guard b0 > 0 else { return nil }
    // DC-exact: 4·b0 = 1 + a1 + a2.
    let a2 = prototype.a2
    return Self(b0: b0, b1: 2 * b0, a1: 4 * b0 - one - a2, a2: a2)
  }

  /// Designs a high-pass that lets pass what is faster than `cutoff`; -3 dB there.
  ///
  /// Units and refusals are those of `lowPass`.
  public static func highPass(cutoff: Int64, rate: Int64) -> Self? {
    guard let prototype = Prototype(cutoff: cutoff, rate: rate) else { return nil }
    let b0 = prototype.quotient(of: prototype.cosineSquared)
    // Nyquist-exact: 4·b0 = 1 - a1 + a2. At rest b0 + b1 + b2 = 0 whatever the rounding.
    let a2 = prototype.a2
    return Self(b0: b0, b1: -2 * b0, a1: one + a2 - 4 * b0, a2: a2)
  }
}

/// What both designs share: powers of sin t and cos t in Q60.
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
