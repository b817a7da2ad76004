import FixedPoint
import Foundation
import Testing

@testable import Measurement
@testable import TestSupport

struct RotationTests {
  /// One g along y in the tracker's units.
  private let y = WideVector(x: 0, y: 256_000_000, z: 0)

  @Test(arguments: [1, 1_000, 90_000, 720_000, 4_000_000] as [Int64])
  func `up goes the other way by the rate times the interval`(rate: Int64) {
    let turned = Rotation(
      rate: WideVector(x: rate << 4, y: 0, z: 0), interval: 10_000
    ).carry(y)
    let angle = Double(rate) / 1_000 * 0.01 * .pi / 180
    #expect(abs(Double(turned.y) / 256e6 - cos(angle)) < 1e-6)
    #expect(abs(Double(turned.z) / 256e6 + sin(angle)) < 1e-6)
    #expect(turned.x == 0)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a turn keeps lengths, and its opposite undoes it`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let rate = WideVector(
        x: Int64(generator.extreme()), y: Int64(generator.extreme()), z: Int64(generator.extreme())
      ).map { $0.clamped(to: Rotation.fastest) << 4 }
      let interval = Int64.random(in: 1...20_000, using: &generator)
      let there = Rotation(rate: rate, interval: interval).carry(y)
      let back = Rotation(rate: .zero - rate, interval: interval).carry(there)
      #expect((back - y).peak < 1_500)
    }
  }

  @Test
  func `rates beyond any gyroscope are held at the limit`() {
    let wild = Rotation(rate: WideVector(x: .max, y: .min, z: 0), interval: 250_000)
    let limit = Rotation(
      rate: WideVector(x: 64_000_000, y: -64_000_000, z: 0), interval: 250_000)
    #expect(wild == limit)
  }
}
