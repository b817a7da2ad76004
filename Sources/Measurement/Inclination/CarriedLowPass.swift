import FixedPoint

/// A second-order Butterworth low-pass of a vector in the room's frame, seen from the sensor.
///
/// The gyroscope rotates both of its states, so the sensor's rotation does not disturb them. Values
/// must be below 2^33.
struct CarriedLowPass: Hashable, Sendable {
  /// The time constant √2 / (2π·fc) in microseconds; values from 2 to 3 s give similar results.
  static let timeConstant: Int64 = 2_500_000
  /// The natural frequency √2 / `timeConstant`, in sixteenths of a thousandth of a degree a second.
  static let frequency: Int64 = 518_602

  /// The filtered vector.
  private(set) var value: WideVector
  /// Its rate of change over the natural frequency.
  private(set) var drift = WideVector.zero

  /// Makes a filter in the steady state of a vector.
  init(_ value: WideVector = .zero) {
    self.value = value
  }

  /// The natural frequency times an interval in microseconds (1...1 000 000), in Q24: 1 518 500 250
  /// is √2·2^30.
  @inline(__always)
  static func gain(_ interval: Int64) -> Int64 {
    (interval &* 1_518_500_250 / timeConstant) &>> 6
  }

  /// Takes the next vector, which follows a rotation by `turn`.
  @inline(__always)
  mutating func add(_ input: WideVector, turn: Rotation, gain: Int64) {
    let carried = turn.carry(value)
    let error = input - carried
    let previous = turn.carry(drift)
    drift = WideVector(
      x: Self.pulled(previous.x, error.x, gain), y: Self.pulled(previous.y, error.y, gain),
      z: Self.pulled(previous.z, error.z, gain))
    value = carried + drift.map { ($0 &* gain).nearbyShift(right: 24) }
  }

  /// Takes the next vector into the mean of `count` of them.
  @inline(__always)
  mutating func average(_ input: WideVector, turn: Rotation, count: Int64) {
    let carried = turn.carry(value)
    value = carried + (input - carried).map { $0.roundedDivision(by: count) }
  }

  /// The drift after one more step: damping 1/√2 makes its factor √2, 23 726 566 in Q24.
  @inline(__always)
  private static func pulled(_ drift: Int64, _ error: Int64, _ gain: Int64) -> Int64 {
    let damped = error &- (drift &* 23_726_566).nearbyShift(right: 24)
    return drift &+ (damped &* gain).nearbyShift(right: 24)
  }
}
