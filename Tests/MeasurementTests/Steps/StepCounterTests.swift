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

  /// Cadences from a slow shuffle to a run.
  @Test(arguments: [1.1, 1.4, 1.8, 2.1, 2.6, 3.0])
  func `a walk is counted at any cadence`(cadence: Double) {
    let (steps, counter) = count(SyntheticGait(cadence: cadence).samples(steps: 100))
    #expect(abs(steps.count - 100) <= 3)
    #expect(counter.total == steps.count)
    #expect(counter.quality.verdict == .good)
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
    #expect(counter.quality.outOfOrder == disturbed.count - samples.count)
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

  @Test
  func `standing, noise and slow swaying are no steps`() {
    for gait in [
      SyntheticGait(bounce: 0), SyntheticGait(bounce: 0, noise: 0.2),
      SyntheticGait(cadence: 0.3, bounce: 0.3),
    ] {
      #expect(count(gait.samples(steps: 60)).steps.isEmpty)
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
    #expect(counter.quality.samples + counter.quality.outOfOrder == 25_000)
  }
}
