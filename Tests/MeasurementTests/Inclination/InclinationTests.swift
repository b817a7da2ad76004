import Foundation
import Measurement
import Motion
import TestSupport
import Testing

struct InclinationTests {
  static let directions: [(up: Vector3, angle: Int32)] = [
    (Vector3(x: 0, y: 0, z: 1 << 30), 0), (Vector3(x: 0, y: 0, z: -1 << 30), 180_000),
    (Vector3(x: 1 << 30, y: 0, z: 0), 90_000), (Vector3(x: 0, y: -1 << 30, z: 0), 90_000),
    (Vector3(x: 0, y: 759_250_125, z: 759_250_125), 45_000),
    (Vector3(x: 18_740, y: 0, z: 1 << 30), 1), (Vector3(x: .min, y: .min, z: .min), 125_264),
  ]

  @Test(arguments: directions)
  func `the angle is that between z and up`(up: Vector3, angle: Int32) {
    #expect(Inclination(time: 0, up: up).angle == angle)
  }

  @Test
  func `the angle is exact to its unit, at the poles as well`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2_000 {
      let angle = Double.random(in: 0...Double.pi, using: &generator)
      let side = Double.random(in: 0...2 * Double.pi, using: &generator)
      let up = SIMD3(sin(angle) * cos(side), sin(angle) * sin(side), cos(angle)) * 0x1p30
      let inclination = Inclination(
        time: 0, up: Vector3(x: Int32(up.x), y: Int32(up.y), z: Int32(up.z)))
      #expect(abs(Double(inclination.angle) - angle * 180_000 / .pi) <= 0.51)
    }
  }

  @Test
  func `the angle between two directions is that of a turn from one to the other`() {
    var generator = SeededGenerator(seed: 6)
    func unit(_ vector: SIMD3<Double>) -> SIMD3<Double> {
      vector / (vector * vector).sum().squareRoot()
    }
    func inclination(_ vector: SIMD3<Double>) -> Inclination {
      let up = vector * 0x1p30
      return Inclination(
        time: 0, up: Vector3(x: Int32(up.x), y: Int32(up.y), z: Int32(up.z)))
    }
    for _ in 0..<2_000 {
      let random = (0..<6).map { _ in Double.random(in: -1...1, using: &generator) }
      let from = unit(SIMD3(random[0], random[1], random[2]) * 0.999_999)
      let other = SIMD3(random[3], random[4], random[5])
      // Perpendicular to the first one.
      let side = unit(other - from * (from * other).sum())
      let angle = Double.random(in: 0...Double.pi, using: &generator)
      let to = (from * cos(angle) + side * sin(angle)) * 0.999_999
      let measured = inclination(from * 0.999_999).angle(to: inclination(to))
      #expect(abs(Double(measured) - angle * 180_000 / .pi) <= 1)
    }
    let lowest = Inclination(time: 0, up: Vector3(x: .min, y: .min, z: .min))
    let highest = Inclination(time: 0, up: Vector3(x: .max, y: .min, z: .max))
    _ = (lowest.angle(to: lowest), lowest.angle(to: highest))
  }
}
