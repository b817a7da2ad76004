import Motion
import Testing

@testable import Measurement

struct TiltSmootherTests {
  @Test(arguments: [2_500, 10_000, 40_000, 1_000_000] as [Int64])
  func `a step is met with the time constant's share, however long the interval`(interval: Int64) {
    var smoother = TiltSmoother()
    smoother.start(Vector3(x: 0, y: 0, z: 1_000_000))
    smoother.add(Vector3(x: 1_000_000, y: 0, z: 0), interval: interval)
    let share = Double(interval) / Double(interval + TiltSmoother.timeConstant)
    #expect(abs(Double(smoother.force.x) / 256e6 - share) < 2e-6)
    #expect(abs(Double(smoother.force.z) / 256e6 - (1 - share)) < 2e-6)
  }

  @Test
  func `a constant force stays as it is, at the ends of the range as well`() {
    var smoother = TiltSmoother()
    let force = Vector3(x: .min, y: .max, z: -1)
    smoother.start(force)
    for _ in 0..<100 { smoother.add(force, interval: 10_000) }
    #expect(smoother.force == WideVector(force).map { $0 << 8 })
  }
}
