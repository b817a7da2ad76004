import Foundation
import Motion

/// A synthetic walk of several legs with known steps and turns between them, measured at the hip.
struct SyntheticWalk {
  /// The steps of each leg, and the duration of each turn in seconds; walking continues in turns.
  var legs = [20, 20]
  var turn = 2.5
  /// Steps a second.
  var cadence = 1.8
  /// The pelvis's maximum angular rate with the stride, in degrees a second.
  var pelvis = 40.0
  /// The gyroscope's offset on each axis in degrees a second.
  var bias = 0.5
  var hasGyroscope = true
  /// Samples a second.
  var rate = 100.0
  var rest = 5.0
  var seed: UInt64 = 1

  /// The end of each leg in s from the first sample; a turn surrounds each end but the last.
  var ends: [Double] {
    var end = rest
    return legs.map { steps in
      end += Double(steps) / cadence
      return end
    }
  }

  /// The sensor's samples, in any mounting.
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
