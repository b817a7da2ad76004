import FixedPoint

/// Learns what a gyroscope reads at rest while it is at rest.
///
/// Rest is 1.5 s in which neither rate nor force leaves a narrow corridor around its own slow mean.
/// A bias beyond 2 degrees a second is not believed: it may be a slow, even turn.
struct GyroscopeBias: Hashable, Sendable {
  /// Microseconds of stillness that make a rest.
  static let rest: Int64 = 1_500_000
  /// How far rate (thousandths of a degree a second) and force (micro-g) may stray at rest.
  static let rateCorridor: Int64 = 2_000
  static let forceCorridor: Int64 = 50_000
  /// The largest bias that is believed, in thousandths of a degree a second.
  static let limit: Int64 = 2_000
  /// Time constant of the slow means, in microseconds.
  static let smoothing: Int64 = 500_000

  /// The bias in thousandths of a degree a second.
  private(set) var bias = WideVector.zero
  /// Slow means, with 8 fractional bits.
  private var rate = WideVector.zero
  private var force = WideVector.zero
  private var still: Int64 = 0

  /// Makes an estimate that begins with what is known, or with none.
  init(bias: WideVector = .zero) {
    self.bias = bias
  }

  /// Takes the next sample, `interval` microseconds after the last.
  mutating func add(rate newRate: WideVector, acceleration: Vector3, interval: Int64) {
    let newForce = WideVector(acceleration)
    rate = Self.blend(rate, newRate, interval)
    force = Self.blend(force, newForce, interval)
    let strayed =
      (newRate - rate.map { $0 >> 8 }).peak > Self.rateCorridor
      || (newForce - force.map { $0 >> 8 }).peak > Self.forceCorridor
      || rate.peak >> 8 > Self.limit
    guard !strayed else {
      still = 0
      return
    }
    still += interval
    if still >= Self.rest { bias = rate.map { ($0 + 128) >> 8 } }
  }

  private static func blend(_ mean: WideVector, _ new: WideVector, _ interval: Int64) -> WideVector
  {
    let difference = new.map { $0 << 8 } - mean
    let share = min(interval, smoothing)
    let weight = (share << 20) / smoothing
    return mean + difference.map { ($0 * weight).roundedShift(right: 20) }
  }
}
