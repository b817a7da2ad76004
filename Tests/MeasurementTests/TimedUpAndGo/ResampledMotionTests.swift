import Motion
import TestSupport
import Testing

@testable import Measurement

struct ResampledMotionTests {
  private func sample(_ time: Int64, _ x: Int32, rate: Int32? = nil) -> MotionSample {
    MotionSample(
      time: time, acceleration: Vector3(x: x, y: 0, z: -x),
      angularRate: rate.map { Vector3(x: 0, y: $0, z: 0) })
  }

  private func followed(_ samples: [MotionSample]) -> ResampledMotion? {
    guard let first = samples.first else { return nil }
    var course = ResampledMotion(first)
    for sample in samples.dropFirst() { course.add(sample) }
    course.close()
    return course
  }

  @Test
  func `a cell is the mean of its samples`() throws {
    let course = try #require(
      followed([
        sample(20_000, 10, rate: 4), sample(25_000, 20, rate: 8), sample(45_000, 50, rate: 1),
      ]))
    #expect(course.start == 20_000)
    #expect(course.forces.map(\.x) == [15, 50])
    #expect(course.forces.map(\.z) == [-15, -50])
    #expect(course.rates.map(\.y) == [6, 1])
    #expect(course.hasRates)
  }

  @Test
  func `empty cells lie on a line`() throws {
    let course = try #require(followed([sample(0, 0), sample(85_000, 400)]))
    #expect(course.forces.map(\.x) == [0, 100, 200, 300, 400])
    #expect(!course.hasRates)
    #expect(course.silences.isEmpty)
  }

  @Test
  func `a long silence is noted with its cells`() throws {
    let course = try #require(followed([sample(5_000, 0), sample(605_000, 1)]))
    #expect(course.silences == [ResampledMotion.Silence(cells: 0..<30, duration: 600_000)])
  }

  @Test(arguments: [(-1, -20_000), (-20_000, -20_000), (19_999, 0), (20_001, 20_000)])
  func `cells begin at whole multiples`(time: Int64, start: Int64) {
    let course = ResampledMotion(sample(time, 0))
    #expect(course.start == start)
    #expect(course.time(of: 2) == start + 50_000)
  }

  @Test
  func `extremes are held within what sensors read`() throws {
    let course = try #require(followed([sample(0, .max, rate: .min)]))
    #expect(course.forces == [WideVector(x: 32_000_000, y: 0, z: -32_000_000)])
    #expect(course.rates == [WideVector(x: 0, y: -4_000_000, z: 0)])
  }
}
