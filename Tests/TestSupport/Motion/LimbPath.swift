import Foundation
import Motion

/// The rotation of a limb with a sensor about a horizontal axis: it rests for a second at each
/// angle, and takes two seconds from one to the next, faster in the middle.
struct LimbPath {
  var degrees: [Double]
  /// Simultaneous rotation about the vertical in degrees a second.
  var yaw = 0.0

  init(_ degrees: [Double], yaw: Double = 0) {
    self.degrees = degrees
    self.yaw = yaw
  }

  /// The sensor's samples, 50 a second, except those within `silence` (s).
  func samples(without silence: ClosedRange<Double>? = nil) -> [MotionSample] {
    let seconds = degrees.count * 3 - 2
    return (0...seconds * 50).compactMap { index -> MotionSample? in
      let t = Double(index) / 50
      if let silence, silence.contains(t) { return nil }
      return sample(Int64(index) * 20_000, pose(at: t))
    }
  }

  /// The angle and its rate of change.
  private func pose(at t: Double) -> (angle: Double, slope: Double) {
    let leg = min(Int(t / 3), degrees.count - 1)
    let from = degrees[leg]
    let into = t - Double(leg) * 3 - 1
    guard into > 0, leg + 1 < degrees.count else { return (from, 0) }
    let half = (degrees[leg + 1] - from) / 2
    let phase = into * .pi / 2
    return (from + half * (1 - cos(phase)), half * sin(phase) * .pi / 2)
  }

  private func sample(
    _ time: Int64, _ pose: (angle: Double, slope: Double)
  ) -> MotionSample {
    let y = sin(pose.angle * .pi / 180)
    let z = cos(pose.angle * .pi / 180)
    return MotionSample(
      time: time, acceleration: Vector3(x: 0, y: Int32(y * 1_000_000), z: Int32(z * 1_000_000)),
      angularRate: Vector3(
        x: Int32(pose.slope * 1000), y: Int32(yaw * y * 1000), z: Int32(yaw * z * 1000)))
  }
}
