import Foundation

/// The orientation in which a sensor is worn: any rotation of its axes against the body's.
struct Mounting {
  private let columns: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  /// A uniformly distributed rotation (a random unit quaternion).
  init(using generator: inout SeededGenerator) {
    var q = SIMD4<Double>(repeating: 0)
    for index in 0..<4 { q[index] = generator.normal() }
    q /= (q * q).sum().squareRoot()
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    columns = (
      SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
      SIMD3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
      SIMD3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y))
    )
  }

  /// The sensor's reading of a vector in the body's axes.
  func read(_ v: SIMD3<Double>) -> SIMD3<Double> {
    columns.0 * v.x + columns.1 * v.y + columns.2 * v.z
  }
}

extension SeededGenerator {
  /// Three normally distributed numbers with this standard deviation.
  mutating func noise(_ deviation: Double) -> SIMD3<Double> {
    SIMD3(normal(), normal(), normal()) * deviation
  }
}
