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
  func `the steps of a made-up walk have the times that they always had`() {
    var counter = StepCounter()
    var log = StepLog()
    counter.add(contentsOf: samples, to: &log)
    counter.finish(to: &log)
    #expect(log.steps.map(\.time) == Self.times)
    #expect(log.steps.map(\.period) == Self.periods)
    #expect(log.bouts == [Self.bout])
  }

  private static let times: [Int64] = [
    10_166_875, 10_706_072, 11_245_019, 11_785_020, 12_324_783, 12_864_279, 13_404_279,
    13_944_279, 14_484_280, 15_024_280, 15_564_280, 16_104_281, 16_644_332, 17_184_651,
    17_724_281, 18_264_281, 18_804_281, 19_344_068, 19_883_911, 20_423_911, 20_963_912,
    21_503_912, 22_044_282, 22_584_282, 23_124_283, 23_664_283, 24_203_718, 24_742_096,
    25_280_799, 25_818_323, 26_354_272,
  ]
  private static let periods: [Int64] = [
    540_000, 538_750, 540_000, 540_000, 539_375, 540_000, 540_000, 540_000, 540_000, 540_000,
    540_000, 540_000, 540_625, 540_000, 540_000, 540_000, 540_000, 539_375, 540_000, 540_000,
    540_000, 540_000, 540_000, 540_000, 540_000, 540_000, 538_750, 538_750, 538_125, 536_875,
    536_250,
  ]
  private static let bout = WalkingBout(begin: 9_896_875, end: 26_622_397, steps: 31)
}
