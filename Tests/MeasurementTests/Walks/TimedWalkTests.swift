import Measurement
import Motion
import Testing

@testable import TestSupport

struct TimedWalkTests {
  @Test(arguments: [1.3, 1.8, 2.2], [25.0, 100])
  func `time, speed and cadence are those of the walk`(cadence: Double, rate: Double) throws {
    let samples = SyntheticGait(cadence: cadence, rate: rate).samples(steps: 40)
    let result = try TimedWalk.measure(samples, distance: 25_000)
    let seconds = 40 / cadence
    #expect(abs(result.walk.steps - 40) <= 2)
    #expect(abs(Double(result.walk.duration) / 1e6 - seconds) < 1.2)
    #expect(abs(Double(result.walk.cadence) / 60_000 / cadence - 1) < 0.06)
    #expect(abs(Double(result.speed) / 25_000 * seconds - 1) < 0.06)
    #expect(abs((result.stepLength ?? 0) - 625) < 35)
    #expect(result.quality.verdict == .good)
  }

  @Test
  func `a stopwatch's times are taken as they are`() throws {
    let samples = SyntheticGait().samples(steps: 60, rest: 10)
    let result = try TimedWalk.measure(
      samples, distance: 10_000, start: 15_000_000, end: 25_000_000)
    #expect(result.walk.start == 15_000_000)
    #expect(result.walk.duration == 10_000_000)
    #expect(result.speed == 1_000)
    #expect(abs(result.walk.steps - 18) <= 1)
  }

  @Test
  func `a rest before and after changes nothing`() throws {
    let short = try TimedWalk.measure(
      SyntheticGait(noise: 0).samples(steps: 40, rest: 8), distance: 25_000)
    let long = try TimedWalk.measure(
      SyntheticGait(noise: 0).samples(steps: 40, rest: 30), distance: 25_000)
    #expect(long.walk.steps == short.walk.steps)
    #expect(abs(long.walk.duration - short.walk.duration) < 50_000)
  }

  @Test(arguments: 0..<6)
  func `the mounting does not matter`(mounting: Int) throws {
    let samples = SyntheticGait().samples(steps: 40)
    let remounted = samples.map {
      MotionSample(time: $0.time, acceleration: $0.acceleration.remounted(mounting))
    }
    #expect(
      try TimedWalk.measure(remounted, distance: 20_000)
        == TimedWalk.measure(samples, distance: 20_000))
  }

  @Test
  func `what is no timed walk is a refusal`() {
    let samples = SyntheticGait().samples(steps: 40)
    #expect(throws: WalkRefusal.stream(.noSamples)) {
      try TimedWalk.measure([], distance: 10_000)
    }
    for distance in [0, 999, 10_000_001, .min, .max] as [Int64] {
      #expect(throws: WalkRefusal.distance(millimetres: distance)) {
        try TimedWalk.measure(samples, distance: distance)
      }
    }
    #expect(throws: WalkRefusal.backwards) {
      try TimedWalk.measure(samples, distance: 10_000, start: 9_000_000, end: 9_000_000)
    }
    #expect(throws: WalkRefusal.backwards) {
      try TimedWalk.measure(samples, distance: 10_000, start: .min, end: .max)
    }
    #expect(throws: WalkRefusal.noWalk) {
      try TimedWalk.measure(samples, distance: 10_000, start: 0, end: 2_000_000)
    }
    #expect(throws: WalkRefusal.noWalk) {
      try TimedWalk.measure(samples.filter { $0.time < 7_000_000 }, distance: 10_000)
    }
    let broken = samples.filter { !(15_000_000...18_000_000).contains($0.time) }
    let error = #expect(throws: WalkRefusal.self) {
      try TimedWalk.measure(broken, distance: 10_000, start: 8_000_000, end: 30_000_000)
    }
    #expect(error?.code == "dropout")
  }

  static let reasons: [(WalkRefusal, String)] = [
    (.stream(.noSamples), "noSamples"),
    (.dropout(milliseconds: 3_460), "dropout"), (.noWalk, "noWalk"),
    (.distance(millimetres: 12), "distance"), (.backwards, "backwards"),
    (.tooShort(seconds: 300), "tooShort"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: WalkRefusal, code: String
  ) {
    #expect(refusal.code == code)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<25_000 { samples.append(generator.wildSample(after: samples.last?.time ?? 0)) }
    for start in stride(from: 0, to: samples.count, by: 2_500) {
      let block = Array(samples[start..<start + 2_500])
      if let result = try? TimedWalk.measure(block, distance: 10_000) {
        #expect(result.walk.steps > 0)
      }
      if let result = try? SixMinuteWalk.measure(block) { #expect(result.steps > 0) }
      if let result = try? BackAndForthWalk.measure(block) { #expect(result.walk.steps >= 0) }
    }
  }
}
