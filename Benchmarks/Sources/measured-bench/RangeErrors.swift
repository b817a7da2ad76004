import Foundation
import Measurement
import Motion

/// How far ranges of motion in windows of 10 s are off, in degrees.
///
/// A range is the largest less the smallest inclination of the sensor's z axis. Windows begin every
/// second and only what moves in them counts: half of a window at least, and 20° or more.
struct RangeErrors {
  /// In windows where rms(|a| / 1 g - 1) stays below 0.05.
  private(set) var slow: [Double] = []
  /// In all of them.
  private(set) var all: [Double] = []

  private static let window: Int64 = 10_000_000
  private static let slowest = 0.05

  mutating func add(_ directions: [SIMD3<Double>], _ trial: BroadTrial) {
    let times = trial.samples.map(\.time)
    let excess = trial.samples.map { sample -> Double in
      let a = sample.acceleration
      let force = SIMD3(Double(a.x), Double(a.y), Double(a.z)) / 1e6
      let difference = (force * force).sum().squareRoot() - 1
      return difference * difference
    }
    let found = directions.map(\.inclination)
    let truth = trial.truth.map { $0?.inclination }
    var begin = BroadTrial.settling
    while let last = times.last, begin + Self.window <= last {
      let first = times.firstIndex { $0 >= begin } ?? 0
      let end = times[first...].firstIndex { $0 >= begin + Self.window } ?? times.count
      let seen = (first..<end).filter { trial.isMoving[$0] && truth[$0] != nil }
      let range = Self.range(seen.compactMap { truth[$0] })
      if seen.count * 2 >= end - first, range >= 20 {
        let error = abs(Self.range(seen.map { found[$0] }) - range)
        all.append(error)
        let mean = seen.reduce(0) { $0 + excess[$1] } / Double(seen.count)
        if mean.squareRoot() < Self.slowest { slow.append(error) }
      }
      begin += 1_000_000
    }
  }

  private static func range(_ angles: [Double]) -> Double {
    guard let low = angles.min(), let high = angles.max() else { return 0 }
    return high - low
  }

  /// Mean and 95th percentile.
  static func summary(_ errors: [Double]) -> String {
    guard !errors.isEmpty else { return "none" }
    let sorted = errors.sorted()
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    let high = sorted[min(sorted.count - 1, sorted.count * 95 / 100)]
    return column(mean, digits: 2, width: 5) + " / " + column(high, digits: 2, width: 4)
  }
}

extension SIMD3<Double> {
  /// The angle in degrees between the z axis and this direction.
  fileprivate var inclination: Double { atan2((x * x + y * y).squareRoot(), z) * 180 / .pi }
}
