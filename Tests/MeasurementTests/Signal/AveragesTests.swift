import TestSupport
import Testing

@testable import Measurement

struct MedianTests {
  @Test
  func `the median is the middle, the upper of two`() {
    #expect([3, 1, 2].median == 2)
    #expect([4, 1, 3, 2].median == 3)
    #expect([7].median == 7)
    #expect([Int]().median == nil)
  }
}

struct MovingMeanTests {
  @Test
  func `means are centred, and of fewer cells at the ends`() {
    #expect([0, 6, 3, 9, 0, 30].movingMean(over: 3) == [3, 3, 6, 4, 13, 15])
    #expect([7, 7].movingMean(over: 9) == [7, 7])
    #expect([Int64]().movingMean(over: 3) == [])
  }

  @Test
  func `smoothing weighs as a triangle`() {
    let pulse: [Int64] = [0, 0, 0, 0, 90, 0, 0, 0, 0]
    #expect(pulse.smoothed(over: 3) == [0, 0, 10, 20, 30, 20, 10, 0, 0])
    let vectors = pulse.map { WideVector(x: $0, y: -$0, z: 0) }.smoothed(over: 3)
    #expect(vectors[3] == WideVector(x: 20, y: -20, z: 0))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a mean is what adding up would give`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values = (0..<60).map { _ in Int64.random(in: -1_000...1_000, using: &generator) * 15 }
    for (index, mean) in values.movingMean(over: 15).enumerated().dropFirst(7).dropLast(7) {
      let sum = values[(index - 7)...(index + 7)].reduce(0, +)
      #expect(abs(mean * 15 - sum) <= 7)
    }
  }

  @Test
  func `spans are the runs that satisfy a condition`() {
    let values: [Int64] = [1, 1, 5, 1, 5, 5, 1]
    #expect(values.spans { $0 == 1 } == [0..<2, 3..<4, 6..<7])
    #expect(values.spans { $0 == 5 } == [2..<3, 4..<6])
    #expect(values.spans { $0 > 9 } == [])
  }
}
