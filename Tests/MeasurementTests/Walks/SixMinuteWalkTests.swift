import Measurement
import Motion
import Testing

@testable import TestSupport

struct SixMinuteWalkTests {
  static let walk = SyntheticGait(cadence: 1.9, rate: 25).samples(steps: 760, rest: 10)

  @Test
  func `the steps of six minutes are counted, minute by minute`() throws {
    let result = try SixMinuteWalk.measure(Self.walk)
    #expect(abs(result.steps - 684) <= 6)
    #expect(result.stepsByMinute.count == 6)
    #expect(result.stepsByMinute.reduce(0, +) == result.steps)
    for minute in result.stepsByMinute { #expect(abs(minute - 114) <= 3) }
    #expect(result.rests == 0)
    #expect(abs(Double(result.start) / 1e6 - 10) < 1)
    #expect(result.distance == nil)
    #expect(result.heartRate == nil)
    #expect(result.quality.verdict == .good)
  }

  @Test
  func `a command to go starts the clock`() throws {
    let result = try SixMinuteWalk.measure(Self.walk, start: 4_000_000)
    #expect(result.start == 4_000_000)
    #expect(abs(result.stepsByMinute[0] - 103) <= 3)
  }

  @Test
  func `a rest is counted, and the clock runs on`() throws {
    let first = SyntheticGait(cadence: 1.8, rate: 25).samples(steps: 270, rest: 10)
    let last = first.last?.time ?? 0
    let second = SyntheticGait(cadence: 1.8, rate: 25)
      .samples(steps: 450, rest: 10, start: last + 40_000)
    let result = try SixMinuteWalk.measure(first + second)
    #expect(result.rests == 1)
    #expect(abs(result.steps - 612) <= 8)
  }

  @Test
  func `a distance rests on what was stated`() throws {
    let byStep = try #require(
      SixMinuteWalk.measure(Self.walk, distance: .stepLength(650)).distance)
    #expect(abs(byStep.millimetres - 684 * 650) <= 6 * 650)
    #expect(byStep.isEstimate)
    let laps = try #require(
      SixMinuteWalk.measure(Self.walk, distance: .laps(count: 14, length: 30_000, rest: 12_500))
        .distance)
    #expect(laps.millimetres == 432_500)
    #expect(!laps.isEstimate)
    let absurd = try #require(
      SixMinuteWalk.measure(Self.walk, distance: .laps(count: .max, length: 30, rest: .max))
        .distance)
    #expect(absurd.millimetres == .max)
  }

  @Test
  func `the heart rate of the six minutes is summed up`() throws {
    let rates = (0..<420 as Range<Int64>).map { second in
      let climb = min(max(second - 10, 0), 60)
      return HeartRateSample(
        time: second * 1_000_000, rate: second == 200 ? 240 : Int32(80 + climb / 2))
    }
    let summary = try #require(SixMinuteWalk.measure(Self.walk, heartRates: rates).heartRate)
    #expect(abs(summary.first - 82) <= 1)
    #expect(summary.last == 110)
    #expect(summary.highest == 110)
    #expect(summary.lowest == 80)
    #expect(abs(summary.mean - 108) <= 1)
  }

  @Test
  func `what is no six-minute walk is a refusal`() {
    let short = Self.walk.filter { $0.time < 200_000_000 }
    let error = #expect(throws: WalkRefusal.self) { try SixMinuteWalk.measure(short) }
    #expect(error?.code == "tooShort")
    let broken = Self.walk.filter { !(100_000_000...130_000_000).contains($0.time) }
    let lost = #expect(throws: WalkRefusal.self) { try SixMinuteWalk.measure(broken) }
    #expect(lost?.code == "dropout")
    #expect(throws: WalkRefusal.stream(.noSamples)) { try SixMinuteWalk.measure([]) }
    #expect(throws: WalkRefusal.tooShort(seconds: 0)) {
      try SixMinuteWalk.measure(Self.walk, start: .max)
    }
  }
}
