import Motion
import Testing

@Suite
struct MotionSampleTests {
  @Test
  func `a force in g is rounded to micro-g`() {
    #expect(
      Vector3(g: 0.0123456, -1, 2.000_000_6) == Vector3(x: 12_346, y: -1_000_000, z: 2_000_001))
  }

  @Test(arguments: [Double.nan, .infinity, 2147.5, -2147.5])
  func `a force that no micro-g holds is refused`(component: Double) {
    #expect(Vector3(g: 0, component, 0) == nil)
  }

  @Test
  func `a sample at another time keeps its vectors`() {
    let sample = MotionSample(
      time: 7, acceleration: Vector3(x: 1, y: 2, z: 3), angularRate: Vector3(x: 4, y: 5, z: 6))
    #expect(sample.at(9).time == 9)
    #expect(sample.at(9).at(7) == sample)
  }
}
