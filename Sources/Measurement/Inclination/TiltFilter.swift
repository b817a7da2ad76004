import FixedPoint
import Motion

/// Estimates gravity from an accelerometer alone: three Butterworth low-passes at 2 Hz.
///
/// Accurate while the sensor moves slowly, which `Steadiness` measures. The sections are designed
/// for the measured rate, and redesigned when it changes by more than a sixteenth.
struct TiltFilter: Hashable, Sendable {
  /// Corner frequency in micro-hertz: above any slow limb movement, below a heel strike.
  static let corner: Int64 = 2_000_000

  /// One filter for each axis, once an interval is known.
  private var filters: Axes?
  /// Mean interval in microseconds with 8 fractional bits, and the one the filters are designed
  /// for.
  private var interval: Int64 = 0
  private var designed: Int64 = 0
  /// The filtered force in micro-g.
  private(set) var force = WideVector.zero

  private struct Axes: Hashable, Sendable {
    var x: Biquad
    var y: Biquad
    var z: Biquad

    mutating func filter(_ force: Vector3) -> Vector3 {
      Vector3(x: x.filter(force.x), y: y.filter(force.y), z: z.filter(force.z))
    }
  }

  /// Starts in the steady state of the first sample's force.
  mutating func start(_ acceleration: Vector3) {
    force = WideVector(acceleration)
    filters = nil
    interval = 0
    designed = 0
  }

  /// Takes the next force, `newInterval` microseconds after the last (1...1 000 000).
  mutating func add(_ acceleration: Vector3, interval newInterval: Int64) {
    // The first interval, then a mean over about 32 of them: jitter averages out.
    interval = interval == 0 ? newInterval << 8 : interval + ((newInterval << 8) - interval) / 32
    if abs(interval - designed) > designed / 16 { redesign() }
    guard let filtered = filters?.filter(acceleration) else { return }
    force = WideVector(filtered)
  }

  private mutating func redesign() {
    // 2^8 · 10^12 over the mean interval: the rate in micro-hertz.
    let rate = 256_000_000_000_000 / max(interval, 1)
    let cutoff = min(Self.corner, rate * 2 / 5)
    guard let design = BiquadCoefficients.lowPass(cutoff: cutoff, rate: rate) else { return }
    designed = interval
    if var axes = filters {
      axes.x.redesign(design)
      axes.y.redesign(design)
      axes.z.redesign(design)
      filters = axes
    } else {
      filters = Axes(
        x: Self.settled(design, force.x), y: Self.settled(design, force.y),
        z: Self.settled(design, force.z))
    }
  }

  private static func settled(_ design: BiquadCoefficients, _ input: Int64) -> Biquad {
    var filter = Biquad(design)
    filter.settle(at: Int32(clamping: input))
    return filter
  }
}

/// Estimates gravity from accelerometer and gyroscope.
///
/// The specific force is low-passed in the room's frame, so that rotations do not disturb it while
/// shaking averages out. The force is not normalised first: a strong jerk is short and cancels in
/// the sum. (The idea of VQF, Laidig and Seel 2023, without its quaternion.) Integers: force in
/// micro-g with 8 fractional bits. Cost: about 50 multiplications. All sums fit 64 bits and wrap
/// without a check.
struct GravityTracker: Hashable, Sendable {
  /// The clamp on each axis in micro-g: 16 g, so that products fit 64 bits.
  static let limit: Int64 = 16_000_000

  /// The filtered force.
  private(set) var force = CarriedLowPass()
  /// Microseconds since the start; until the filter's time constant the force is the mean of all
  /// samples.
  private var age: Int64 = 0
  private var samples: Int64 = 0

  /// Whether the force is low-passed, not a mean any more.
  var isSettled: Bool { age >= CarriedLowPass.timeConstant }

  /// Starts at the first sample's force, and returns it.
  mutating func start(_ acceleration: Vector3) -> WideVector {
    force = CarriedLowPass(Self.scaled(acceleration))
    age = 0
    samples = 1
    return force.value
  }

  /// The filtered force after the next sample, which follows a rotation by `turn` in `interval`
  /// microseconds.
  @inline(__always)
  mutating func add(_ acceleration: Vector3, turn: Rotation, interval: Int64) -> WideVector {
    if isSettled {
      force.add(Self.scaled(acceleration), turn: turn, gain: CarriedLowPass.gain(interval))
    } else {
      age += interval
      samples += 1
      force.average(Self.scaled(acceleration), turn: turn, count: samples)
    }
    return force.value
  }

  private static func scaled(_ acceleration: Vector3) -> WideVector {
    WideVector(acceleration).map { $0.clamped(to: limit) &<< 8 }
  }
}
