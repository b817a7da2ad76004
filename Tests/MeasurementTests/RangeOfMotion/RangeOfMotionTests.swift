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

  static let reasons: [(RangeOfMotionRefusal, String)] = [
    (.stream(.noSamples), "noSamples"), (.stream(.shaken), "shaken"),
    (.stream(.rateTooLow), "rateTooLow"),
    (.dropout(milliseconds: 2_340), "dropout"), (.verticalAxis, "verticalAxis"),
    (.severalAxes, "severalAxes"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: RangeOfMotionRefusal, code: String
  ) {
    #expect(refusal.code == code)
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

/// Two sensors, one on either side of a joint.
struct JointRangeTests {
  /// A thigh that is lifted by `thigh` degrees while the shank swings back by `shank`, in 2 s each way.
  private func knee(
    thigh: Double, shank: Double, yaw: Double = 0, hasGyroscope: Bool = true
  ) -> (proximal: [MotionSample], distal: [MotionSample]) {
    let upper = SyntheticLimb(
      speed: max(thigh / 2, 1), mountYaw: -yaw, hasGyroscope: hasGyroscope, seed: 5)
    let lower = SyntheticLimb(speed: shank / 2, mountYaw: yaw, hasGyroscope: hasGyroscope, seed: 6)
    let still = [Double](repeating: 0, count: 2)
    // A still thigh rests as long as the shank moves and rests.
    let upperPath = thigh == 0 ? still + still : [0, thigh, 0]
    return (
      upper.samples(upperPath).map(\.sample), lower.samples([0, -shank, 0]).map(\.sample)
    )
  }

  @Test(arguments: [0.0, 15, 30], [false, true])
  func `the joint's angle is that between its segments`(
    yaw: Double, hasGyroscope: Bool
  ) throws {
    let (proximal, distal) = knee(
      thigh: 40, shank: 60, yaw: yaw, hasGyroscope: hasGyroscope)
    let result = try RangeOfMotion.measure(proximal: proximal, distal: distal)
    #expect(abs(result.range - 100) <= 0.5)
    #expect(abs(result.start) <= 0.5)
    #expect(abs(result.maximum - 100) <= 0.5)
    #expect(result.sensorCount == 2)
    #expect(result.repetitions == 1)
    #expect(result.confidence == .good)
    #expect(result.quality.verdict == .good)
    #expect(result.proximalQuality?.verdict == .good)
  }

  /// Both sensors turned by so much about their z axis: at the front, upside down, and between.
  @Test(arguments: [0.0, 150, 180, 210], [Joint.knee, .elbow])
  func `flexion of a hinge is positive, however both sensors are worn`(
    mountYaw: Double, joint: Joint
  ) throws {
    let upper = SyntheticLimb(speed: 20, mountYaw: mountYaw, hasGyroscope: true, seed: 5)
    let lower = SyntheticLimb(speed: 30, mountYaw: mountYaw, hasGyroscope: true, seed: 6)
    let thigh = upper.samples([0, 40, 0]).map(\.sample)
    for direction in [1.0, -1] {
      let shank = lower.samples([0, -60, 0]).map(\.sample)
      let (proximal, distal) = direction > 0 ? (thigh, shank) : (shank, thigh)
      let result = try RangeOfMotion.measure(proximal: proximal, distal: distal, joint: joint)
      #expect(abs(result.maximum - 100) <= 0.6)
      #expect(abs(result.minimum) <= 0.6)
    }
  }

  @Test
  func `of a joint that bends both ways the sign is the sensors'`() throws {
    let (thigh, shank) = knee(thigh: 40, shank: 60)
    let there = try RangeOfMotion.measure(proximal: thigh, distal: shank, joint: .ankle)
    let back = try RangeOfMotion.measure(proximal: shank, distal: thigh, joint: .ankle)
    #expect(abs(there.maximum - 100) <= 0.5)
    #expect(abs(back.minimum + 100) <= 0.5)
  }

  @Test
  func `a thigh that keeps still takes its axis from the shank`() throws {
    let distal = SyntheticLimb(hasGyroscope: true).samples([0, -90, 0]).map(\.sample)
    let proximal = distal.map { sample in
      MotionSample(
        time: sample.time, acceleration: .g(0, 0.5, 0.866), angularRate: .g(0, 0, 0))
    }
    let result = try RangeOfMotion.measure(proximal: proximal, distal: distal)
    #expect(abs(result.range - 90) <= 0.5)
    #expect(abs(result.start - 30) <= 0.5)
  }

  @Test
  func `sensors that sample at other times are brought together`() throws {
    let proximal = SyntheticLimb(rate: 52, speed: 20, hasGyroscope: true).samples([0, 40, 0])
    let distal = SyntheticLimb(rate: 104, speed: 30, hasGyroscope: true).samples([0, -60, 0])
    let result = try RangeOfMotion.measure(
      proximal: proximal.map(\.sample), distal: distal.map(\.sample))
    #expect(abs(result.range - 100) <= 0.5)
  }

  @Test
  func `a sensor that stops before the other is a refusal`() {
    let (proximal, distal) = knee(thigh: 40, shank: 60)
    #expect(throws: RangeOfMotionRefusal.dropout(milliseconds: 1_000)) {
      try RangeOfMotion.measure(proximal: proximal, distal: distal.dropLast(100))
    }
    #expect(throws: RangeOfMotionRefusal.stream(.noSamples)) {
      try RangeOfMotion.measure(proximal: [], distal: distal)
    }
  }

  @Test
  func `a limb that moved about several axes is a refusal`() {
    let path = [0.0, 100, -100, 0]
    let distal = SyntheticLimb(hasGyroscope: true).samples(path).map(\.sample)
    let side = SyntheticLimb(mountYaw: 90, hasGyroscope: true).samples(path).map(\.sample)
    let later = (distal.last?.time ?? 0) + 10_000
    let both =
      distal
      + side.map {
        MotionSample(
          time: $0.time + later, acceleration: $0.acceleration, angularRate: $0.angularRate)
      }
    #expect(throws: RangeOfMotionRefusal.severalAxes) {
      try RangeOfMotion.measure(proximal: both, distal: both)
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      var streams: [[MotionSample]] = [[], []]
      for stream in streams.indices {
        for _ in 0..<100 {
          streams[stream].append(generator.wildSample(after: streams[stream].last?.time ?? 0))
        }
      }
      if let result = try? RangeOfMotion.measure(proximal: streams[0], distal: streams[1]) {
        #expect(result.rangeMillidegrees >= 0)
      }
    }
  }
}
