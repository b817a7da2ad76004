import Measurement
import Motion
import Testing

@testable import TestSupport

struct RangeOfMotionTests {
  private func measure(
    _ limb: SyntheticLimb, _ angles: [Double]
  ) throws(RangeOfMotionRefusal) -> RangeOfMotion {
    try RangeOfMotion.measure(limb.samples(angles).map(\.sample))
  }

  /// Pitch in degrees, then start, finish, minimum, maximum and range.
  static let paths: [(pitch: [Double], expected: [Double])] = [
    ([90, 10, 90], [0, 0, 0, 80, 80]),
    ([0, -120, 0], [90, 90, 90, 210, 120]),
    ([0, 120, 0], [90, 90, -30, 90, 120]),
    ([0, 60, 0], [90, 90, 30, 90, 60]),
    ([30, -30, 30], [60, 60, 60, 120, 60]),
    ([0, -200, 0], [90, 90, 90, 290, 200]),
    ([0, 200, 0], [90, 90, -110, 90, 200]),
    ([20, 20], [70, 70, 70, 70, 0]),
  ]

  @Test(arguments: paths, [false, true])
  func `a path about the joint is measured`(
    path: (pitch: [Double], expected: [Double]), hasGyroscope: Bool
  ) throws {
    let limb = SyntheticLimb(hasGyroscope: hasGyroscope)
    let result = try measure(limb, path.pitch)
    let found = [result.start, result.finish, result.minimum, result.maximum, result.range]
    for (found, expected) in zip(found, path.expected) { #expect(abs(found - expected) <= 0.5) }
    #expect(result.confidence == .good)
    #expect(result.method == .jointAxis)
    #expect(result.sensorCount == 1)
  }

  @Test(arguments: [-40, -20, 20, 40] as [Double], [false, true])
  func `the yaw of the mounting changes nothing`(yaw: Double, hasGyroscope: Bool) throws {
    let plain = try measure(SyntheticLimb(hasGyroscope: hasGyroscope), [90, 10, 90])
    let turned = try measure(
      SyntheticLimb(mountYaw: yaw, hasGyroscope: hasGyroscope), [90, 10, 90])
    #expect(abs(turned.range - plain.range) <= 0.2)
    #expect(abs(turned.start - plain.start) <= 0.2)
  }

  @Test
  func `a joint whose axis is not level keeps its range`() throws {
    let result = try measure(SyntheticLimb(axisTilt: 20), [0, 80, 0])
    #expect(abs(result.range - 80) <= 0.5)
  }

  @Test(arguments: [false, true])
  func `repetitions are counted, and what was held is described`(hasGyroscope: Bool) throws {
    let limb = SyntheticLimb(hasGyroscope: hasGyroscope)
    let result = try measure(limb, [90, 10, 90, 10, 90])
    #expect(result.repetitions == 2)
    let hold = try #require(result.hold)
    #expect(abs(hold.mean - 80) < 0.5)
    #expect(hold.deviation < 0.7)
    // 3 s of rest, and the slow ends of the raised cosine.
    #expect((3.0...3.8).contains(hold.duration))
  }

  @Test
  func `the same samples give the same figures everywhere`() throws {
    let result = try RangeOfMotion.measure((0..<1_200).map { MotionSample.golden($0) })
    #expect(
      [
        result.startMillidegrees, result.finishMillidegrees, result.minimumMillidegrees,
        result.maximumMillidegrees,
      ] == [90_582, 56_758, 52_778, 90_582])
    #expect(result.repetitions == 6)
  }

  @Test
  func `no samples are a refusal`() {
    #expect(throws: RangeOfMotionRefusal.stream(.noSamples)) { try RangeOfMotion.measure([]) }
    #expect(throws: RangeOfMotionRefusal.stream(.noSamples)) {
      try RangeOfMotion.measure([MotionSample(time: 0, acceleration: .g(0, 0, 1))])
    }
  }

  @Test
  func `a sensor that drops out is a refusal`() {
    let samples = SyntheticLimb().samples([0, 90, 0]).map(\.sample)
    let middle = samples.count / 2
    let broken = Array(samples[..<(middle - 60)] + samples[middle...])
    #expect(throws: RangeOfMotionRefusal.dropout(milliseconds: 610)) {
      try RangeOfMotion.measure(broken)
    }
    #expect(throws: RangeOfMotionRefusal.dropout(milliseconds: 2_000)) {
      try RangeOfMotion.measure(samples, end: (samples.last?.time ?? 0) + 2_000_000)
    }
  }

  @Test
  func `shaking without a gyroscope is a refusal`() {
    var generator = SeededGenerator(seed: 1)
    let shaken = SyntheticLimb().samples([0, 60, 0]).map(\.sample).map { sample in
      let factor = Int32.random(in: 60...140, using: &generator)
      let a = sample.acceleration
      return MotionSample(
        time: sample.time,
        acceleration: Vector3(
          x: a.x / 100 * factor, y: a.y / 100 * factor, z: a.z / 100 * factor))
    }
    #expect(throws: RangeOfMotionRefusal.stream(.shaken)) { try RangeOfMotion.measure(shaken) }
  }

  @Test
  func `a turn about the vertical is a refusal`() {
    // Lying flat and turned about z: the gyroscope sees it, gravity does not.
    let samples = (0..<1_000).map { index in
      MotionSample(
        time: Int64(index) * 10_000, acceleration: .g(0, 0, 1),
        angularRate: Vector3(x: 0, y: 0, z: (300..<600).contains(index) ? 30_000 : 0))
    }
    #expect(throws: RangeOfMotionRefusal.verticalAxis) { try RangeOfMotion.measure(samples) }
    #expect(throws: RangeOfMotionRefusal.verticalAxis) {
      try measure(SyntheticLimb(axisTilt: 70), [0, 100, 0])
    }
  }

  static let reasons: [(RangeOfMotionRefusal, String, String)] = [
    (.stream(.noSamples), "noSamples", "no samples"), (.stream(.shaken), "shaken", "slowly"),
    (.stream(.rateTooLow), "rateTooLow", "10 samples"),
    (.dropout(milliseconds: 2_340), "dropout", "2.3 s"), (.verticalAxis, "verticalAxis", "gravity"),
    (.severalAxes, "severalAxes", "one plane"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code and says what to do`(
    refusal: RangeOfMotionRefusal, code: String, words: String
  ) {
    #expect(refusal.code == code)
    #expect(refusal.description.contains(words))
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var samples: [MotionSample] = []
      for _ in 0..<100 {
        samples.append(generator.wildSample(after: samples.last?.time ?? 0))
      }
      if let result = try? RangeOfMotion.measure(samples) {
        #expect(result.rangeMillidegrees >= 0)
      }
    }
  }
}
