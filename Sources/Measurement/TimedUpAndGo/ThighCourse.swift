import FixedPoint
import Motion

/// What a stretch of samples says about the thigh: how it lies, and how much it moves.
struct ThighCourse: Hashable, Sendable {
  /// Cells over which the force is smoothed to gravity: two thirds of a step, 1 Hz.
  static let gravityWidth = 15
  /// Cells over which the force is smoothed to what a slow change of posture leaves of it.
  static let postureWidth = 35
  /// Cells over which the departures from posture are averaged: short, to time a beginning.
  static let activityWidth = 15
  /// Cells over which they are averaged to tell walking from a jerk: a stride.
  static let strideWidth = 51
  /// Cells over which they are smoothed to tell calm from the last of a movement: half a second.
  static let calmWidth = 25
  /// Cells before and after between which gravity is compared.
  static let reach = 5

  let course: EvenCourse
  /// The unit vector that points up along the sensor's axes, Q30, one a cell.
  let ups: [Vector3]
  /// How much the thigh moves, in micro-g: the mean departure of the force from posture over 0.3 s,
  /// or the change of gravity over 0.2 s, which shows a slow and smooth rise; whichever is more.
  let activity: [Int64]
  /// The mean departure over a stride, in micro-g.
  let stride: [Int64]
  /// How little the thigh stirs, in micro-g: the departure from posture, smoothed over half a second.
  let stirring: [Int64]

  /// Derives the thigh's course from a closed stretch.
  init(_ course: EvenCourse) {
    self.course = course
    let posture = course.forces.smoothed(over: Self.postureWidth)
    let departures = zip(course.forces, posture).map { ($0 - $1).length }
    let gravity = course.forces.smoothed(over: Self.gravityWidth)
    let shaking = departures.movingMean(over: Self.activityWidth)
    activity = gravity.indices.map { index in
      let before = gravity[max(index - Self.reach, 0)]
      let after = gravity[min(index + Self.reach, gravity.count - 1)]
      return max(shaking[index], (after - before).length)
    }
    stride = departures.movingMean(over: Self.strideWidth)
    stirring = departures.smoothed(over: Self.calmWidth)
    var up = Vector3(x: 0, y: 0, z: 1 << 30)
    ups = gravity.map { force in
      up = force.unit ?? up
      return up
    }
  }

  /// The mean direction of up over some cells, Q30; `nil` where there is none.
  func up(over cells: Range<Int>) -> Vector3? {
    ups[cells].reduce(WideVector.zero) { $0 + WideVector($1) }.unit
  }
}

extension WideVector {
  /// The length of a vector with components below 2^30, rounded down.
  fileprivate var length: Int64 {
    Int64((UInt64(x * x) + UInt64(y * y) + UInt64(z * z)).integerSquareRoot)
  }
}

extension Vector3 {
  /// The cosine of the angle between two unit vectors in Q30, in Q30.
  func cosine(to other: Self) -> Int64 {
    let sum = Int64(x) * Int64(other.x) + Int64(y) * Int64(other.y) + Int64(z) * Int64(other.z)
    return sum.roundedShift(right: 30)
  }
}
