import Testing

@testable import Measurement

struct AngleCourseTests {
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
    var course = AngleCourse()
    for angle in angles { course.add(angle * 1_000_000) }
    #expect(course.lowest == lowest * 1_000_000)
    #expect(course.highest == highest * 1_000_000)
    #expect(course.last == last * 1_000_000)
  }
}
