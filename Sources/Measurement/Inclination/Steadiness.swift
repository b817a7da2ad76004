import FixedPoint
import Motion

/// How much a sensor was shaken: the root mean square of |a| / 1 g - 1.
///
/// An accelerometer alone shows gravity only while little else acts on it; this says how far to
/// believe it. Limits from the errors met on the BROAD recordings: below 0.05 they average 1.0°, to
/// 0.10 1.6°, beyond 7° and more.
struct Steadiness: Hashable, Sendable {
  /// Below this, in thousandths, an accelerometer alone is right.
  static let good = 50
  /// Above this, in thousandths, it is not to be used.
  static let refused = 100

  private var sum: UInt64 = 0
  private var count: UInt64 = 0

  /// Takes the next sample.
  mutating func add(_ acceleration: Vector3) {
    let excess = Int64(min(acceleration.length, 8_000_000)) - 1_000_000
    // Squares in units of (64 µg)²: below 2^34, which leaves room for 10^9 samples.
    sum &+= UInt64(bitPattern: excess &* excess) &>> 12
    count += 1
  }

  /// The root mean square in thousandths, rounded to nearest; `nil` before the first sample.
  var thousandths: Int? {
    guard count > 0 else { return nil }
    let root = (sum / count).integerSquareRoot
    return Int((root * 64 + 500) / 1_000)
  }
}
