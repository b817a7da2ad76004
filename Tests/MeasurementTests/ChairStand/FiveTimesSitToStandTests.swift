import Foundation
import Measurement
import Motion
import Testing

@testable import TestSupport

struct FiveTimesSitToStandTests {
  /// People from a fast to a frail one; seconds of rise, standing, descent and sitting.
  static let paces: [(rise: Double, stand: Double, descent: Double, sit: Double)] = [
    (0.6, 0.05, 0.6, 0.05), (0.9, 0.2, 0.9, 0.2), (1.3, 0.5, 1.4, 0.7), (2.2, 1, 2.4, 3),
  ]

  @Test(arguments: paces, [25.0, 50, 100, 200])
  func `the total and every stand are timed`(
    pace: (rise: Double, stand: Double, descent: Double, sit: Double), rate: Double
  ) throws {
    var worst = 0.0
    for seed in Rounds.seeds(4, gate: 2) {
      let person = SyntheticChairStand(
        rise: pace.rise, stand: pace.stand, descent: pace.descent, sit: pace.sit,
        turn: 35 + 18 * Double(seed), rate: rate, seed: seed)
      let result = try FiveTimesSitToStand.measure(person.samples(stands: 5))
      let first = person.truth(0).start
      let last = person.truth(4)
      worst = max(worst, abs(Double(result.untilStanding) / 1e6 - (last.standing - first)))
      let seated = try #require(result.untilSeated)
      worst = max(worst, abs(Double(seated) / 1e6 - (last.seated - first)))
      let period = pace.rise + pace.stand + pace.descent + pace.sit
      for time in result.repetitionTimes.dropLast() {
        worst = max(worst, abs(Double(time) / 1e6 - period))
      }
      #expect(result.quality.verdict == .good)
    }
    // The 2 Hz low-pass rounds off what the fastest do.
    #expect(worst < (pace.rise < 0.9 ? 0.3 : 0.25))
  }

  @Test
  func `a rest before and after changes nothing`() throws {
    let person = SyntheticChairStand(noise: 0)
    let samples = person.samples(stands: 5)
    let plain = try FiveTimesSitToStand.measure(samples)
    let first = try #require(samples.first)
    let last = try #require(samples.last)
    let before = (1...1_000).reversed().map {
      MotionSample(time: first.time - Int64($0) * 10_000, acceleration: first.acceleration)
    }
    let after = (1...1_000).map {
      MotionSample(time: last.time + Int64($0) * 10_000, acceleration: last.acceleration)
    }
    let padded = try FiveTimesSitToStand.measure(before + samples + after)
    #expect(abs(padded.untilStanding - plain.untilStanding) < 2_000)
    #expect(padded.repetitions.count == 5)
  }

  @Test
  func `a sixth stand is passed over`() throws {
    let person = SyntheticChairStand()
    let five = try FiveTimesSitToStand.measure(person.samples(stands: 5))
    let seven = try FiveTimesSitToStand.measure(person.samples(stands: 7))
    #expect(seven.repetitions.count == 5)
    #expect(abs(seven.untilStanding - five.untilStanding) < 50_000)
  }

  @Test
  func `a test that ends standing has no time until seated`() throws {
    let person = SyntheticChairStand(stand: 2)
    let end = Int64((person.truth(4).standing + 1) * 1e6)
    let samples = person.samples(stands: 5).filter { $0.time < end }
    let result = try FiveTimesSitToStand.measure(samples)
    #expect(result.untilSeated == nil)
    #expect(result.repetitionTimes.count == 4)
    #expect(result.repetitions[4].sitting == nil)
  }

  @Test
  func `every way of failing is said`() {
    let person = SyntheticChairStand()
    #expect(throws: ChairStandRefusal.stream(.noSamples)) { try FiveTimesSitToStand.measure([]) }
    #expect(throws: ChairStandRefusal.tooFewStands(4)) {
      try FiveTimesSitToStand.measure(person.samples(stands: 4))
    }
    #expect(throws: ChairStandRefusal.noStand(degrees: 18)) {
      try FiveTimesSitToStand.measure(
        SyntheticChairStand(turn: 20, noise: 0, knock: 0).samples(stands: 5))
    }
    let samples = person.samples(stands: 5)
    let broken = samples.filter { !(4_000_000..<4_700_000).contains($0.time) }
    let error = #expect(throws: ChairStandRefusal.self) {
      try FiveTimesSitToStand.measure(broken)
    }
    #expect(error?.code == "dropout")
    let restless = (0..<2_000).map { index in
      let angle = Double(index) * 0.02
      return MotionSample(time: Int64(index) * 10_000, acceleration: .g(sin(angle), 0, cos(angle)))
    }
    #expect(throws: ChairStandRefusal.noRest) { try FiveTimesSitToStand.measure(restless) }
  }

  static let reasons: [(ChairStandRefusal, String)] = [
    (.stream(.rateTooLow), "rateTooLow"),
    (.dropout(milliseconds: 1_250), "dropout"), (.noRest, "noRest"),
    (.noStand(degrees: 12), "noStand"), (.tooFewStands(3), "tooFewStands"),
    (.tooShort(seconds: 21), "tooShort"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: ChairStandRefusal, code: String
  ) {
    #expect(refusal.code == code)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<25_000 { samples.append(generator.wildSample(after: samples.last?.time ?? 0)) }
    for start in stride(from: 0, to: samples.count, by: 1_000) {
      let block = Array(samples[start..<start + 1_000])
      if let result = try? FiveTimesSitToStand.measure(block) {
        #expect(result.repetitions.count == 5)
      }
      if let result = try? ThirtySecondChairStand.measure(block) { #expect(result.count >= 0) }
    }
    #expect(throws: ChairStandRefusal.self) { try FiveTimesSitToStand.measure(samples) }
  }
}
