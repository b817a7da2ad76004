import Measurement
import Motion
import TestSupport
import Testing

/// Results that must stay as they are, bit for bit, in every build and on every machine.
struct StepGoldenTests {
  /// A walk of triangle waves at 100 Hz, all in integers: each step of 54 samples rises and falls by
  /// 0.3 g, each second one less, with a little noise.
  private var samples: [MotionSample] {
    var generator = SeededGenerator(seed: 11)
    return (0..<4_000).map { index in
      let place = index - 1_000
      let noise = Int32(generator.next() % 20_001) - 10_000
      var bounce: Int32 = 0
      if (0..<1_620).contains(place) {
        let height: Int32 = place / 54 % 2 == 0 ? 11_000 : 9_000
        bounce = (13 - abs(Int32(place % 54) - 27)) * height
      }
      return MotionSample(
        time: Int64(index) * 10_000,
        acceleration: Vector3(x: noise / 2, y: noise, z: 1_000_000 + bounce))
    }
  }

  @Test
  func `the steps of a synthetic walk have the times that they always had`() {
    var counter = StepCounter()
    var log = StepLog()
    counter.add(contentsOf: samples, to: &log)
    counter.finish(to: &log)
    #expect(log.steps.map(\.time) == Self.times)
    #expect(log.steps.map(\.period) == Self.periods)
    #expect(log.bouts == [Self.bout])
  }

  private static let times: [Int64] = [
    10_198_515, 10_737_017, 11_275_916, 11_815_916, 12_355_643, 12_895_546, 13_435_546,
    13_975_251, 14_515_176, 15_055_176, 15_595_177, 16_135_177, 16_675_177, 17_215_178,
    17_754_807, 18_294_808, 18_834_808, 19_374_808, 19_914_941, 20_455_179, 20_995_179,
    21_535_179, 22_075_180, 22_614_885, 23_154_809, 23_694_810, 24_233_856, 24_772_181,
    25_310_849, 25_847_967, 26_384_059,
  ]
  private static let periods: [Int64] = [
    540_000, 538_125, 540_000, 540_000, 539_375, 540_000, 540_000, 539_375, 540_000, 540_000,
    540_000, 540_000, 540_000, 540_000, 540_000, 540_000, 540_000, 540_000, 540_625, 540_000,
    540_000, 540_000, 540_000, 539_375, 540_000, 540_000, 538_125, 538_750, 538_125, 536_250,
    536_875,
  ]
  private static let bout = WalkingBout(begin: 9_928_515, end: 26_652_496, steps: 31)
}
