import Foundation
import Motion
import TestSupport
import Testing

@testable import Measurement

struct FourierBankTests {
  /// A window of a tone of 100 000 micro-g along x, sampled unevenly.
  private func window(_ frequency: Double, seed: UInt64) -> FourierBank {
    var generator = SeededGenerator(seed: seed)
    let times = (0..<400 as Range<Int64>).map {
      $0 * 10_000 + Int64.random(in: 0..<8_000, using: &generator)
    }
    let samples = times.indices.map { index in
      let before = index > 0 ? times[index - 1] : 0
      let after = index + 1 < times.count ? times[index + 1] : FourierBank.length
      let tone = 100_000 * sin(2 * .pi * frequency * Double(times[index]) / 1e6 + Double(seed))
      return (
        time: times[index], weight: (after - before) / 2,
        force: WideVector(x: Int64(tone), y: 1_000_000, z: 0)
      )
    }
    return FourierBank(samples)
  }

  @Test(arguments: [3.0, 4.1, 5.15, 7.77, 11.99], 0..<4 as Range<UInt64>)
  func `a tone's bins add up to its mean square, wherever it lies`(
    frequency: Double, seed: UInt64
  ) {
    let powers = window(frequency, seed: seed).powers
    let bin = Int((frequency * 4).rounded()) - FourierBank.bins.lowerBound
    let own = powers[bin - 3...bin + 3].reduce(0, +)
    #expect(abs(Double(own) / 5e9 - 1) < 0.02)
    #expect(powers.max() == powers[bin])
  }

  @Test
  func `a constant has no power, and nothing neither`() {
    let constant = (0..<400 as Range<Int64>).map {
      (
        time: $0 * 10_000, weight: 10_000 as Int64,
        force: WideVector(x: 5_000_000, y: -1_000_000, z: 7)
      )
    }
    #expect(FourierBank(constant).powers.allSatisfy { $0 == 0 })
    #expect(FourierBank([]).powers.count == FourierBank.bins.count)
  }
}
