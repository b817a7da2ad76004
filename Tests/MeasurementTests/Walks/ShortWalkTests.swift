import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct ShortWalkTests {
  @Test(arguments: [20, 30, 50], Rounds.seeds(6, gate: 2))
  func `the ways are told apart by the turn`(steps: Int, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let cadence = Double.random(in: 1.4...2.1, using: &generator)
    let turn = Double.random(in: 1.5...3.5, using: &generator)
    let walk = SyntheticWalk(
      legs: [steps, steps], turn: turn, cadence: cadence, rate: [50, 100, 200][Int(seed % 3)],
      rest: 8, seed: seed)
    let result = try ShortWalk.measure(walk.samples, stepsPerLeg: steps)
    #expect(abs(result.out.walk.steps - steps) <= 2)
    #expect(abs(result.back.walk.steps - steps) <= 2)
    #expect(abs(result.steps - 2 * steps) <= 2)
    let outEnd = Double(result.out.walk.start + result.out.walk.duration) / 1e6
    let turned = Double(try #require(result.turn)) / 1e6
    #expect(abs(Double(result.cadence) / 1e3 - cadence * 60) < 4)
    #expect(abs(outEnd - walk.ends[0]) < 0.4)
    #expect(abs(turned - turn) < 1.2)
    #expect(!result.out.reachedLimit && !result.back.reachedLimit)
    #expect(result.rest == nil && !result.lacksRest)
    #expect(result.quality.verdict == .good)
  }

  @Test(arguments: [12.5, 25, 50, 100, 200], 0..<4 as Range<UInt64>)
  func `without a gyroscope the steps tell the ways apart`(rate: Double, seed: UInt64) throws {
    let gait = SyntheticGait(cadence: 1.5 + Double(seed) / 8, rate: rate, jitter: 0.05, seed: seed)
    let result = try ShortWalk.measure(gait.samples(steps: 40), stepsPerLeg: 20)
    #expect(result.out.walk.steps == 20)
    #expect((18...20).contains(result.back.walk.steps))
    #expect(result.turn == nil)
    #expect(abs(Double(result.out.walk.duration) / 1e6 - 20 / gait.cadence) < 1)
    #expect(!result.out.reachedLimit)
  }

  /// 20 steps may take 30 s: at 0.6 steps a second there are 18 by then.
  @Test func `a way ends with its time limit`() throws {
    let walk = SyntheticWalk(legs: [60, 60], cadence: 1.7, rest: 6)
    // 60 steps are walked where 15 were asked for: the turn is later than the limit of 22.5 s.
    let result = try ShortWalk.measure(walk.samples, stepsPerLeg: 15)
    #expect(result.out.walk.steps == 15)
    #expect(result.back.walk.steps == 15)
    #expect(!result.out.reachedLimit)
    // As weak as slow steps are.
    let slow = SyntheticGait(cadence: 1.0, bounce: 0.1)
    let limited = try ShortWalk.measure(slow.samples(steps: 80), stepsPerLeg: 40)
    #expect(!limited.out.reachedLimit)
    #expect(abs(limited.steps - 80) <= 4)
  }

  @Test(arguments: [(10.0, true), (20, true), (60, false)])
  func `the rest is measured if it was recorded`(seconds: Double, isRecorded: Bool) throws {
    let walk = SyntheticWalk(rest: 30)
    let result = try ShortWalk.measure(
      walk.samples, stepsPerLeg: 20, rest: Int64(seconds * 1e6))
    #expect((result.rest != nil) == isRecorded)
    #expect(result.lacksRest == !isRecorded)
    guard let rest = result.rest else { return }
    #expect(rest.duration == Int64(seconds * 1e6))
    // Noise of 10 mg on each of three axes.
    #expect(abs(Double(rest.sway) - 10_000 * 3.0.squareRoot()) < 1_000)
  }

  @Test func `walking on is no rest`() throws {
    let gait = SyntheticGait().samples(steps: 120)
    let result = try ShortWalk.measure(gait, stepsPerLeg: 20, rest: 20_000_000)
    #expect(result.rest == nil)
    #expect(result.lacksRest)
  }

  // MARK: Refusals

  private func refusal(_ samples: [MotionSample], steps: Int = 20) -> WalkRefusal? {
    do {
      _ = try ShortWalk.measure(samples, stepsPerLeg: steps)
      return nil
    } catch {
      return error
    }
  }

  @Test func `half a walk is none`() {
    #expect(refusal([]) == .stream(.noSamples))
    #expect(refusal(SyntheticGait(noise: 0.001).samples(steps: 0)) == .noWalk)
    guard case .noWayBack(let steps)? = refusal(SyntheticGait().samples(steps: 24)) else {
      Issue.record("not refused")
      return
    }
    #expect((2...6).contains(steps))
    let gap = SyntheticWalk().samples.filter { !(10_000_000...14_000_000).contains($0.time) }
    guard case .dropout? = refusal(gap) else {
      Issue.record("not refused")
      return
    }
  }

  @Test(arguments: Rounds.seeds(20))
  func `nothing breaks on wild samples`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<2_000 { samples.append(generator.wildSample(after: samples.last?.time ?? 0)) }
    for steps in [.min, 0, 10, .max] as [Int] {
      _ = try? ShortWalk.measure(samples, stepsPerLeg: steps, rest: .max)
    }
    let gait = SyntheticGait().samples(steps: 60, start: .max - 60_000_000)
    for steps in [.min, 10, .max] as [Int] {
      for rest in [.min, 0, .max] as [Int64] {
        _ = try? ShortWalk.measure(gait, stepsPerLeg: steps, rest: rest)
      }
    }
  }
}
