import Foundation
import Motion

/// A made-up walk of several legs with known steps and turns between them, sensor on the hip.
struct SyntheticWalk {
  /// Steps of each leg, and seconds that each turn takes, walking on.
  var legs = [20, 20]
  var turn = 2.5
  /// Steps a second.
  var cadence = 1.8
  /// How fast the pelvis goes to and fro with the stride at the most, in degrees a second.
  var pelvis = 40.0
  /// What the gyroscope reads at rest, in degrees a second on each axis.
  var bias = 0.5
  var hasGyroscope = true
  /// Samples a second.
  var rate = 100.0
  var rest = 5.0
  var seed: UInt64 = 1

  /// When each leg ends, in s from the first sample; a turn lies around each end but the last.
  var ends: [Double] {
    var end = rest
    return legs.map { steps in
      end += Double(steps) / cadence
      return end
    }
  }

  /// The sensor's samples, worn some way or other.
  var samples: [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let mounting = Mounting(using: &generator)
    let gait = SyntheticGait(cadence: cadence, rate: rate, seed: seed)
    let ends = ends
    let steps = legs.reduce(0, +)
    return gait.samples(steps: steps, rest: rest).map { sample in
      let time = Double(sample.time) / 1e6
      let isWalking = time >= rest && time < (ends.last ?? 0)
      let turning = ends.dropLast().reduce(0) { sum, end in
        let phase = (time - end) / turn + 0.5
        return phase > 0 && phase < 1 ? sum + 180 / turn * (1 - cos(2 * .pi * phase)) : sum
      }
      let yaw = turning + (isWalking ? pelvis * sin(.pi * cadence * time) : 0)
      let a = sample.acceleration
      let force = mounting.read(SIMD3(Double(a.x), Double(a.y), Double(a.z)) / 1e6)
      let rates = (mounting.read(SIMD3(0, 0, yaw)) + bias + generator.noise(0.5)) / 1e3
      return MotionSample(
        time: sample.time, acceleration: .g(force.x, force.y, force.z),
        angularRate: hasGyroscope ? .g(rates.x, rates.y, rates.z) : nil)
    }
  }
}
