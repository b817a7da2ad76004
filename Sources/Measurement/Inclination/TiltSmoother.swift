import FixedPoint
import Motion

/// Finds gravity from an accelerometer alone when the whole recording is there: a first-order
/// low-pass at 2.5 Hz, to be run forwards and then backwards.
///
/// A limb's turning points are corners in its course, and a steep filter rounds them off; the gentle
/// slope of this one, run both ways, keeps them and has no lag. Its corner lies above any slow limb
/// movement and below the tremor of a muscle at work (from 6 Hz). Each interval has its own weight, so
/// uneven sampling needs no design. Force in micro-g with 8 fractional bits.
struct TiltSmoother: Hashable, Sendable {
  /// The time constant 1 / (2π · 2.5 Hz) in microseconds.
  static let timeConstant: Int64 = 63_662

  /// The filtered force.
  private(set) var force = WideVector.zero

  /// Starts as though the first sample's force had been there for ever.
  mutating func start(_ acceleration: Vector3) {
    force = WideVector(acceleration).map { $0 &<< 8 }
  }

  /// Takes the next force, `interval` microseconds after the last (1...1 000 000).
  mutating func add(_ acceleration: Vector3, interval: Int64) {
    // The weight in Q20; forces of 32 bits and 8 below leave room for it.
    let weight = (interval &<< 20) / (interval &+ Self.timeConstant)
    let error = WideVector(acceleration).map { $0 &<< 8 } - force
    force = force + error.map { ($0 &* weight).roundedShift(right: 20) }
  }
}
