import Foundation
import Motion

/// A synthetic sensor on a limb that rotates about one axis through given angles.
struct SyntheticLimb {
  /// Samples a second.
  var rate = 100.0
  /// The angular speed of a movement in degrees a second.
  var speed = 30.0
  /// The sensor's rotation about its own z axis, and the joint axis's tilt from the horizontal.
  var mountYaw = 0.0
  var axisTilt = 0.0
  /// Whether there is a gyroscope, and its offset (degrees a second on each axis).
  var hasGyroscope = false
  var bias = 0.0
  /// Standard deviation of the acceleration noise in g.
  var noise = 0.002
  var seed: UInt64 = 3

  /// The pitch in degrees at each sample: from angle to angle, with 3 s of rest at each.
  func course(_ angles: [Double]) -> [Double] {
    var result: [Double] = []
    for (index, angle) in angles.enumerated() {
      if index > 0 {
        let from = angles[index - 1]
        let count = Int(abs(angle - from) / speed * rate)
        // A raised cosine: no jerk at either end.
        result += (0..<count).map {
          from + (angle - from) * (1 - cos(.pi * Double($0) / Double(count))) / 2
        }
      }
      result += [Double](repeating: angle, count: Int(3 * rate))
    }
    return result
  }

  /// The sensor's readings along that course, and the true vertical.
  func samples(_ angles: [Double]) -> [(sample: MotionSample, up: SIMD3<Double>)] {
    var generator = SeededGenerator(seed: seed)
    let course = course(angles)
    let tilt = axisTilt * .pi / 180
    return course.indices.map { index in
      let pitch = course[index] * .pi / 180
      let speed = index == 0 ? 0 : (course[index] - course[index - 1]) * rate
      // About the x axis, tilted towards the vertical: the vertical stays that far outside the
      // plane.
      let up = mounted(SIMD3(sin(tilt), cos(tilt) * sin(pitch), cos(tilt) * cos(pitch)))
      let turn = mounted(SIMD3(speed, 0, 0))
      let force = up + SIMD3(generator.normal(), generator.normal(), generator.normal()) * noise
      let rates = (turn + bias) / 1_000
      return (
        MotionSample(
          time: Int64(Double(index) * 1e6 / rate), acceleration: .g(force.x, force.y, force.z),
          angularRate: hasGyroscope ? .g(rates.x, rates.y, rates.z) : nil), up
      )
    }
  }

  private func mounted(_ v: SIMD3<Double>) -> SIMD3<Double> {
    let yaw = mountYaw * .pi / 180
    return SIMD3(v.x * cos(yaw) - v.y * sin(yaw), v.x * sin(yaw) + v.y * cos(yaw), v.z)
  }
}
