import FixedPoint
import Motion

/// Resamples the magnitude of acceleration from any rate and jitter to 25 Hz.
///
/// The magnitude is interpolated linearly between the samples' times and averaged over cells of 40
/// ms. The average is the anti-alias filter: it attenuates what would alias into gait from a fast
/// sensor, and changes a signal of 25 Hz little. The magnitude does not depend on the mounting.
struct UniformMagnitude: Hashable, Sendable {
  /// Microseconds in a cell.
  static let cell: Int64 = 40_000
  /// The clamp in micro-g: 32 g, the widest range sold.
  static let limit: UInt64 = 32_000_000

  /// The magnitude at the last sample, in micro-g.
  private var last: Int64 = 0
  /// Microseconds of the open cell that are filled, 0..<`cell`.
  private var filled: Int64 = 0
  /// Integral over them, in micro-g microseconds, doubled so that trapezia stay whole.
  private var area: Int64 = 0
  /// The end of the current line in micro-g, and the microseconds until then.
  private var target: Int64 = 0
  private var rest: Int64 = 0

  /// Starts a stretch at its first sample; returns that sample's magnitude in micro-g.
  mutating func start(_ acceleration: Vector3) -> Int32 {
    last = Self.magnitude(acceleration)
    filled = 0
    area = 0
    rest = 0
    return Int32(truncatingIfNeeded: last)
  }

  /// Takes the next sample, `interval` microseconds after the last (1...3 000 000), and returns
  /// whether it completed a cell.
  ///
  /// If so, call `next()` until it returns `nil` before the next sample.
  @inline(__always)
  mutating func add(_ acceleration: Vector3, interval: Int64) -> Bool {
    target = Self.magnitude(acceleration)
    rest = interval
    guard filled &+ interval < Self.cell else { return true }
    fill()
    return false
  }

  /// The mean magnitude in micro-g of the next cell that the last sample completed.
  ///
  /// Magnitudes are below 2^25 and times below 2^22: nothing here can overflow.
  @inline(__always)
  mutating func next() -> Int32? {
    let part = Self.cell &- filled
    guard rest >= part else {
      fill()
      return nil
    }
    // The line's value at the end of the cell. A product below 2^41 is exact as a float, and so is
    // its truncated quotient: one that is not whole is at least 2^-22 from the next integer.
    let end =
      rest == part ? target : last &+ Int64(Double((target &- last) &* part) / Double(rest))
    let mean = (area &+ (last &+ end) &* part) / (2 * Self.cell)
    rest &-= part
    last = end
    filled = 0
    area = 0
    return Int32(truncatingIfNeeded: mean)
  }

  /// Follows the line to its end, which lies within the open cell.
  @inline(__always)
  private mutating func fill() {
    area &+= (last &+ target) &* rest
    filled &+= rest
    last = target
    rest = 0
  }

  @inline(__always)
  private static func magnitude(_ acceleration: Vector3) -> Int64 {
    let x = Int64(acceleration.x)
    let y = Int64(acceleration.y)
    let z = Int64(acceleration.z)
    // Three times 2^62 at most, which an unsigned sum holds.
    let squares = UInt64(bitPattern: x &* x &+ y &* y &+ z &* z)
    guard squares < limit * limit else { return Int64(limit) }
    // IEEE 754 roots are correctly rounded, and below 2^50 a root that is not whole is further from
    // the next integer than its rounding error: truncated, it is exact.
    return Int64(Double(Int64(bitPattern: squares)).squareRoot())
  }
}

/// Band-passes the 25 Hz magnitude to the band of walking and running: 1 to 4.5 Hz, or at 12.5 Hz
/// an octave lower.
///
/// Below are gravity, breathing and posture; above are impacts and vibration. A high-pass at 0.5 Hz
/// instead of 0.9 Hz adds a percentage point of error to walks at a usual pace.
struct GaitBand: Hashable, Sendable {
  /// Butterworth sections at 1 Hz and 4.5 Hz for 25 Hz, as `BiquadCoefficients` designs them.
  static let slow = BiquadCoefficients(
    b0: 898_817_674, b1: -1_797_635_348, a1: -1_768_946_684, a2: 752_582_188)
  static let fast = BiquadCoefficients(
    b0: 187_998_926, b1: 375_997_852, a1: -557_597_789, a2: 235_851_669)

  /// The output's unit in micro-g: a fiftieth of the amplitude of a phone held in front of the
  /// body.
  static let unit: Int32 = 1_000
  /// The output's limit, 4 g: people do not exceed it in this band, and sums of squares fit 32
  /// bits.
  static let limit: Int32 = 4_000

  private var highPass: Biquad
  private var lowPass: Biquad

  init(tuning: GaitTuning) {
    let rate = 1_000_000_000 / UniformMagnitude.cell
    highPass = Biquad(.highPass(cutoff: Int64(tuning.slowest), rate: rate) ?? Self.slow)
    lowPass = Biquad(.lowPass(cutoff: Int64(tuning.fastest), rate: rate) ?? Self.fast)
  }

  /// Starts a stretch in the steady state of a constant `magnitude` in micro-g.
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
