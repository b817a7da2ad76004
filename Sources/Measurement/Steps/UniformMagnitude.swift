import FixedPoint
import Motion

/// Turns samples of any rate and jitter into the magnitude of acceleration at 25 Hz.
///
/// The magnitude is taken as straight lines between the samples, by their own times, and averaged
/// over cells of 40 ms. The average is the anti-alias filter: it removes what would fold onto slow
/// gait from a fast sensor, and leaves one of 25 Hz nearly as it is. Magnitude only, so that the
/// way a sensor is mounted cannot matter.
struct UniformMagnitude: Hashable, Sendable {
  /// Microseconds a cell lasts.
  static let cell: Int64 = 40_000
  /// Micro-g that count as the most: the widest range sold, 32 g.
  static let limit: UInt64 = 32_000_000

  /// The magnitude at the last sample, in micro-g.
  private var last: Int64 = 0
  /// Microseconds of the open cell that are filled, 0..<`cell`.
  private var filled: Int64 = 0
  /// Integral over them, in micro-g microseconds, doubled so that trapezia stay whole.
  private var area: Int64 = 0
  /// The line being followed: where it ends, in micro-g, and in how many microseconds.
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

  /// Takes the next sample, `interval` microseconds after the last (1...1 000 000), and says whether
  /// it completed a cell.
  ///
  /// If so, call `next()` until it has no more before adding another.
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
  /// Magnitudes are below 2^25 and times below 2^20: nothing here can overflow.
  @inline(__always)
  mutating func next() -> Int32? {
    let part = Self.cell &- filled
    guard rest >= part else {
      fill()
      return nil
    }
    // The line's value where the cell ends: a product below 2^46 is exact as a float, and so is its
    // quotient, cut off, since one that is not whole lies further from the next integer than 2^-20.
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
    // The processor's root is correctly rounded everywhere (IEEE 754), and below 2^50 a root that
    // is not whole lies further from the next integer than its rounding: cut off, it is exact.
    return Int64(Double(Int64(bitPattern: squares)).squareRoot())
  }
}
