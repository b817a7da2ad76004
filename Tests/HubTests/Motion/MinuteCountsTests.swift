import TestSupport
import Testing

@testable import Hub

@Suite struct MinuteCountsTests {
  private static let minute = MinuteCounts.length

  @Test(arguments: [
    (Int64(0), Int64(0)), (59_999_999, 0), (60_000_000, 60_000_000), (-1, -60_000_000),
    (-60_000_000, -60_000_000), (1_794_000_059_999_999, 1_794_000_000_000_000),
  ])
  func `a step counts in the minute it was taken in`(time: Int64, start: Int64) {
    var minutes = MinuteCounts()
    minutes.add(1, at: time)
    #expect(minutes.earliestEnd == start + Self.minute)
    #expect(minutes.closeAll() == [MinuteCounts.Minute(start: start, count: 1)])
  }

  @Test func `a minute closes at its end and once`() {
    var minutes = MinuteCounts()
    minutes.add(2, at: 10)
    minutes.add(3, at: Self.minute + 10)
    #expect(minutes.close(upTo: Self.minute - 1) == [])
    #expect(minutes.close(upTo: Self.minute) == [MinuteCounts.Minute(start: 0, count: 2)])
    #expect(minutes.close(upTo: Self.minute) == [])
    #expect(
      minutes.close(upTo: 5 * Self.minute)
        == [MinuteCounts.Minute(start: Self.minute, count: 3)])
    #expect(minutes.earliestEnd == nil)
  }

  @Test(arguments: [Int64.min, .min + 1, .max - 1, .max])
  func `steps with extreme times are counted`(time: Int64) {
    var minutes = MinuteCounts()
    _ = minutes.close(upTo: time)
    minutes.add(1, at: time)
    minutes.add(1, at: 0)
    #expect(minutes.closeAll().reduce(0) { $0 + $1.count } == 2)
  }

  @Test func `a late step counts in the first open minute`() {
    var minutes = MinuteCounts()
    minutes.add(2, at: 10)
    #expect(minutes.close(upTo: Self.minute).count == 1)
    minutes.add(1, at: 20)
    minutes.add(1, at: Self.minute + 20)
    #expect(
      minutes.closeAll() == [MinuteCounts.Minute(start: Self.minute, count: 2)])
  }

  @Test(arguments: 0..<50)
  func `every step is returned once in any order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var minutes = MinuteCounts()
    var taken = 0
    var given: [MinuteCounts.Minute] = []
    var now: Int64 = .random(in: -1_000_000_000...1_000_000_000, using: &random)
    for _ in 0..<200 {
      now += .random(in: 0...20_000_000, using: &random)
      let steps = Int.random(in: 1...5, using: &random)
      minutes.add(steps, at: now - .random(in: 0...90_000_000, using: &random))
      taken += steps
      given += minutes.close(upTo: now - .random(in: 0...40_000_000, using: &random))
    }
    given += minutes.closeAll()
    #expect(given.reduce(0) { $0 + $1.count } == taken)
    #expect(Set(given.map(\.start)).count == given.count)
    #expect(given.map(\.start) == given.map(\.start).sorted())
  }
}
