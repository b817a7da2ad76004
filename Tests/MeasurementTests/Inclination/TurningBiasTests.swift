import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

/// A gyroscope's bias that shows only while the sensor moves.
struct TurningBiasTests {
  /// Seconds of swinging about x at 100 Hz, ±40° in 2.5 s without a pause, rolled by an angle about
  /// y: readings with this bias (degrees a second), and the true vertical.
  private func swinging(
    seconds: Int, bias: SIMD3<Double>, roll: (Double) -> Double = { _ in 0 }, shaking: Double = 0
  ) -> [(sample: MotionSample, up: SIMD3<Double>)] {
    var generator = SeededGenerator(seed: 11)
    var before: SIMD2<Double>?
    return (0..<seconds * 100).map { index in
      let time = Double(index) / 100
      // The sensor is pitched about the room's level axis, then rolled about its own y axis.
      let angles = SIMD2(40 * sin(2 * .pi * time / 2.5), roll(time)) * .pi / 180
      let change = (angles - (before ?? angles)) * 100 * 180 / .pi
      before = angles
      let level = SIMD3(0, sin(angles.x), cos(angles.x))
      let up = rolled(level, by: angles.y)
      let rate = rolled(SIMD3(change.x, 0, 0), by: angles.y) + SIMD3(0, change.y, 0) + bias
      let force = up + generator.noise(shaking)
      return (
        MotionSample(
          time: Int64(index) * 10_000, acceleration: .g(force.x, force.y, force.z),
          angularRate: .g(rate.x / 1_000, rate.y / 1_000, rate.z / 1_000)), up
      )
    }
  }

  private func rolled(_ v: SIMD3<Double>, by angle: Double) -> SIMD3<Double> {
    SIMD3(v.x * cos(angle) - v.z * sin(angle), v.y, v.x * sin(angle) + v.z * cos(angle))
  }

  /// The mean error of the last ten seconds, in degrees.
  private func error(_ truth: [(sample: MotionSample, up: SIMD3<Double>)]) -> Double {
    var filter = InclinationFilter()
    let errors = truth.map { filter.add($0.sample).error(against: $0.up) }
    return errors.suffix(1_000).reduce(0, +) / 1_000
  }

  @Test(arguments: [
    SIMD3(1.2, 0, 0), SIMD3(0, -1.2, 0), SIMD3(0.8, 0.8, 0.8), SIMD3(0, 0, 0),
  ])
  func `a sensor that never rests shows its bias by moving`(bias: SIMD3<Double>) {
    #expect(error(swinging(seconds: 60, bias: bias)) < 0.3)
    #expect(error(swinging(seconds: 60, bias: bias, roll: { 30 * sin($0 / 2) })) < 0.3)
  }

  @Test
  func `shaking is no bias`() {
    #expect(error(swinging(seconds: 60, bias: .zero, shaking: 0.05)) < 0.4)
  }

  @Test
  func `a bias about the vertical stays unknown until the sensor is tilted`() {
    let samples = swinging(seconds: 1, bias: .zero).map(\.sample)
    var filter = InclinationFilter()
    for sample in samples { _ = filter.add(sample) }
    // Spun about z at a degree a second: gravity does not turn.
    var last: Vector3?
    for index in 100..<6_000 {
      let sample = MotionSample(
        time: Int64(index) * 10_000,
        acceleration: .g(index.isMultiple(of: 2) ? 0.06 : -0.06, 0, 1),
        angularRate: .g(0, 0, 0.001))
      last = filter.add(sample).up
    }
    let up = last.map { Inclination(time: 0, up: $0).components.z } ?? 0
    #expect(up > 0.9999)
  }

  @Test
  func `a gap restarts the room and keeps the bias`() {
    let truth = swinging(seconds: 60, bias: SIMD3(1.2, 0, 0))
    var filter = InclinationFilter()
    for (sample, _) in truth { _ = filter.add(sample) }
    var errors: [Double] = []
    for (sample, up) in truth.prefix(1_000) {
      let later = MotionSample(
        time: sample.time + 70_000_000, acceleration: sample.acceleration,
        angularRate: sample.angularRate)
      errors.append(filter.add(later).error(against: up))
    }
    #expect((errors.max() ?? .infinity) < 0.5)
  }

  /// The bias that a rest shows counts as much as twenty seconds of movement.
  @Test
  func `after a rest the estimate begins from what it showed`() {
    var estimate = TurningBias()
    estimate.rest(at: WideVector(x: 16_000, y: -8_000, z: 4_000))
    #expect(estimate.bias == WideVector(x: 16_000, y: -8_000, z: 4_000))
    let level = CarriedLowPass(WideVector(x: 0, y: 0, z: 256_000_000))
    for _ in 0..<400 {
      estimate.add(rate: .zero, interval: 10_000, force: level, isResting: false)
    }
    // Four seconds in which gravity stood still, but what was removed had not been noticed yet.
    #expect(abs(estimate.bias.x - 16_000) < 3_000)
    #expect(estimate.bias.z == 4_000)
  }

  @Test
  func `free fall and the largest readings change nothing and trap nothing`() {
    var estimate = TurningBias()
    let most = WideVector(x: 4_096_000_000, y: -4_096_000_000, z: 4_096_000_000)
    for _ in 0..<100 {
      estimate.add(
        rate: .zero, interval: 250_000, force: CarriedLowPass(), isResting: false)
    }
    #expect(estimate.bias == .zero)
    for _ in 0..<10_000 {
      estimate.add(
        rate: WideVector(x: 64_000_000, y: -64_000_000, z: 64_000_000), interval: 250_000,
        force: CarriedLowPass(most), isResting: false)
    }
    #expect(estimate.bias.peak <= 32_000)
  }
}
