import Motion
import TestSupport
import Testing

@testable import Measurement

struct UniformForceTests {
  private func samples(every interval: Int64, count: Int64) -> [MotionSample] {
    // A ramp of 1 micro-g a millisecond on x, a constant on y.
    (0..<count).map {
      MotionSample(
        time: $0 * interval,
        acceleration: Vector3(x: Int32($0 * interval / 1_000), y: -300_000, z: 0))
    }
  }

  @Test(arguments: [1_000, 5_000, 7_000, 20_000, 30_000, 90_000] as [Int64])
  func `a ramp is a ramp at any rate`(interval: Int64) {
    let cells = UniformForce.cells(samples(every: interval, count: 1_000_000 / interval))
    #expect(cells.count >= 44)
    for (index, cell) in cells.enumerated() {
      // The mean of a cell of 20 ms is its middle's value.
      #expect(abs(cell.x - Int64(index * 20 + 10)) <= 1)
      #expect(cell.y == -300_000)
    }
  }

  @Test
  func `what is faster than a cell is averaged away`() {
    let fast = (0..<1_000 as Range<Int64>).map {
      MotionSample(
        time: $0 * 1_000, acceleration: Vector3(x: $0 % 2 == 0 ? 100_000 : -100_000, y: 0, z: 0))
    }
    for cell in UniformForce.cells(fast) { #expect(abs(cell.x) <= 1) }
  }

  @Test
  func `nothing gives nothing`() {
    #expect(UniformForce.cells([]) == [])
    #expect(UniformForce.cells(samples(every: 1_000, count: 15)) == [])
  }
}
