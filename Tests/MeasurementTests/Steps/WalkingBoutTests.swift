import Measurement
import Motion
import Testing

@testable import TestSupport

struct WalkingBoutTests {
  private func log(of samples: [MotionSample]) -> StepLog {
    var counter = StepCounter()
    var log = StepLog()
    counter.add(contentsOf: samples, to: &log)
    counter.finish(to: &log)
    return log
  }

  @Test(arguments: [1.2, 1.8, 2.6])
  func `a walk is one bout, from its first step to its last`(cadence: Double) throws {
    let log = log(of: SyntheticGait(cadence: cadence).samples(steps: 60, rest: 10))
    let bout = try #require(log.bouts.first)
    #expect(log.bouts.count == 1)
    #expect(bout.steps == log.steps.count)
    #expect(abs(bout.begin - 10_000_000) < 1_500_000)
    #expect(abs(bout.end - 10_000_000 - Int64(60_000_000 / cadence)) < 1_500_000)
    #expect(abs(try #require(bout.cadence) - Int(cadence * 60)) <= 3)
  }

  @Test
  func `two walks with a rest between them are two bouts, each delivered as it closes`() {
    let first = SyntheticGait().samples(steps: 40)
    let second = SyntheticGait(seed: 2).samples(steps: 50, start: 38_300_000)
    var counter = StepCounter()
    var seen: [(time: Int64, bout: WalkingBout)] = []
    var log = StepLog()
    for sample in first + second {
      counter.add(sample, to: &log)
      seen += log.bouts.map { (sample.time, $0) }
      log.bouts.removeAll()
    }
    counter.finish(to: &log)
    seen += log.bouts.map { (.max, $0) }
    #expect(seen.count == 2)
    #expect(seen.map(\.bout.steps).reduce(0, +) == log.steps.count)
    #expect(abs((seen.first?.bout.steps ?? 0) - 40) <= 2)
    #expect((seen.first?.time ?? 0) - (seen.first?.bout.end ?? 0) < 12_000_000)
  }

  @Test
  func `the counter says whether somebody walks, and how fast`() throws {
    var counter = StepCounter()
    var log = StepLog()
    var walking: [Int64] = []
    for sample in SyntheticGait(cadence: 2).samples(steps: 80, rest: 15) {
      counter.add(sample, to: &log)
      #expect(counter.isWalking == (counter.cadence != nil))
      guard counter.isWalking else { continue }
      walking.append(sample.time)
      #expect((114...126).contains(try #require(counter.cadence)))
    }
    // Known ten steps and the lag after the first step; forgotten the lag after the last.
    #expect((20_000_000...28_500_000).contains(try #require(walking.first)))
    #expect((55_000_000...64_000_000).contains(try #require(walking.last)))
  }

  @Test
  func `a gap closes the bout`() {
    let walk = SyntheticGait().samples(steps: 60, rest: 0)
    let log = log(of: walk + SyntheticGait().samples(steps: 60, rest: 0, start: 3_600_000_000))
    #expect(log.bouts.count == 2)
    #expect(log.bouts.allSatisfy { $0.end - $0.begin < 40_000_000 })
  }

  @Test(
    arguments: [
      (WalkingBout(begin: 0, end: 60_000_000, steps: 100), 100),
      (WalkingBout(begin: 5, end: 5, steps: 1), nil),
      (WalkingBout(begin: .min, end: .max, steps: 1), nil),
      (WalkingBout(begin: 9, end: 5, steps: 1), nil),
    ] as [(WalkingBout, Int?)])
  func `the mean cadence is steps over time`(bout: WalkingBout, cadence: Int?) {
    #expect(bout.cadence == cadence)
  }
}
