import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct RotationPlaneTests {
  /// Unit vectors about an axis through `arc` degrees, `height` above the plane, with noise.
  private func ups(arc: Double, height: Double = 0, noise: Double = 0) -> [Vector3] {
    var generator = SeededGenerator(seed: 11)
    return (0...200).compactMap { index in
      let angle = arc * (Double(index) / 200 - 0.5) * .pi / 180
      let radius = (1 - height * height).squareRoot()
      let up = SIMD3(height, radius * sin(angle), radius * cos(angle))
      let noisy = up + SIMD3(generator.normal(), generator.normal(), generator.normal()) * noise
      return WideVector(
        x: Int64(noisy.x * 0x1p40), y: Int64(noisy.y * 0x1p40), z: Int64(noisy.z * 0x1p40)
      ).unit
    }
  }

  @Test(arguments: [(10.0, 0.0), (40, 0), (180, 0), (360, 0), (90, 0.34), (180, 0.6)])
  func `the axis is found, level or not`(arc: Double, height: Double) throws {
    let plane = try #require(RotationPlane(ups(arc: arc, height: height, noise: 0.001)))
    #expect(plane.axis.x > 1_073_000_000)
    #expect(!plane.isUpright)
  }

  @Test
  func `a short arc in noise keeps to the plane through the origin`() throws {
    let plane = try #require(RotationPlane(ups(arc: 15, noise: 0.01)))
    #expect(plane.axis.x > 1_060_000_000)
  }

  @Test
  func `an axis near the vertical says so`() throws {
    #expect(try #require(RotationPlane(ups(arc: 300, height: 0.95))).isUpright)
  }

  @Test
  func `a movement about several axes has no plane, and neither has none`() {
    let tumbling = (0..<300).compactMap { index -> Vector3? in
      let a = Double(index) * 0.07
      let b = Double(index) * 0.031
      return WideVector(
        x: Int64(sin(a) * cos(b) * 0x1p40), y: Int64(sin(a) * sin(b) * 0x1p40),
        z: Int64(cos(a) * 0x1p40)
      ).unit
    }
    #expect(RotationPlane(tumbling) == nil)
    #expect(RotationPlane([]) == nil)
  }
}
