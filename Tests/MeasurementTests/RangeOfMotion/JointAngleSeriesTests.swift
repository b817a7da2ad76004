import Testing

@testable import Measurement

struct UnwrappedAngleTests {
  static let courses: [(angles: [Int64], lowest: Int64, highest: Int64, last: Int64)] = [
    ([10], 10, 10, 10),
    ([0, 100, 170, -170, -100], 0, 260, 260),
    ([0, -100, -170, 170, 100], -260, 0, -260),
    ([0, 120, 0], 0, 120, 0),
    ([0, 720], 0, 0, 0),
    ([170, -170, 170], 170, 190, 170),
  ]

  @Test(arguments: courses)
  func `an angle goes on where the circle begins anew`(
    angles: [Int64], lowest: Int64, highest: Int64, last: Int64
  ) {
    var course = UnwrappedAngle()
    for angle in angles { course.add(angle * 1_000_000) }
    #expect(course.lowest == lowest * 1_000_000)
    #expect(course.highest == highest * 1_000_000)
    #expect(course.last == last * 1_000_000)
  }
}

struct JointAngleSeriesTests {
  /// A course that goes from angle to angle in straight lines of a second, at 50 Hz.
  private func course(_ angles: [Int64]) -> JointAngleSeries {
    var course = JointAngleSeries()
    for (leg, (from, to)) in zip(angles, angles.dropFirst()).enumerated() {
      for step in 0..<50 {
        let angle = from * 1_000_000 + (to - from) * 1_000_000 * Int64(step) / 50
        course.add(angle, at: Int64(leg * 50 + step) * 20_000)
      }
    }
    course.add((angles.last ?? 0) * 1_000_000, at: Int64(angles.count - 1) * 1_000_000)
    return course
  }

  static let movements: [(angles: [Int64], repetitions: Int)] = [
    ([0, 90], 1), ([0, 90, 0], 1), ([0, 90, 0, 90, 0, 90, 0], 3), ([90, 0, 90, 0], 2),
    ([0, 50, 40, 90, 0], 1), ([0, 90, 70, 90, 0], 1), ([0, 5, 0, 5, 0], 0), ([20, 20, 20], 0),
    ([0, 60, -60, 0], 1), ([0, 60, -60, 60, -60, 0], 2),
  ]

  @Test(arguments: movements)
  func `a repetition is from one end to the other`(angles: [Int64], repetitions: Int) {
    #expect(course(angles).repetitions == repetitions)
  }

  @Test
  func `a hold at the far end has its mean, its spread and its time`() throws {
    let hold = try #require(course([0, 0, 0, 90, 91, 89, 90, 0]).hold)
    #expect(abs(hold.mean - 90) < 0.2)
    #expect((0.4...0.8).contains(hold.deviation))
    #expect((3.0...3.1).contains(hold.duration))
    #expect(abs(hold.startTime - 3_000_000) <= 40_000)
  }

  @Test
  func `of two holds the longer counts, and the start is none`() throws {
    let hold = try #require(course([90, 90, 90, 90, 90, 0, 0, 60, 10, 10, 10, 90]).hold)
    #expect(abs(hold.mean - 10) < 0.2)
    #expect(abs(hold.duration - 2) < 0.1)
  }

  @Test(arguments: [[0, 90, 0], [0, 0, 0], [0, 80, 92, 80, 92, 0]] as [[Int64]])
  func `a turning point is no hold, and neither is rest nor sway`(angles: [Int64]) {
    #expect(course(angles).hold == nil)
  }

  @Test
  func `between two points the angle is on the line`() {
    var course = JointAngleSeries()
    course.add(170_000_000, at: 0)
    course.add(-170_000_000, at: 100_000)
    var index = 0
    #expect(course.angle(at: -1, from: &index) == nil)
    #expect(course.angle(at: 0, from: &index) == 170_000_000)
    #expect(course.angle(at: 25_000, from: &index) == 175_000_000)
    #expect(course.angle(at: 100_000, from: &index) == 190_000_000)
    #expect(course.angle(at: 100_001, from: &index) == nil)
  }

  @Test
  func `a point that is not after the last is passed over`() {
    var course = JointAngleSeries()
    course.add(1_000_000, at: .max)
    course.add(80_000_000, at: .min)
    #expect(course.points == [JointAngleSeries.Point(time: .max, angle: 1_000_000)])
  }
}
