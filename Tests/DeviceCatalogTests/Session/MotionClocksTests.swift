import TestSupport
import Testing

@testable import DeviceCatalog

struct MotionClocksTests {
  @Test(arguments: [
    (1, 0, 10, [10]), (2, 0, 10, [5, 10]), (3, 0, 10, [3, 6, 10]), (0, 0, 10, []),
    (3, 10, 10, [11, 12, 13]), (2, 10, 0, [11, 12]),
  ])
  func `spread evenly`(count: Int, start: Int64, end: Int64, times: [Int64]) {
    #expect(evenly(count, from: start, to: end) == times)
  }

  @Test func `even arrivals are used unchanged`() {
    var clock = ArrivalClock(milliHertz: 50_000)
    for index in 0..<100 {
      let arrival = Int64(index) * 20_000
      #expect(clock.times(count: 1, arrival: arrival) == [arrival])
    }
  }

  @Test func `bursts are spaced evenly`() throws {
    // Every 60 ms, three samples of a 50 Hz stream at once.
    var clock = ArrivalClock(milliHertz: 50_000)
    var times: [Int64] = []
    for index in 0..<600 {
      times += clock.times(count: 1, arrival: Int64(index / 3) * 60_000)
    }
    let steps = zip(times.dropFirst(300), times.dropFirst(299)).map { $0 - $1 }
    let least = try #require(steps.min())
    let most = try #require(steps.max())
    #expect(least > 10_000)
    #expect(most < 30_000)
  }

  @Test func `an actual rate is followed`() throws {
    // A watch that sends 12.5 samples a second instead of 50.
    var clock = ArrivalClock(milliHertz: 50_000)
    var last: Int64 = 0
    for index in 0..<500 {
      last = try #require(clock.times(count: 1, arrival: Int64(index) * 80_000).last)
    }
    #expect(abs(last - 499 * 80_000) < 1000)
  }

  @Test func `a gap stays a gap`() {
    var clock = ArrivalClock(milliHertz: 50_000)
    _ = clock.times(count: 1, arrival: 0)
    _ = clock.times(count: 1, arrival: 20_000)
    #expect(clock.times(count: 2, arrival: 2_000_000) == [1_980_000, 2_000_000])
  }

  @Test func `a stream is distributed between the last samples of frames`() {
    var clock = StreamClock(milliHertz: 50_000)
    #expect(
      clock.times(count: 2, lastNanoseconds: 1_000_000_000, arrival: 5_000_000)
        == [4_980_000, 5_000_000])
    // The sensor is slower than its nominal rate: 84 ms for four samples.
    #expect(
      clock.times(count: 4, lastNanoseconds: 1_084_000_000, arrival: 5_300_000)
        == [5_021_000, 5_042_000, 5_063_000, 5_084_000])
  }

  @Test func `a lost frame leaves a gap`() {
    var clock = StreamClock(milliHertz: 50_000)
    _ = clock.times(count: 2, lastNanoseconds: 1_000_000_000, arrival: 5_000_000)
    #expect(
      clock.times(count: 2, lastNanoseconds: 1_500_000_000, arrival: 5_500_000)
        == [5_480_000, 5_500_000])
  }

  @Test func `a clock that is set is followed by the arrival`() {
    var clock = StreamClock(milliHertz: 50_000)
    _ = clock.times(count: 1, lastNanoseconds: 1_000_000_000, arrival: 5_000_000)
    #expect(
      clock.times(count: 1, lastNanoseconds: 900_000_000_000, arrival: 5_020_000) == [5_020_000])
    #expect(clock.times(count: 1, lastNanoseconds: 7, arrival: 5_040_000) == [5_040_000])
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func `times always ascend`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var arrivals = ArrivalClock(milliHertz: Int.random(in: 1...200_000, using: &generator))
    var stream = StreamClock(milliHertz: Int.random(in: 1...200_000, using: &generator))
    var last: [Int64] = [.min, .min]
    for _ in 0..<Rounds.count(10_000) {
      let arrival = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator)
      let count = Int.random(in: 1...40, using: &generator)
      let device = generator.next() >> UInt64.random(in: 0...40, using: &generator)
      let all = [
        arrivals.times(count: count, arrival: arrival),
        stream.times(count: count, lastNanoseconds: device, arrival: arrival),
      ]
      for (index, times) in all.enumerated() {
        #expect(times.count == count)
        for time in times {
          #expect(time > last[index])
          last[index] = time
        }
      }
    }
  }
}
