import FixedPoint
import Foundation
import TestSupport
import Testing

struct UnitCircleTests {
  @Test
  func `the quarters are exact`() {
    let one: Int64 = 1 << 30
    let points = (0..<4 as Range<UInt32>).map { UnitCircle.point(turn: $0 << 30) }
    #expect(points.map(\.cosine) == [one, 0, -one, 0])
    #expect(points.map(\.sine) == [0, one, 0, -one])
  }

  @Test
  func `every point is within three units of floating point's`() {
    var generator = SeededGenerator(seed: 2)
    let edges: [UInt32] = [1, .max, 1 << 29, 1 << 29 - 1, 3 << 29, 5 << 29 - 1, 7 << 29]
    for turn in edges + (0..<10_000).map({ _ in UInt32(truncatingIfNeeded: generator.next()) }) {
      let angle = Double(turn) * 2 * .pi * 0x1p-32
      let point = UnitCircle.point(turn: turn)
      #expect(abs(Double(point.cosine) - cos(angle) * 0x1p30) <= 3)
      #expect(abs(Double(point.sine) - sin(angle) * 0x1p30) <= 3)
    }
  }
}
