import Measurement
import Motion
import Testing

@testable import TestSupport

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
  func `the joint's angle is that between its segments, however the sensors are turned`(
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
