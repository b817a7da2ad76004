import Foundation
import Measurement
import Motion

extension Inclination {
  /// The angle between this direction and another, in degrees.
  func error(against truth: SIMD3<Double>) -> Double {
    let (x, y, z) = components
    let up = SIMD3(x, y, z)
    let cross = SIMD3(
      up.y * truth.z - up.z * truth.y, up.z * truth.x - up.x * truth.z,
      up.x * truth.y - up.y * truth.x)
    return atan2((cross * cross).sum().squareRoot(), (up * truth).sum()) * 180 / .pi
  }
}
