import FixedPoint
import Foundation
import Testing

@testable @_spi(Tuning) import Measurement

struct GaitBandTests {
  @Test
  func `the sections are those that the designer makes`() {
    #expect(GaitBand.slow == .highPass(cutoff: 900, rate: 25_000))
    #expect(GaitBand.fast == .lowPass(cutoff: 3_500, rate: 25_000))
  }

  @Test(arguments: [(0.2, 0.0, 0.07), (1.0, 0.7, 0.8), (2.0, 0.90, 0.98), (10.0, 0.0, 0.06)])
  func `gait passes, posture and impacts do not`(frequency: Double, low: Double, high: Double) {
    var band = GaitBand(tuning: .standard)
    band.settle(at: 1_000_000)
    var peak: Int16 = 0
    for index in 0..<1_000 {
      let wave = sin(Double(index) * 0.04 * frequency * 2 * .pi + 0.3)
      let output = band.filter(1_000_000 + Int32(wave * 640_000))
      if index > 500 { peak = max(peak, abs(output)) }
    }
    #expect((low...high).contains(Double(peak) / 640))
  }

  @Test
  func `gravity leaves nothing`() {
    var band = GaitBand(tuning: .standard)
    band.settle(at: 987_654)
    for _ in 0..<100 { #expect(band.filter(987_654) == 0) }
  }

  @Test
  func `nothing is stronger than the limit`() {
    var band = GaitBand(tuning: .standard)
    band.settle(at: 0)
    for index in 0..<100 {
      let output = band.filter(index / 6 % 2 == 0 ? 32_000_000 : 0)
      #expect(abs(Int32(output)) <= GaitBand.limit)
    }
  }
}
