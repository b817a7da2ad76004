/// A joint's angle over time, never jumping round the circle.
struct JointCourse: Hashable, Sendable {
  /// An angle in microdegrees at a time in microseconds.
  struct Point: Hashable, Sendable {
    let time: Int64
    let angle: Int64
  }

  /// Microdegrees below which nothing was moved: the least change that a goniometer can tell at the
  /// knee is 6.3°.
  static let leastMovement: Int64 = 6_300_000

  private(set) var points: [Point] = []
  private var course = AngleCourse()

  /// The smallest and the largest angle.
  var lowest: Int64 { course.lowest }
  var highest: Int64 { course.highest }
  /// Whether the course is more than the unrest of a limb held still.
  var isMovement: Bool { highest - lowest >= Self.leastMovement }

  /// Takes the next direction in microdegrees, of which whole turns mean nothing; one whose time is
  /// not after the last is passed over.
  mutating func add(_ angle: Int64, at time: Int64) {
    if let last = points.last, time <= last.time { return }
    course.add(angle)
    points.append(Point(time: time, angle: course.last ?? angle))
  }

  /// How often the limb went from one end of its range to the other and came back, the last time
  /// perhaps without coming back.
  ///
  /// An end is the outer third of the range: a movement that pauses or trembles half-way is one still.
  var repetitions: Int {
    guard isMovement else { return 0 }
    let third = (highest - lowest) / 3
    var first: Bool?
    var isHigh: Bool?
    var arrivals = 0
    for point in points {
      let isAtTop = point.angle > highest - third
      guard isAtTop || point.angle < lowest + third, isAtTop != isHigh else { continue }
      isHigh = isAtTop
      if let first, first != isAtTop { arrivals += 1 }
      first = first ?? isAtTop
    }
    return arrivals
  }

  /// The angle at a time between the first and the last point, on the line between its neighbours.
  ///
  /// `index` is that of a point not after the time, and moves along with it.
  func angle(at time: Int64, from index: inout Int) -> Int64? {
    while index + 1 < points.count, points[index + 1].time <= time { index += 1 }
    guard index < points.count, points[index].time <= time else { return nil }
    let before = points[index]
    guard before.time < time else { return before.angle }
    guard index + 1 < points.count else { return nil }
    let after = points[index + 1]
    // A sound stream has at most half a second and 180° between two points.
    let share = (after.angle - before.angle) * (time - before.time) / (after.time - before.time)
    return before.angle + share
  }
}
