import Foundation
import Motion

/// Synthetic walking with known steps: vertical bounce at the step rate, sway at the stride rate.
struct SyntheticGait {
  /// Steps a second.
  var cadence = 1.8
  /// Amplitude of the bounce in g.
  var bounce = 0.25
  /// Samples a second.
  var rate = 50.0
  /// Standard deviation of each axis's noise in g, and of each interval as a fraction of it.
  var noise = 0.01
  var jitter = 0.0
  /// The fraction of lost samples.
  var loss = 0.0
  var seed: UInt64 = 1

  /// Standing for `rest` seconds, walking for `steps` steps, standing again.
  func samples(steps: Int, rest: Double = 8, start: Int64 = 0) -> [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let walk = Double(steps) / cadence
    var result: [MotionSample] = []
    for index in 0..<Int((walk + 2 * rest) * rate) {
      let time = (Double(index) + jitter * generator.normal()) / rate
      let noise = (0..<3).map { _ in self.noise * generator.normal() }
      guard Double.random(in: 0..<1, using: &generator) >= loss else { continue }
      let phase = (time - rest) * cadence * 2 * .pi
      let isWalking = time >= rest && time < rest + walk
      let vertical = isWalking ? bounce * (sin(phase) + 0.2 * sin(phase / 2)) : 0
      let sideways = isWalking ? 0.3 * bounce * sin(phase / 2) : 0
      result.append(
        MotionSample(
          time: start + Int64(time * 1e6),
          acceleration: .g(sideways + noise[0], noise[1], 1 + vertical + noise[2])))
    }
    return result
  }
}

extension SeededGenerator {
  /// An approximately normal random number: the sum of twelve uniform ones less six.
  mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
  }

  /// A 32-bit integer; in a third of the cases zero or one of the limits.
  mutating func extreme() -> Int32 {
    switch next() % 12 {
    case 0: .min
    case 1: .max
    case 2: 0
    case 3: -1
    default: Int32(truncatingIfNeeded: next() >> 16)
    }
  }

  /// A sample with extreme components at an extreme time, or shortly after `time`.
  mutating func wildSample(after time: Int64) -> MotionSample {
    let wildTimes: [Int64] = [.min, .max, 0, -1, Int64(truncatingIfNeeded: next())]
    let isWild = next() % 500 == 0
    let soon = time &+ Int64(next() % 60_000)
    return MotionSample(
      time: isWild ? wildTimes[Int(next() % 5)] : soon,
      acceleration: Vector3(x: extreme(), y: extreme(), z: extreme()),
      angularRate: next() % 3 == 0 ? nil : Vector3(x: extreme(), y: extreme(), z: extreme()))
  }
}

extension Vector3 {
  /// The vector of these components in g.
  static func g(_ x: Double, _ y: Double, _ z: Double) -> Self {
    Self(
      x: Int32((x * 1e6).rounded()), y: Int32((y * 1e6).rounded()), z: Int32((z * 1e6).rounded()))
  }

  /// The vector after swapping and negating axes, as in another mounting.
  func remounted(_ mounting: Int) -> Self {
    switch mounting % 6 {
    case 0: Self(x: y, y: z, z: x)
    case 1: Self(x: -x, y: -y, z: z)
    case 2: Self(x: z, y: y, z: -x)
    case 3: Self(x: -y, y: x, z: z)
    case 4: Self(x: x, y: -z, z: y)
    default: Self(x: -z, y: -x, z: y)
    }
  }
}
