import Measurement
import Motion
import Testing

@testable import TestSupport

struct HeartRateRecoveryTests {
  /// One reading a second around the end of an exercise at 0 s: 150 up to it, then down by 0.3 a
  /// second.
  static let plain = (-120...130).map { (second: Int64) -> HeartRateSample in
    let lost = second < 0 ? 0 : second * 3 / 10
    return HeartRateSample(time: second * 1_000_000, rate: Int32(150 - lost))
  }

  @Test
  func `the drops are those of one and two minutes`() throws {
    let recovery = try HeartRateRecovery.measure(Self.plain, exerciseEnd: 0)
    #expect(recovery.peak == 150)
    #expect(recovery.atOneMinute == 132)
    #expect(recovery.atTwoMinutes == 114)
    #expect(recovery.dropAfterOneMinute == 18)
    #expect(recovery.dropAfterTwoMinutes == 36)
  }

  @Test
  func `the order of the readings does not matter`() throws {
    var generator = SeededGenerator(seed: 4)
    let shuffled = Self.plain.shuffled(using: &generator)
    #expect(
      try HeartRateRecovery.measure(shuffled, exerciseEnd: 0)
        == HeartRateRecovery.measure(Self.plain, exerciseEnd: 0))
  }

  @Test
  func `stray readings are neither peak nor rate`() throws {
    var disturbed = Self.plain
    for (index, rate) in [(115, 210), (125, 0), (179, 220), (182, 30), (240, 999)] {
      disturbed[index].rate = Int32(rate)
    }
    let recovery = try HeartRateRecovery.measure(disturbed, exerciseEnd: 0)
    #expect(recovery.peak == 150)
    #expect(abs(recovery.atOneMinute - 132) <= 1)
  }

  @Test
  func `a peak that comes a little late is the peak, one from before is not`() throws {
    var late = Self.plain
    for index in 122...126 { late[index].rate = 156 }
    for index in 20...40 { late[index].rate = 190 }
    #expect(try HeartRateRecovery.measure(late, exerciseEnd: 0).peak == 156)
  }

  @Test
  func `a recording of one minute has no second one`() throws {
    let short = Self.plain.filter { $0.time <= 62_000_000 }
    let recovery = try HeartRateRecovery.measure(short, exerciseEnd: 0)
    #expect(recovery.atTwoMinutes == nil)
    #expect(recovery.dropAfterTwoMinutes == nil)
  }

  @Test
  func `what was not heard is a refusal`() {
    #expect(throws: HeartRateRecoveryRefusal.noPeak) {
      try HeartRateRecovery.measure([], exerciseEnd: 0)
    }
    #expect(throws: HeartRateRecoveryRefusal.noPeak) {
      try HeartRateRecovery.measure(Self.plain.filter { $0.time > 11_000_000 }, exerciseEnd: 0)
    }
    let gap = Self.plain.filter { !(54_000_000...66_000_000).contains($0.time) }
    #expect(throws: HeartRateRecoveryRefusal.noReadingAfterOneMinute) {
      try HeartRateRecovery.measure(gap, exerciseEnd: 0)
    }
  }

  @Test(arguments: [HeartRateRecoveryRefusal.noPeak, .noReadingAfterOneMinute])
  func `every refusal has a code`(refusal: HeartRateRecoveryRefusal) {
    #expect(refusal.code == refusal.rawValue)
  }

  @Test
  func `nothing traps, whatever comes`() {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<1_000 {
      let rates = (0..<100).map { _ in
        let sample = generator.wildSample(after: Int64(generator.next() % 200_000_000))
        return HeartRateSample(time: sample.time, rate: sample.acceleration.x)
      }
      let end = generator.next() % 4 == 0 ? Int64.min : 0
      if let recovery = try? HeartRateRecovery.measure(rates, exerciseEnd: end) {
        #expect(HeartRateSample.plausible.contains(recovery.peak))
      }
    }
  }
}
