import FixedPoint
import Motion

/// A turn of a walking person about the vertical, to walk back.
struct HalfTurn: Hashable, Sendable {
  /// When it began and ended, in microseconds.
  var range: Range<Int64>
  /// By how much, in thousandths of a degree; positive is counter-clockwise from above.
  var angle: Int64

  /// When half of it was over.
  var middle: Int64 { range.lowerBound &+ (range.upperBound &- range.lowerBound) / 2 }

  /// Microseconds over which the rate is averaged: a stride, so that the pelvis or the thigh, which
  /// goes to and fro with it, turns by nothing.
  static let stride: Int64 = 1_000_000
  /// Thousandths of a degree a second from which somebody turns.
  ///
  /// El-Gohary et al. 2014, Sensors 14:356.
  static let slowest: Int64 = 15_000
  /// Thousandths of a degree from which a turn leads back: nearer to a half than to a quarter.
  static let least: Int64 = 135_000

  /// The half turns in a recording; `nil` where a sample has no angular rate.
  static func find(in samples: [MotionSample]) -> [HalfTurn]? {
    guard let heading = Heading(samples) else { return nil }
    var turns: [HalfTurn] = []
    var first: Int?
    var sign: Int64 = 0
    for index in heading.times.indices {
      let rate = heading.rate(around: index)
      let isTurning = abs(rate) >= slowest
      if let begin = first, !isTurning || rate.signum() != sign {
        let angle = heading.angles[index] - heading.angles[begin]
        if abs(angle) >= least {
          turns.append(
            HalfTurn(range: heading.times[begin]..<heading.times[index], angle: angle))
        }
        first = nil
      }
      if first == nil, isTurning {
        first = index
        sign = rate.signum()
      }
    }
    return turns
  }
}
