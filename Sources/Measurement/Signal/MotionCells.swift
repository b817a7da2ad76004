import FixedPoint
import Motion

/// Resamples force and angular rate from any rate and jitter to means over cells of 40 ms.
///
/// Both are interpolated linearly between the samples' times; the mean is the anti-alias filter.
struct MotionCells: Hashable, Sendable {
  /// Microseconds in a cell.
  static let length: Int64 = 40_000
  /// The clamps: 32 g in micro-g, 4 000 degrees a second in thousandths.
  private static let limits = (force: Int64(32_000_000), rate: Int64(4_000_000))

  /// The mean of a cell: micro-g, and thousandths of a degree a second.
  struct Mean: Hashable, Sendable {
    var force: WideVector
    var rate: WideVector
  }

  private var last: Mean
  private var target: Mean
  /// Twice the integral over the filled part of the open cell.
  private var area = Mean(force: .zero, rate: .zero)
  /// Microseconds of it, and from there to the target.
  private var filled: Int64 = 0
  private var rest: Int64 = 0

  /// Starts at a sample.
  init(_ sample: MotionSample) {
    last = Self.clamped(sample)
    target = last
  }

  /// Takes the next sample, 1...1 000 000 microseconds after the last; call `next()` until it
  /// returns `nil` before the one after.
  mutating func add(_ sample: MotionSample, interval: Int64) {
    target = Self.clamped(sample)
    rest = interval
  }

  /// The next cell that the last sample completed.
  mutating func next() -> Mean? {
    let part = Self.length - filled
    guard rest >= part else {
      integrate(to: target, over: rest)
      return nil
    }
    let share = rest == part ? 1 << 16 : (part << 16) / rest
    let end = Mean(
      force: last.force + (target.force - last.force).map { ($0 &* share) &>> 16 },
      rate: last.rate + (target.rate - last.rate).map { ($0 &* share) &>> 16 })
    integrate(to: end, over: part)
    let mean = Mean(
      force: area.force.map { $0 / (2 * Self.length) },
      rate: area.rate.map { $0 / (2 * Self.length) })
    area = Mean(force: .zero, rate: .zero)
    filled = 0
    return mean
  }

  /// Values stay below 2^26 and times below 2^20: nothing here overflows.
  private mutating func integrate(to end: Mean, over time: Int64) {
    area.force = area.force + (last.force + end.force).map { $0 &* time }
    area.rate = area.rate + (last.rate + end.rate).map { $0 &* time }
    last = end
    filled += time
    rest -= time
  }

  private static func clamped(_ sample: MotionSample) -> Mean {
    Mean(
      force: WideVector(sample.acceleration).map { $0.clamped(to: limits.force) },
      rate: sample.angularRate.map { WideVector($0).map { $0.clamped(to: limits.rate) } } ?? .zero)
  }
}
