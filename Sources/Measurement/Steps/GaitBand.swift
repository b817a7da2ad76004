import FixedPoint

/// Keeps of the 25 Hz magnitude what walking and running put there: 0.9 to 3.5 Hz.
///
/// Below lie gravity's remainder, breathing and posture; above lie impacts and vibration. A high-pass
/// at 0.5 Hz instead of 0.9 Hz costs a point of error.
struct GaitBand: Hashable, Sendable {
  /// Butterworth sections at 0.9 Hz and 3.5 Hz for 25 Hz, as `BiquadCoefficients` designs them.
  static let slow = BiquadCoefficients(
    b0: 914_967_421, b1: -1_829_934_842, a1: -1_806_327_080, a2: 779_800_780)
  static let fast = BiquadCoefficients(
    b0: 126_004_716, b1: 252_009_432, a1: -886_086_523, a2: 316_363_563)

  /// The output's unit in micro-g: a fiftieth of what a phone held before
  /// the body shows.
  static let unit: Int32 = 1_000
  /// The output's end, 4 g: no body keeps up more in this band, and sums of squares stay in 32 bits.
  static let limit: Int32 = 4_000

  private var highPass: Biquad
  private var lowPass: Biquad

  init(tuning: GaitTuning) {
    let rate = 1_000_000_000 / UniformMagnitude.cell
    highPass = Biquad(.highPass(cutoff: Int64(tuning.slowest), rate: rate) ?? Self.slow)
    lowPass = Biquad(.lowPass(cutoff: Int64(tuning.fastest), rate: rate) ?? Self.fast)
  }

  /// Starts a stretch as though `magnitude` micro-g had been there for ever.
  mutating func settle(at magnitude: Int32) {
    highPass.settle(at: magnitude)
    lowPass.settle(at: 0)
  }

  /// The band's next value, in thousandths of g within ±4 g.
  mutating func filter(_ magnitude: Int32) -> Int16 {
    let value = lowPass.filter(highPass.filter(magnitude)) / Self.unit
    return Int16(truncatingIfNeeded: max(-Self.limit, min(Self.limit, value)))
  }
}
