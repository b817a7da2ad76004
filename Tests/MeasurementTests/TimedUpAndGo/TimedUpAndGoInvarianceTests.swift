import Measurement
import Motion
import Testing

@testable import TestSupport

/// What lies outside of the task is no evidence: cut or added, the result stays as it is.
struct TimedUpAndGoInvarianceTests {
  private let person = SyntheticTimedUpAndGo(before: 12, after: 12, start: 1_234_567)

  /// So many seconds of lying still in one direction of `force`, from `time` on.
  private func stillness(
    _ seconds: Double, from time: Int64, force: Vector3, using generator: inout SeededGenerator
  ) -> [MotionSample] {
    (0..<Int64(seconds * 100)).map { index in
      let noise = Int32.random(in: -3_000...3_000, using: &generator)
      return MotionSample(
        time: time + index * 10_000,
        acceleration: Vector3(x: force.x + noise, y: force.y - noise, z: force.z + noise),
        angularRate: Vector3(x: noise / 10, y: 0, z: -noise / 10))
    }
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `either end may be cut`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let from = person.onset - Int64.random(in: 1_500_000..<12_000_000, using: &generator)
    let to = person.rest + Int64.random(in: 1_500_000..<12_000_000, using: &generator)
    var cut = try TimedUpAndGo.measure(samples.filter { $0.time >= from && $0.time <= to })
    cut.quality = whole.quality
    #expect(cut == whole)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `either end may be padded with quiet`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let first = try #require(samples.first)
    let last = try #require(samples.last)
    // As it was, or put down in another way, as a telephone on a table.
    let isPutDown = seed % 2 == 1
    let (early, late) =
      isPutDown ? (Vector3.g(0, 0, 1), .g(1, 0, 0)) : (first.acceleration, last.acceleration)
    let seconds = Double.random(in: 1...60, using: &generator)
    let start = first.time - Int64(seconds * 100) * 10_000
    let before = stillness(seconds, from: start, force: early, using: &generator)
    let after = stillness(30, from: last.time + 10_000, force: late, using: &generator)
    var padded = try TimedUpAndGo.measure(before + samples + after)
    padded.quality = whole.quality
    #expect(padded == whole)
  }

  @Test
  func `silence outside of the task is no dropout`() throws {
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let early = samples.map { $0.shifted(by: -100_000_000) }.prefix(300)
    let late = samples.map { $0.shifted(by: 100_000_000) }.suffix(300)
    var result = try TimedUpAndGo.measure(early + samples + late)
    #expect(result.quality.gaps == 2)
    result.quality = whole.quality
    #expect(result == whole)
  }

  @Test
  func `fidgeting long before and long after is no part of it`() throws {
    var samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    for index in samples.indices {
      let isOutside =
        samples[index].time < person.onset - 3_000_000
        || samples[index].time > person.rest + 3_000_000
      guard isOutside, index / 100 % 3 == 0 else { continue }
      samples[index].acceleration.x += index % 14 < 7 ? 150_000 : -150_000
    }
    #expect(try TimedUpAndGo.measure(samples) == whole)
  }
}
