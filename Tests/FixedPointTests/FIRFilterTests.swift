import FixedPoint
import TestSupport
import Testing

struct FIRFilterTests {
  @Test
  func `an impulse gives back the taps`() throws {
    var filter = try #require(FIRFilter<4>(taps: [1, -2, 3, 4], shift: 0))
    #expect([10, 0, 0, 0, 0].map { filter.filter($0) } == [10, -20, 30, 40, 0])
  }

  @Test
  func `the sum is rounded to nearest and saturated`() throws {
    var filter = try #require(FIRFilter<2>(taps: [1, 1], shift: 1))
    #expect([3, 0, -3].map { filter.filter($0) } == [2, 2, -1])
    var loud = try #require(FIRFilter<2>(taps: [1 << 30, 1 << 30], shift: 10))
    #expect(loud.filter(.max) == .max)
    #expect(loud.filter(.min) == -1_048_576)
    #expect(loud.filter(.min) == .min)
  }

  @Test
  func `taps that could overflow are refused`() {
    #expect(FIRFilter<3>(taps: [.max, .max, 3], shift: 31) == nil)
    #expect(FIRFilter<2>(taps: [.min, 1], shift: 31) == nil)
    #expect(FIRFilter<2>(taps: [1, 1], shift: -1) == nil)
    #expect(FIRFilter<2>(taps: [1, 1], shift: 63) == nil)
  }

  @Test
  func `settling fills the past`() throws {
    var filter = try #require(FIRFilter<3>(taps: [1, 1, 1], shift: 0))
    filter.settle(at: 5)
    #expect(filter.filter(5) == 15)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `the output is within half a unit of float64, for any input`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var taps = InlineArray<9, Int32>(repeating: 0)
    for index in taps.indices {
      taps[index] = .random(in: -200_000_000...200_000_000, using: &generator)
    }
    var filter = try #require(FIRFilter(taps: taps, shift: 31))
    var past = [Double](repeating: 0, count: 9)
    for _ in 0..<2_000 {
      let input = generator.extreme()
      past = [Double(input)] + past.dropLast()
      var exact = 0.0
      for index in taps.indices { exact += Double(taps[index]) * past[index] }
      #expect(abs(Double(filter.filter(input)) - exact / 0x1p31) <= 0.5 + 1e-6)
    }
  }
}
