import Foundation
import Measurement
import Motion
import Testing

@testable import TestSupport

struct StepCounterTests {
  private func count(_ samples: [MotionSample]) -> (steps: [Step], counter: StepCounter) {
    var counter = StepCounter()
    var steps = counter.add(contentsOf: samples)
    steps += counter.finish()
    return (steps, counter)
  }

  /// Cadences from a slow shuffle to a run, each with an amplitude of people's walks at it.
  @Test(
    arguments: [
      (0.55, 0.04), (0.7, 0.05), (0.9, 0.06), (1.1, 0.08), (1.4, 0.15), (1.8, 0.25), (2.1, 0.35),
      (2.6, 0.6), (3.0, 0.9),
    ])
  func `a walk is counted at any cadence`(cadence: Double, bounce: Double) {
    let (steps, counter) = count(
      SyntheticGait(cadence: cadence, bounce: bounce).samples(steps: 100))
    #expect(abs(steps.count - 100) <= 3)
    #expect(counter.total == steps.count)
    #expect(counter.quality.verdict == .good)
  }

  /// A weak or a strong movement must not look like half or twice the cadence.
  @Test(
    arguments: [
      (1.4, 0.06), (1.4, 0.25), (1.4, 0.4), (1.8, 0.06), (1.8, 0.25), (1.8, 0.6), (2.1, 0.06),
      (2.1, 0.25), (2.1, 0.6), (2.6, 0.06), (2.6, 0.25), (2.6, 0.6),
    ])
  func `the amplitude does not change the cadence`(cadence: Double, bounce: Double) {
    let gait = SyntheticGait(cadence: cadence, bounce: bounce)
    #expect(abs(count(gait.samples(steps: 100)).steps.count - 100) <= 3)
  }

  @Test(arguments: [10.0, 12.5, 20, 25, 52, 100, 200, 400])
  func `a walk is counted at any rate, with jitter and losses`(rate: Double) {
    let gait = SyntheticGait(rate: rate, jitter: 0.15, loss: rate > 11 ? 0.1 : 0)
    #expect(abs(count(gait.samples(steps: 120)).steps.count - 120) <= 4)
  }

  @Test
  func `steps lie within the walk, in order, at its cadence`() {
    let (steps, _) = count(SyntheticGait().samples(steps: 90, rest: 10, start: 5_000_000_000))
    for step in steps {
      #expect((5_009_000_000...5_061_000_000).contains(step.time))
      #expect(abs(step.period - 555_556) < 30_000)
    }
    for (a, b) in zip(steps, steps.dropFirst()) { #expect(b.time > a.time) }
  }

  @Test
  func `a short bout keeps its first steps`() {
    #expect(abs(count(SyntheticGait().samples(steps: 35)).steps.count - 35) <= 2)
  }

  /// Slow and quick, from a sensor at 12.5 Hz that loses a tenth of its samples.
  @Test(arguments: [1.1, 1.4, 1.9])
  func `a short bout is counted from few samples, some of them lost`(cadence: Double) {
    let gait = SyntheticGait(cadence: cadence, rate: 12.5, jitter: 0.1, loss: 0.1)
    #expect(abs(count(gait.samples(steps: 35)).steps.count - 35) <= 3)
  }

  @Test(arguments: [1.4, 1.8, 2.2])
  func `a dozen steps across a room are a walk, four are a gesture`(cadence: Double) {
    let walk = count(SyntheticGait(cadence: cadence).samples(steps: 12)).steps.count
    #expect((9...14).contains(walk))
    #expect(count(SyntheticGait(cadence: cadence).samples(steps: 4)).steps.isEmpty)
  }

  @Test
  func `a phone held before the body shows enough`() {
    let gait = SyntheticGait(cadence: 1.7, bounce: 0.09, noise: 0.02)
    #expect(abs(count(gait.samples(steps: 100)).steps.count - 100) <= 4)
  }

  @Test(arguments: 0..<6)
  func `the mounting does not matter`(mounting: Int) {
    let samples = SyntheticGait().samples(steps: 80)
    let remounted = samples.map {
      MotionSample(time: $0.time, acceleration: $0.acceleration.remounted(mounting))
    }
    #expect(count(remounted).steps == count(samples).steps)
  }

  @Test(arguments: [1, 7, 64, 1_000])
  func `blocks count as samples one by one do`(size: Int) {
    let samples = SyntheticGait(jitter: 0.2).samples(steps: 80)
    var counter = StepCounter()
    var steps: [Step] = []
    for start in stride(from: 0, to: samples.count, by: size) {
      steps += counter.add(contentsOf: samples[start..<min(start + size, samples.count)])
    }
    steps += counter.finish()
    var single = StepCounter()
    var singly = samples.flatMap { single.add($0) }
    singly += single.finish()
    #expect(steps == singly)
    #expect(counter.quality == single.quality)
  }

  @Test
  func `samples that come twice or late change nothing but the quality`() {
    let samples = SyntheticGait().samples(steps: 80)
    var disturbed: [MotionSample] = []
    for (index, sample) in samples.enumerated() {
      disturbed.append(sample)
      if index % 9 == 0 { disturbed.append(sample) }
      if index % 31 == 30 { disturbed.append(samples[index - 20]) }
    }
    let (steps, counter) = count(disturbed)
    #expect(steps == count(samples).steps)
    let quality = counter.quality
    #expect(quality.outOfOrder + quality.repeated == disturbed.count - samples.count)
  }

  @Test
  func `a gap ends a bout and nothing is made up in it`() {
    let first = SyntheticGait(seed: 1).samples(steps: 60, rest: 0)
    let second = SyntheticGait(seed: 2).samples(steps: 60, rest: 0, start: 3_600_000_000)
    let (steps, counter) = count(first + second)
    #expect(counter.quality.gaps == 1)
    #expect(abs(steps.count - 120) <= 4)
    #expect(steps.allSatisfy { !(35_000_000..<3_599_000_000).contains($0.time) })
    #expect(steps == count(first).steps + count(second).steps)
  }

  /// A walk of 120 steps of which every 10 s so many seconds are lost.
  private func walk(withHoles length: Double, rate: Double = 50) -> [MotionSample] {
    SyntheticGait(rate: rate).samples(steps: 120).filter { sample in
      let phase = Double(sample.time % 10_000_000) / 1e6
      return !(3..<3 + length).contains(phase)
    }
  }

  @Test(arguments: [(0.5, 50.0), (0.9, 50.0), (0.9, 12.5)])
  func `steps in a short hole are counted at the walk's cadence`(length: Double, rate: Double) {
    let (steps, counter) = count(walk(withHoles: length, rate: rate))
    #expect(abs(steps.count - 120) <= 3)
    #expect(counter.quality.gaps == 0)
  }

  @Test(arguments: [1.2, 2.0, 2.8])
  func `a longer hole adds no steps and does not end the walk`(length: Double) {
    var counter = StepCounter()
    var log = StepLog()
    counter.add(contentsOf: walk(withHoles: length), to: &log)
    counter.finish(to: &log)
    #expect(log.bouts.count == 1)
    // 66.7 s of walking hold seven holes.
    let missing = 7 * length * 1.8
    #expect(abs(Double(log.steps.count) + missing - 120) <= 6)
    let inHole = log.steps.filter { step in
      let phase = Double(step.time % 10_000_000) / 1e6
      return (3.2..<2.8 + length).contains(phase)
    }
    #expect(inHole.isEmpty)
  }

  @Test
  func `a shuffle as weak as people's is counted`() {
    for (cadence, bounce) in [(1.0, 0.06), (0.75, 0.04), (0.55, 0.04)] {
      let gait = SyntheticGait(cadence: cadence, bounce: bounce, noise: 0.005)
      #expect(abs(count(gait.samples(steps: 40)).steps.count - 40) <= 3)
    }
  }

  @Test
  func `standing, noise and slow swaying are no steps`() {
    for gait in [
      SyntheticGait(bounce: 0), SyntheticGait(bounce: 0, noise: 0.2),
      SyntheticGait(cadence: 0.3, bounce: 0.3),
    ] {
      #expect(count(gait.samples(steps: 60)).steps.isEmpty)
    }
  }

  /// A spring is more regular than people are who move as little.
  @Test(arguments: [1.2, 1.3, 1.4])
  func `a vehicle that sways takes no steps`(frequency: Double) {
    var generator = SeededGenerator(seed: 5)
    let samples = (0..<30_000).map { index in
      let sway = 0.04 * sin(2 * .pi * frequency * Double(index) / 50)
      let noise = generator.noise(0.003)
      return MotionSample(
        time: Int64(index) * 20_000, acceleration: .g(noise.x, noise.y, 1 + sway + noise.z))
    }
    #expect(count(samples).steps.isEmpty)
  }

  /// It is five times too strong for its cadence, and left and right are one.
  @Test
  func `an arm swung at the side takes no steps`() {
    for bounce in [0.7, 0.8] {
      let swing = SyntheticGait(cadence: 1.4, bounce: bounce)
      #expect(count(swing.samples(steps: 100)).steps.isEmpty)
    }
  }

  @Test(arguments: [1.4, 1.8, 2.4])
  func `no step is credited later than the documented latency`(cadence: Double) {
    var counter = StepCounter()
    for sample in SyntheticGait(cadence: cadence).samples(steps: 150) {
      for step in counter.add(sample) {
        #expect(sample.time - step.time <= StepCounter.latency)
        #expect(step.time <= sample.time)
      }
    }
  }

  @Test(arguments: [5.0, 8.0])
  func `a sensor slower than 10 Hz is refused`(rate: Double) {
    let (_, counter) = count(SyntheticGait(rate: rate).samples(steps: 60))
    #expect(counter.quality.verdict == .refused(.rateTooLow))
  }

  @Test
  func `a counter goes on after it was finished`() {
    let samples = SyntheticGait().samples(steps: 60)
    var counter = StepCounter()
    _ = counter.add(contentsOf: samples)
    _ = counter.finish()
    let once = counter.total
    #expect(counter.finish().isEmpty)
    _ = counter.add(contentsOf: SyntheticGait().samples(steps: 60, start: samples.last?.time ?? 0))
    _ = counter.finish()
    #expect(abs(counter.total - 2 * once) <= 1)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var counter = StepCounter()
    var time: Int64 = 0
    var steps = 0
    for _ in 0..<25_000 {
      let sample = generator.wildSample(after: time)
      time = sample.time
      steps += counter.add(sample).count
    }
    steps += counter.finish().count
    #expect(counter.total == steps)
    let quality = counter.quality
    #expect(quality.samples + quality.outOfOrder + quality.repeated == 25_000)
  }
}

/// The effect of a place on the body.
struct StepPlaceTests {
  private func count(_ samples: [MotionSample], on segment: Segment?) -> Int {
    var counter = StepCounter(on: segment)
    let steps = counter.add(contentsOf: samples).count
    return steps + counter.finish().count
  }

  /// A part of the body that goes up and down `frequency` times a second for five minutes, by an
  /// amplitude in g, with its rhythm off by 4 %.
  private func rocking(_ frequency: Double, _ amplitude: Double) -> [MotionSample] {
    var generator = SeededGenerator(seed: 9)
    var (phase, pace) = (0.0, 1.0)
    return (0..<15_000).map { index in
      if index % 50 == 0 { pace = 1 + 0.04 * generator.normal() }
      phase += 2 * .pi * frequency * pace / 50
      let noise = generator.noise(0.004)
      return MotionSample(
        time: Int64(index) * 20_000,
        acceleration: .g(noise.x, noise.y, 1 + noise.z + amplitude * sin(phase)))
    }
  }

  @Test(arguments: [(1.1, 0.6), (1.3, 0.4), (1.8, 0.25)])
  func `a foot takes two steps a stride`(stride: Double, swing: Double) {
    for segment in [Segment.foot, .shank] {
      let samples = SyntheticFoot(stride: stride, swing: swing).samples(strides: 25)
      #expect(abs(count(samples, on: segment) - 50) <= 3)
    }
  }

  @Test(
    arguments: [
      (1, 0.15), (1.5, 0.2), (2, 0.2), (0.7, 0.3), (1, 0.5), (1.5, 0.7), (4, 0.1), (5, 0.2),
    ])
  func `a foot that taps, pedals or trembles takes no steps`(frequency: Double, amplitude: Double) {
    #expect(count(rocking(frequency, amplitude), on: .foot) == 0)
  }

  @Test(arguments: [(1.2, 0.04), (1.3, 0.04), (1.4, 0.04), (2.3, 0.02), (4, 0.05), (5, 0.05)])
  func `a seat that sways and a body that trembles take no steps`(
    frequency: Double, amplitude: Double
  ) {
    #expect(count(rocking(frequency, amplitude), on: .trunk) == 0)
  }

  @Test(arguments: [Segment.trunk, .pelvis, .thigh])
  func `six steps across a kitchen are a walk at the trunk`(segment: Segment) {
    for cadence in [1.5, 1.8] {
      let steps = count(SyntheticGait(cadence: cadence).samples(steps: 6), on: segment)
      #expect((5...7).contains(steps))
    }
  }

  @Test
  func `a place that nobody stated counts as a hand`() {
    let samples = SyntheticGait(noise: 0.05).samples(steps: 60)
    let hand = count(samples, on: nil)
    for segment in [Segment.hand, .forearm, .upperArm, .head] {
      #expect(count(samples, on: segment) == hand)
    }
  }
}

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
  func `two walks with a rest between them are two bouts`() {
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
    #expect((20_000_000...31_000_000).contains(try #require(walking.first)))
    #expect((55_000_000...67_000_000).contains(try #require(walking.last)))
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
