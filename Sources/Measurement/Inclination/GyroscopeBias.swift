import FixedPoint
import Motion

/// Estimates the bias of a gyroscope from its readings at rest.
///
/// Rest is 1.5 s in which neither rate nor force leaves a narrow corridor around its own slow mean.
/// A bias beyond 2 degrees a second is rejected: it may be a slow, steady turn. The bias is the
/// mean over the last 4 s of rest at most, so that the onset of a movement, which is inside the
/// corridor for a moment, has little weight.
struct GyroscopeBias: Hashable, Sendable {
  /// The shortest rest in microseconds.
  static let rest: Int64 = 1_500_000
  /// The largest deviation of rate (thousandths of a degree a second) and force (micro-g) at rest.
  private static let rateCorridor: Int64 = 2_000
  private static let forceCorridor: Int64 = 50_000
  /// The largest plausible bias, in thousandths of a degree a second.
  static let limit: Int64 = 2_000
  /// Time constant of the slow means, in microseconds.
  static let smoothing: Int64 = 500_000
  /// Microseconds of rest over which the bias is averaged.
  static let memory: Int64 = 4_000_000
  /// Fractional bits of the means: their rounding error is below a thousandth of a degree a second.
  private static let bits: Int64 = 10

  /// The bias in sixteenths of a thousandth of a degree a second, as `Rotation` takes it.
  var bias: WideVector {
    learnt.map { $0.nearbyShift(right: Int(Self.bits) - Rotation.rateBits) }
  }
  private var learnt: WideVector
  /// Slow means.
  private var rate = WideVector.zero
  private var force = WideVector.zero
  /// Microseconds without movement until now, and of all rest so far.
  private var still: Int64 = 0
  private var rested: Int64 = 0

  /// Makes an estimate with an initial bias, in the unit of `bias`.
  init(bias: WideVector = .zero) {
    learnt = bias.map { $0 << (Self.bits - Int64(Rotation.rateBits)) }
  }

  /// Takes the next sample, `interval` microseconds after the last (1...`StreamMonitor`'s longest);
  /// returns whether the sensor rests.
  @inline(__always)
  @discardableResult
  mutating func add(
    rate newRate: WideVector, acceleration: Vector3, interval: Int64
  ) -> Bool {
    let newForce = WideVector(acceleration)
    let weight = Self.share(interval, of: Self.smoothing)
    rate = Self.blend(rate, newRate.map { $0 &<< Self.bits }, weight)
    force = Self.blend(force, newForce.map { $0 &<< Self.bits }, weight)
    let strayed =
      (newRate - rate.map { $0 &>> Self.bits }).peak > Self.rateCorridor
      || (newForce - force.map { $0 &>> Self.bits }).peak > Self.forceCorridor
      || rate.peak &>> Self.bits > Self.limit
    guard !strayed else {
      still = 0
      return false
    }
    still += interval
    guard still >= Self.rest else { return false }
    rested = min(rested + interval, Self.memory)
    learnt = Self.blend(learnt, rate, Self.share(interval, of: rested))
    return true
  }

  /// `interval` / `whole`, at most one, in Q20.
  private static func share(_ interval: Int64, of whole: Int64) -> Int64 {
    (min(interval, whole) &<< 20) / whole
  }

  /// The weighted mean of two: differences of 32-bit readings have 33 bits and ten fractional bits.
  private static func blend(_ mean: WideVector, _ new: WideVector, _ weight: Int64) -> WideVector {
    mean + (new - mean).map { ($0 &* weight).nearbyShift(right: 20) }
  }
}
