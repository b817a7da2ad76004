import Foundation
import Measurement
import Motion

/// A made-up thigh with a sensor on it: seated at 75° from upright, standing at 0°.
struct ThighPath {
  /// When the thigh is at which angle, in s and degrees; it goes smoothly from one to the next.
  var points: [(time: Double, degrees: Double)]
  /// When the person walks.
  var walks: ClosedRange<Double>?
  /// When the person turns round.
  var turns: [ClosedRange<Double>] = []

  /// So many stands from a chair, one in 3.2 s, 3 s of sitting before and after.
  static func stands(_ count: Int) -> ThighPath {
    var path = ThighPath(points: [(0, 75), (3, 75)])
    for number in 0..<count {
      let start = 3 + 3.2 * Double(number)
      path.points += [(start + 1.1, 0), (start + 1.5, 0), (start + 2.7, 75), (start + 3.2, 75)]
    }
    path.points.append((6 + 3.2 * Double(count), 75))
    return path
  }

  /// A timed up and go: the thigh moves from 4 s to 14.3 s.
  static let upAndGo = ThighPath(
    points: [(0, 75), (4, 75), (5.4, 0), (12.8, 0), (14.3, 75), (18.3, 75)], walks: 5.4...12.8,
    turns: [8.0...9.3, 11.7...12.8])

  /// What the sensor reads, 100 times a second.
  var samples: [MotionSample] {
    (0..<Int((points.last?.time ?? 0) * 100)).map { index in
      let time = Double(index) / 100
      let pitch = pitch(at: time) * .pi / 180
      let slope = (self.pitch(at: time + 0.001) - self.pitch(at: time)) * 1_000
      let stepping = walks.map { $0.contains(time) ? time - $0.lowerBound : 0 } ?? 0
      let force = 1 + 0.3 * sin(2 * .pi * 1.8 * stepping)
      let yaw = turns.reduce(0) { $0 + Self.halfTurn(at: time, in: $1) }
      return MotionSample(
        time: Int64(index) * 10_000,
        acceleration: Vector3(
          x: 0, y: Int32(force * sin(pitch) * 1e6), z: Int32(force * cos(pitch) * 1e6)),
        angularRate: Vector3(
          x: Int32(slope * 1_000), y: Int32(yaw * sin(pitch) * 1_000),
          z: Int32(yaw * cos(pitch) * 1_000)))
    }
  }

  private func pitch(at time: Double) -> Double {
    let next = points.firstIndex { $0.time > time } ?? points.count - 1
    let (from, to) = (points[max(next - 1, 0)], points[next])
    let part = to.time > from.time ? min((time - from.time) / (to.time - from.time), 1) : 1
    let step = walks.map { $0.contains(time) ? 15 * sin(1.8 * .pi * (time - $0.lowerBound)) : 0 }
    return from.degrees + (to.degrees - from.degrees) * (1 - cos(.pi * part)) / 2 + (step ?? 0)
  }

  /// Degrees a second, coming up to speed and stopping in 0.3 s.
  private static func halfTurn(at time: Double, in turn: ClosedRange<Double>) -> Double {
    let speed = 180 / (turn.upperBound - turn.lowerBound - 0.3)
    let edge = min(time - turn.lowerBound, turn.upperBound - time)
    return min(max(edge / 0.3, 0), 1) * speed
  }
}

/// A made-up body part that keeps its place and only trembles or sways.
enum Wobble {
  /// A hand that trembles at 5 Hz by 0.05 g along one axis, 100 samples a second.
  static func tremor(seconds: Double) -> [MotionSample] {
    samples(seconds) { 0.05 * sin(2 * .pi * 5 * $0) }
  }

  /// A back that sways at 0.5 Hz by 0.01 g to the front; z points there.
  static func sway(seconds: Double) -> [MotionSample] {
    samples(seconds) { 0.01 * sin(2 * .pi * 0.5 * $0) }
  }

  private static func samples(
    _ seconds: Double, _ front: (Double) -> Double
  ) -> [MotionSample] {
    (0..<Int(seconds * 100)).map { index in
      MotionSample(
        time: Int64(index) * 10_000,
        acceleration: Vector3(x: 0, y: 1_000_000, z: Int32(front(Double(index) / 100) * 1e6)))
    }
  }
}
