import Foundation
import Motion

/// A made-up sensor on a limb that turns about one axis through given angles.
struct SyntheticLimb {
  /// Samples a second.
  var rate = 100.0
  /// Degrees a second while it moves.
  var speed = 30.0
  /// How far the sensor is turned about its own z axis, and the joint's axis out of the level.
  var mountYaw = 0.0
  var axisTilt = 0.0
  /// Whether there is a gyroscope, and what it reads at rest (degrees a second on each axis).
  var hasGyroscope = false
  var bias = 0.0
  /// Standard deviation of the noise of force in g.
  var noise = 0.002
  var seed: UInt64 = 3

  /// The pitch in degrees at each sample: from angle to angle, resting 3 s at each.
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

  /// What the sensor reads along that course, and which way up truly was.
  func samples(_ angles: [Double]) -> [(sample: MotionSample, up: SIMD3<Double>)] {
    var generator = SeededGenerator(seed: seed)
    let course = course(angles)
    let tilt = axisTilt * .pi / 180
    return course.indices.map { index in
      let pitch = course[index] * .pi / 180
      let speed = index == 0 ? 0 : (course[index] - course[index - 1]) * rate
      // About the x axis, leant by the tilt towards the vertical: up stays so far beside the plane.
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
