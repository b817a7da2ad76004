import Foundation
import Testing

@testable import Measurement
@testable import TestSupport

struct HeartRateVariabilityTests {
  /// Intervals in microseconds around 850 ms with breathing and noise.
  static func rhythm(beats: Int, seed: UInt64) -> [Int64] {
    var generator = SeededGenerator(seed: seed)
    return (0..<beats).map { beat in
      850_000 + Int64(40_000 * sin(Double(beat) * 1.3) + 15_000 * generator.normal())
    }
  }

  @Test
  func `the figures of a rhythm that can be worked out by hand`() throws {
    // 800 and 900 ms in turn: each departs by 50 ms from the mean and by 100 ms from the last.
    let intervals = (0..<100).map { Int64($0 % 2 == 0 ? 800_000 : 900_000) }
    let result = try HeartRateVariability.measure(intervals)
    #expect(result.meanInterval == 850_000)
    #expect(result.deviation == 50_251)  // 50 ms · √(100 / 99)
    #expect(result.successiveDifference == 100_000)
    #expect(result.over50Milliseconds == 1_000)
    #expect(result.intervals == 100)
    #expect(result.artefacts == 0)
    #expect(result.duration == 85_000_000)
    #expect(result.confidence == .good)
  }

  @Test
  func `a difference of exactly 50 ms is not over it`() throws {
    let intervals = (0..<100).map { Int64($0 % 2 == 0 ? 800_000 : 850_000) }
    #expect(try HeartRateVariability.measure(intervals).over50Milliseconds == 0)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `the figures are those of floating point`(seed: UInt64) throws {
    let intervals = Self.rhythm(beats: 300, seed: seed)
    let result = try HeartRateVariability.measure(intervals)
    let values = intervals.map(Double.init)
    let mean = values.reduce(0, +) / 300
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let successive = zip(values, values.dropFirst()).reduce(0) { sum, pair in
      sum + (pair.1 - pair.0) * (pair.1 - pair.0)
    }
    #expect(abs(Double(result.meanInterval) - mean) <= 1)
    #expect(abs(Double(result.deviation) - (squares / 299).squareRoot()) <= 2)
    #expect(abs(Double(result.successiveDifference) - (successive / 299).squareRoot()) <= 2)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `missed, false and early beats hardly move the figures`(seed: UInt64) throws {
    let clean = Self.rhythm(beats: 300, seed: seed)
    var disturbed = clean
    for index in stride(from: 20, to: 280, by: 40) {
      switch index / 40 % 3 {
      case 0: disturbed[index] = clean[index] * 2
      case 1: disturbed[index] = clean[index] / 3
      default:
        disturbed[index] = clean[index] * 6 / 10
        disturbed[index + 1] = clean[index + 1] * 14 / 10
      }
    }
    let truth = try HeartRateVariability.measure(clean)
    let found = try HeartRateVariability.measure(disturbed)
    #expect(found.artefacts == 9)
    #expect(found.correctedThousandths == 30)
    #expect(found.confidence == .good)
    #expect(abs(found.deviation - truth.deviation) * 20 < truth.deviation)
    #expect(abs(found.successiveDifference - truth.successiveDifference) * 20 < truth.deviation)
  }

  @Test
  func `many artefacts lower the confidence, too many are a refusal`() throws {
    var intervals = Self.rhythm(beats: 200, seed: 1)
    for index in stride(from: 0, to: 200, by: 10) { intervals[index] = 0 }
    #expect(try HeartRateVariability.measure(intervals).confidence == .low)
    for index in stride(from: 0, to: 200, by: 4) { intervals[index] = 2_500_000 }
    #expect(throws: HeartRateVariabilityRefusal.tooManyArtefacts(percent: 30)) {
      try HeartRateVariability.measure(intervals)
    }
  }

  @Test
  func `too few beats are a refusal`() {
    #expect(throws: HeartRateVariabilityRefusal.tooShort(seconds: 0)) {
      try HeartRateVariability.measure([])
    }
    #expect(throws: HeartRateVariabilityRefusal.tooShort(seconds: 59)) {
      try HeartRateVariability.measure([Int64](repeating: 850_000, count: 70))
    }
  }

  static let reasons: [(HeartRateVariabilityRefusal, String)] = [
    (.tooShort(seconds: 12), "tooShort"),
    (.tooManyArtefacts(percent: 31), "tooManyArtefacts"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: HeartRateVariabilityRefusal, code: String
  ) {
    #expect(refusal.code == code)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<250 {
      let intervals = (0..<100).map { _ in
        generator.next() % 10 == 0
          ? Int64(truncatingIfNeeded: generator.next()) : Int64(generator.extreme() / 1_000)
      }
      let error = #expect(throws: HeartRateVariabilityRefusal.self) {
        try HeartRateVariability.measure(intervals + [.min, .max])
      }
      #expect(error?.code == "tooManyArtefacts")
    }
  }
}

struct BeatIntervalsTests {
  /// Thirty beats of 800 ms with one interval, or two, put in at the tenth.
  private func beats(_ intervals: Int64...) -> BeatIntervals {
    let steady = [Int64](repeating: 800_000, count: 30)
    return BeatIntervals(Array(steady[..<10] + intervals + steady[10...]))
  }

  @Test(arguments: [641_000, 800_000, 959_000] as [Int64])
  func `what departs by less than a fifth is normal`(interval: Int64) {
    #expect(beats(interval).rejected == 0)
  }

  @Test(arguments: [0, 299_999, 400_000, 639_000, 961_000, 1_600_000, 2_000_001, .min, .max])
  func `what departs by more, or is no beat, is an artefact`(interval: Int64) {
    let beats = beats(interval)
    #expect(beats.rejected == 1)
    #expect(beats.normal[10] == nil)
  }

  @Test
  func `no difference is taken across an artefact`() {
    let beats = beats(500_000, 1_100_000)
    #expect(beats.rejected == 2)
    #expect(beats.accepted.count == 30)
    #expect(beats.successiveDifferences.count == 28)
  }

  @Test
  func `a rhythm that changes slowly keeps every beat`() {
    let slowing = (0..<200 as Range<Int64>).map { 500_000 + $0 * 5_000 }
    #expect(BeatIntervals(slowing).rejected == 0)
  }
}
