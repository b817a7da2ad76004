import FixedPoint
import TestSupport
import Testing

struct RoundingTests {
  static let shifts: [(value: Int64, bits: Int, expected: Int64)] = [
    (5, 1, 3), (-5, 1, -2), (4, 1, 2), (7, 0, 7), (6, 2, 2), (-6, 2, -1),
    (.max, 1, 1 << 62), (.min, 62, -2), (.max, 62, 2),
  ]

  @Test(arguments: shifts)
  func `a rounded shift goes to the nearest`(value: Int64, bits: Int, expected: Int64) {
    #expect(value.roundedShift(right: bits) == expected)
  }

  @Test
  func `the shift for inner loops is the same below the top`() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<1_000 {
      let value = Int64(truncatingIfNeeded: generator.next()) >> 1
      let bits = Int.random(in: 1...62, using: &generator)
      #expect(value.nearbyShift(right: bits) == value.roundedShift(right: bits))
    }
  }

  static let quotients: [(Int64, Int64, Int64, Int64)] = [
    (7, 3, 2, 10), (-7, 3, 2, -10), (7, -3, -2, 10), (.max, .max, .max, .max),
    (.min, 1, -1, .max), (.min, 1, 1, .min), (1, 1, 0, .max), (-1, 1, 0, .min),
    (0, 5, 0, 0), (.max, 4, 2, .max),
  ]

  @Test(arguments: quotients)
  func `a wide quotient is exact or held`(
    value: Int64, numerator: Int64, denominator: Int64, expected: Int64
  ) {
    #expect(value.scaled(by: numerator, over: denominator) == expected)
  }

  static let divisions: [(Int64, Int64, Int64)] = [
    (5, 2, 3), (-5, 2, -3), (4, 3, 1), (-4, 3, -1), (5, 3, 2), (7, 0, 0), (7, -1, 0),
    (.max, 1, .max), (.min, 1, .min), (.min, .max, -1), (1, .max, 0),
  ]

  @Test(arguments: divisions)
  func `a rounded division goes to the nearest`(value: Int64, divisor: Int64, expected: Int64) {
    #expect(value.roundedDivision(by: divisor) == expected)
  }

  @Test
  func `clamping is symmetric`() {
    #expect(Int64.min.clamped(to: 9) == -9)
    #expect(Int64.max.clamped(to: 9) == 9)
    #expect(Int64(-3).clamped(to: 9) == -3)
  }
}
