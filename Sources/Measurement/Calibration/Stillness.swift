import FixedPoint
import Motion

/// What a sensor read while it lay still.
struct Stillness: Hashable, Sendable {
  /// Microseconds that it must lie still.
  static let shortest: Int64 = 1_000_000
  /// Micro-g that an axis may stray from its mean: the noise of a cheap sensor, not a hand's tremor.
  static let corridor: Int64 = 50_000

  /// The mean reading in micro-g.
  let mean: WideVector

  init(_ samples: [MotionSample]) throws(CalibrationRefusal) {
    guard let first = samples.first?.time, let last = samples.last?.time, samples.count >= 10,
      case let (duration, overflow) = last.subtractingReportingOverflow(first),
      overflow || duration >= Self.shortest
    else { throw .tooShort }
    let sum = samples.reduce(WideVector.zero) { $0 + WideVector($1.acceleration) }
    let mean = sum.map { $0.roundedDivision(by: Int64(samples.count)) }
    let isStill = samples.allSatisfy {
      (WideVector($0.acceleration) - mean).peak <= Self.corridor
    }
    guard isStill else { throw .moved }
    self.mean = mean
  }

  /// The axis (0, 1, 2) that points up or down, and which.
  func vertical() throws(CalibrationRefusal) -> (axis: Int, isUp: Bool) {
    let parts = [mean.x, mean.y, mean.z]
    let axis = parts.indices.max { abs(parts[$0]) < abs(parts[$1]) } ?? 0
    // tan 10° is 0.176; an offset of 100 mg comes on top.
    let allowed = abs(parts[axis]) * 176 / 1_000 + AccelerometerCalibration.largestOffset
    let isStraight = parts.indices.allSatisfy { $0 == axis || abs(parts[$0]) <= allowed }
    guard isStraight else { throw .slanted }
    return (axis, parts[axis] > 0)
  }
}
