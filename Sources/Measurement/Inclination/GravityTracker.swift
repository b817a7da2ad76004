import FixedPoint

/// Finds gravity from accelerometer and gyroscope together.
///
/// The specific force is low-passed as a room would see it: both states of a second-order Butterworth
/// filter are carried along by the gyroscope, so that turning leaves them in place while shaking
/// averages out. The force is not normalised first: a jerk that is strong is also short, and in the
/// sum it cancels. (The idea is that of VQF, Laidig and Seel 2023, without its quaternion.)
/// Integers throughout: force in micro-g with 8 fractional bits.
struct GravityTracker: Hashable, Sendable {
  /// The time constant √2 / (2π·fc) in microseconds; between 2 and 3 s it hardly matters.
  static let timeConstant: Int64 = 2_500_000
  /// Micro-g that count as the most on one axis, 16 g, so that products stay within 64 bits.
  static let limit: Int64 = 16_000_000

  /// The filtered force, and its rate of change over the natural frequency.
  private(set) var force = WideVector.zero
  private var drift = WideVector.zero
  /// The filtered force in whole micro-g.
  var microg: WideVector { force.map { $0.roundedShift(right: 8) } }
  /// Microseconds since the start; at first the force is the mean of all that came.
  private var age: Int64 = 0
  private var samples: Int64 = 0

  /// Starts at the first sample's force.
  mutating func start(_ acceleration: Vector3) {
    force = Self.scaled(acceleration)
    drift = .zero
    age = 0
    samples = 1
  }

  /// Takes the next force, after the sensor made `turn` in `interval` microseconds.
  mutating func add(_ acceleration: Vector3, turn: Rotation, interval: Int64) {
    force = turn.carry(force)
    age += interval
    samples += 1
    let error = Self.scaled(acceleration) - force
    guard age >= Self.timeConstant else {
      let count = samples
      force = force + error.map { $0.roundedDivision(by: count) }
      return
    }
    // ω·dt with ω = √2 / τ in Q24: 1 518 500 250 is √2·2^30.
    let gain = (interval * 1_518_500_250 / Self.timeConstant) >> 6
    let previous = turn.carry(drift)
    // Damping 1/√2 makes the factor of the drift √2: 23 726 566 in Q24.
    drift =
      previous
      + WideVector(
        x: Self.pull(error.x, previous.x, gain), y: Self.pull(error.y, previous.y, gain),
        z: Self.pull(error.z, previous.z, gain))
    force = force + drift.map { ($0 * gain).roundedShift(right: 24) }
  }

  private static func pull(_ error: Int64, _ drift: Int64, _ gain: Int64) -> Int64 {
    let damped = error - (drift * 23_726_566).roundedShift(right: 24)
    return (damped * gain).roundedShift(right: 24)
  }

  private static func scaled(_ acceleration: Vector3) -> WideVector {
    WideVector(acceleration).map { $0.clamped(to: limit) << 8 }
  }
}
