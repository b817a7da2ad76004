import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct InclinationFilterTests {
  private func worst(_ limb: SyntheticLimb, smooth: Bool) -> Double {
    let truth = limb.samples([0, 80, 10, 60])
    let samples = truth.map(\.sample)
    var filter = InclinationFilter()
    let found =
      smooth ? InclinationFilter.smooth(samples).inclinations : samples.map { filter.add($0) }
    return zip(found, truth).map { $0.error(against: $1.up) }.max() ?? .infinity
  }

  @Test(arguments: [25.0, 50, 100, 286])
  func `an accelerometer alone follows a slow limb`(rate: Double) {
    // The 2 Hz low-pass lags by 0.11 s: 47° a second at the most make 5°.
    #expect(worst(SyntheticLimb(rate: rate), smooth: false) < 6)
    #expect(worst(SyntheticLimb(rate: rate), smooth: true) < 1.2)
  }

  @Test(arguments: [100.0, 200, 400])
  func `a gyroscope leaves no lag, however fast`(rate: Double) {
    let limb = SyntheticLimb(rate: rate, speed: 300, mountYaw: 33, hasGyroscope: true)
    #expect(worst(limb, smooth: false) < 0.5)
    #expect(worst(limb, smooth: true) < 0.5)
  }

  @Test
  func `a gyroscope's bias is learnt at rest`() {
    let limb = SyntheticLimb(rate: 200, hasGyroscope: true, bias: 1.2)
    let truth = limb.samples([0, 90, 0])
    var filter = InclinationFilter()
    var last = 0.0
    for (sample, up) in truth { last = filter.add(sample).error(against: up) }
    #expect(last < 0.2)
  }

  @Test(arguments: [50.0, 100, 286, 400], [0, 1.3])
  func `integers stay within a hundredth of a degree of float64`(rate: Double, bias: Double) {
    let limb = SyntheticLimb(
      rate: rate, speed: 240, mountYaw: 25, hasGyroscope: true, bias: bias, noise: 0.02)
    var filter = InclinationFilter()
    var twin = FloatInclinationFilter()
    let errors = limb.samples([0, 110, -40, 200, 15]).map { sample, _ in
      filter.add(sample).error(against: twin.add(sample))
    }
    #expect((errors.max() ?? .infinity) < 0.01)
  }

  @Test
  func `the same samples give the same integers everywhere`() {
    let samples = (0..<1_200).map { MotionSample.golden($0) }
    var fused = InclinationFilter()
    var alone = InclinationFilter(usesGyroscope: false)
    var found = [Vector3(x: 0, y: 0, z: 0), Vector3(x: 0, y: 0, z: 0)]
    for sample in samples { found = [fused.add(sample).up, alone.add(sample).up] }
    #expect(
      found == [
        Vector3(x: -532_490, y: 569_471_310, z: 910_287_673),
        Vector3(x: -533_716, y: 602_293_153, z: 888_911_794),
      ])
    let smooth = [true, false].compactMap {
      InclinationFilter.smooth(samples, usesGyroscope: $0).inclinations[600].up
    }
    #expect(
      smooth == [
        Vector3(x: 765_560, y: 302_161_231, z: 1_030_349_217),
        Vector3(x: -377_361, y: 296_515_412, z: 1_031_988_359),
      ])
  }

  @Test
  func `a constant force is met exactly`() {
    var filter = InclinationFilter(usesGyroscope: false)
    for index in 0..<1_000 {
      let inclination = filter.add(
        MotionSample(
          time: Int64(index) * 10_000, acceleration: Vector3(x: 0, y: 600_000, z: 800_000)))
      #expect(inclination.up == Vector3(x: 0, y: 644_245_094, z: 858_993_459))
    }
  }

  @Test
  func `a sample out of order repeats the last direction`() {
    var filter = InclinationFilter()
    let first = filter.add(MotionSample(time: 10, acceleration: .g(0, 1, 0)))
    let late = filter.add(MotionSample(time: 5, acceleration: .g(1, 0, 0)))
    #expect(late == Inclination(time: 5, up: first.up))
    #expect(filter.quality.signal.outOfOrder == 1)
  }

  @Test
  func `free fall has no direction, and before anything up is z`() {
    var filter = InclinationFilter()
    let nothing = MotionSample(time: 0, acceleration: Vector3(x: 0, y: 0, z: 0))
    #expect(filter.add(nothing).up == Vector3(x: 0, y: 0, z: 1 << 30))
  }

  @Test
  func `a gap starts afresh`() {
    var filter = InclinationFilter()
    _ = filter.add(MotionSample(time: 0, acceleration: .g(0, 0, 1)))
    let after = filter.add(MotionSample(time: 2_000_000, acceleration: .g(0, 1, 0)))
    #expect(after.up == Vector3(x: 0, y: 1 << 30, z: 0))
    #expect(filter.quality.signal.gaps == 1)
  }

  /// Shaking along the vertical by so much (in g).
  @Test(arguments: [
    (0.02, SignalQuality.Verdict.good), (0.1, .low), (0.3, .refused(.shaken)),
  ])
  func `an accelerometer alone says how far to believe it`(
    shaking: Double, verdict: SignalQuality.Verdict
  ) {
    var filter = InclinationFilter()
    var fused = InclinationFilter()
    for index in 0..<2_000 {
      let force = 1 + shaking * sin(Double(index) * 0.3)
      let sample = MotionSample(time: Int64(index) * 10_000, acceleration: .g(0, 0, force))
      _ = filter.add(sample)
      _ = fused.add(
        MotionSample(
          time: sample.time, acceleration: sample.acceleration, angularRate: .g(0, 0, 0)))
    }
    #expect(filter.quality.verdict == verdict)
    #expect(fused.quality.verdict == .good)
    #expect(fused.quality.unsteadiness == filter.quality.unsteadiness)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, and up is always a unit vector`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var filter = InclinationFilter()
    var samples: [MotionSample] = []
    for _ in 0..<25_000 {
      samples.append(generator.wildSample(after: samples.last?.time ?? 0))
    }
    let smooth = InclinationFilter.smooth(samples).inclinations
    #expect(smooth.map(\.time) == samples.map(\.time))
    for inclination in samples.map({ filter.add($0) }) + smooth {
      let (x, y, z) = inclination.components
      #expect(abs((x * x + y * y + z * z).squareRoot() - 1) < 1e-6)
    }
  }
}

struct TiltSmootherTests {
  @Test(arguments: [2_500, 10_000, 40_000, 1_000_000] as [Int64])
  func `a step is met with the time constant's share, however long the interval`(interval: Int64) {
    var smoother = TiltSmoother()
    smoother.start(Vector3(x: 0, y: 0, z: 1_000_000))
    smoother.add(Vector3(x: 1_000_000, y: 0, z: 0), interval: interval)
    let share = Double(interval) / Double(interval + TiltSmoother.timeConstant)
    #expect(abs(Double(smoother.force.x) / 256e6 - share) < 2e-6)
    #expect(abs(Double(smoother.force.z) / 256e6 - (1 - share)) < 2e-6)
  }

  @Test
  func `a constant force stays as it is, at the ends of the range as well`() {
    var smoother = TiltSmoother()
    let force = Vector3(x: .min, y: .max, z: -1)
    smoother.start(force)
    for _ in 0..<100 { smoother.add(force, interval: 10_000) }
    #expect(smoother.force == WideVector(force).map { $0 << 8 })
  }
}
