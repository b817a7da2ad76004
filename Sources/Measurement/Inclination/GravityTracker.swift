import FixedPoint
import Motion

/// Finds gravity from accelerometer and gyroscope together.
///
/// The specific force is low-passed as a room would see it: both states of a second-order Butterworth
/// filter are carried along by the gyroscope, so that turning leaves them in place while shaking
/// averages out. The force is not normalised first: a jerk that is strong is also short, and in the
/// sum it cancels. (The idea is that of VQF, Laidig and Seel 2023, without its quaternion.)
/// Integers throughout: force in micro-g with 8 fractional bits. Cost: some 50 multiplications; none
/// of the sums can leave 64 bits, so they are the ones without a check.
struct GravityTracker: Hashable, Sendable {
  /// The time constant √2 / (2π·fc) in microseconds; between 2 and 3 s it hardly matters.
  static let timeConstant: Int64 = 2_500_000
  /// Micro-g that count as the most on one axis, 16 g, so that products stay within 64 bits.
  static let limit: Int64 = 16_000_000

  /// The filtered force, and its rate of change over the natural frequency.
  private var force = WideVector.zero
  private var drift = WideVector.zero
  /// Microseconds since the start; at first the force is the mean of all that came.
  private var age: Int64 = 0
  private var samples: Int64 = 0

  /// Starts at the first sample's force, and returns it.
  mutating func start(_ acceleration: Vector3) -> WideVector {
    force = Self.scaled(acceleration)
    drift = .zero
    age = 0
    samples = 1
    return force
  }

  /// The filtered force after the next one, which the sensor met after it made `turn` in `interval`
  /// microseconds.
  @inline(__always)
  mutating func add(_ acceleration: Vector3, turn: Rotation, interval: Int64) -> WideVector {
    let carried = turn.carry(force)
    let error = Self.scaled(acceleration) - carried
    guard age >= Self.timeConstant else {
      age += interval
      samples += 1
      let count = samples
      force = carried + error.map { $0.roundedDivision(by: count) }
      return force
    }
    // ω·dt with ω = √2 / τ in Q24: 1 518 500 250 is √2·2^30.
    let gain = (interval &* 1_518_500_250 / Self.timeConstant) &>> 6
    let previous = turn.carry(drift)
    let newDrift = WideVector(
      x: Self.pulled(previous.x, error.x, gain), y: Self.pulled(previous.y, error.y, gain),
      z: Self.pulled(previous.z, error.z, gain))
    let newForce = carried + newDrift.map { ($0 &* gain).nearbyShift(right: 24) }
    drift = newDrift
    force = newForce
    return newForce
  }

  /// The drift after one more step: damping 1/√2 makes its factor √2, 23 726 566 in Q24.
  private static func pulled(_ drift: Int64, _ error: Int64, _ gain: Int64) -> Int64 {
    let damped = error &- (drift &* 23_726_566).nearbyShift(right: 24)
    return drift &+ (damped &* gain).nearbyShift(right: 24)
  }

  private static func scaled(_ acceleration: Vector3) -> WideVector {
    WideVector(acceleration).map { $0.clamped(to: limit) &<< 8 }
  }
}
