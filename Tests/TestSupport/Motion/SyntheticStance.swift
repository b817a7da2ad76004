import Foundation
import Motion

/// A synthetic standing person who sways by sums of sines of known acceleration.
struct SyntheticStance {
  /// Frequency in hertz and amplitude in g of each part, to the front and to the side.
  var front: [(frequency: Double, amplitude: Double)] = [(0.3, 0.012), (0.8, 0.004)]
  var side: [(frequency: Double, amplitude: Double)] = [(0.45, 0.007), (1.1, 0.002)]
  /// The sensor's tilt in degrees, and its rotation about the front-to-back axis.
  var lean = 12.0
  var roll = 0.0
  /// Standard deviation of each axis's noise in g.
  var noise = 0.002
  /// Samples a second, and the deviation of each interval as a fraction of it.
  var rate = 100.0
  var jitter = 0.1
  var seconds = 30.0
  var seed: UInt64 = 1

  /// The acceleration in g along one direction.
  static func sum(_ parts: [(frequency: Double, amplitude: Double)], _ time: Double) -> Double {
    parts.enumerated().reduce(0) { sum, part in
      let (number, (frequency, amplitude)) = part
      return sum + amplitude * sin(2 * .pi * frequency * time + 1.7 * Double(number))
    }
  }

  /// The sensor's samples; its z axis points to the back.
  var samples: [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let (lean, roll) = (lean * .pi / 180, roll * .pi / 180)
    return (0..<Int(seconds * rate) + 1).map { index in
      let time = (Double(index) + jitter * generator.normal()) / rate
      let body = SIMD3(Self.sum(side, time), 1, Self.sum(front, time))
      let leaning = SIMD3(
        body.x, body.y * cos(lean) - body.z * sin(lean), body.y * sin(lean) + body.z * cos(lean))
      let read =
        SIMD3(
          leaning.x * cos(roll) - leaning.y * sin(roll),
          leaning.x * sin(roll) + leaning.y * cos(roll), leaning.z) + generator.noise(noise)
      return MotionSample(
        time: Int64(time * 1e6) + 5_000_000, acceleration: .g(read.x, read.y, read.z))
    }
  }
}
