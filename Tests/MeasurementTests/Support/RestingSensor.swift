import Measurement
import Motion

@testable import TestSupport

/// A made-up sensor that is laid on one side after another, and reads wrong.
struct RestingSensor {
  /// The reading of each axis without a force, in g, and the factor of a force.
  var offset = SIMD3<Double>.zero
  var gain = SIMD3<Double>(repeating: 1)
  /// Deviation of each axis's noise in g.
  var noise = 0.004
  /// Seconds on each side, and seconds that turning to the next takes.
  var rest = 2.0
  var turn = 1.0

  /// The six sides, by the force in g.
  static let sides: [SIMD3<Double>] = [
    SIMD3(1, 0, 0), SIMD3(-1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, -1, 0), SIMD3(0, 0, 1),
    SIMD3(0, 0, -1),
  ]

  /// 100 samples a second of lying on `sides`, turned from each to the next.
  func samples(_ sides: [SIMD3<Double>]) -> [MotionSample] {
    var generator = SeededGenerator(seed: 7)
    var forces: [SIMD3<Double>] = []
    for (index, side) in sides.enumerated() {
      if index > 0 {
        let from = sides[index - 1]
        let steps = Int(turn * 100)
        forces += (0..<steps).map { from + (side - from) * (Double($0) / Double(steps)) }
      }
      forces += [SIMD3<Double>](repeating: side, count: Int(rest * 100))
    }
    return forces.enumerated().map { index, force in
      let read = force * gain + offset + generator.noise(noise)
      return MotionSample(
        time: Int64(index) * 10_000, acceleration: .g(read.x, read.y, read.z))
    }
  }
}
