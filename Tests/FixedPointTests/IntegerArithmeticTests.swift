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

// MARK: - Square roots

struct SquareRootTests {
  static let roots: [(UInt64, UInt64)] = [
    (0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (15, 3), (16, 4), (1 << 62, 1 << 31),
    (.max, 0xFFFF_FFFF), (0xFFFF_FFFE_0000_0001, 0xFFFF_FFFF),
    (0xFFFF_FFFE_0000_0000, 0xFFFF_FFFE), ((1 << 50) - 1, (1 << 25) - 1), (1 << 50, 1 << 25),
  ]

  @Test(arguments: roots)
  func `known roots`(square: UInt64, root: UInt64) {
    #expect(square.integerSquareRoot == root)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a root is the floor, next to every square`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let root = generator.next() >> (32 + generator.next() % 32)
      guard root > 0 else { continue }
      let square = root * root
      #expect(square.integerSquareRoot == root)
      #expect((square - 1).integerSquareRoot == root - 1)
      #expect((square + root).integerSquareRoot == root)
    }
  }

  @Test
  func `32-bit roots agree with 64-bit ones`() {
    for root in UInt32(0)...65_535 {
      let square = root * root
      #expect(square.integerSquareRoot == root)
      #expect((square &+ 2 &* root).integerSquareRoot == root)
      if root > 0 { #expect((square - 1).integerSquareRoot == root - 1) }
    }
    #expect(UInt32.max.integerSquareRoot == 65_535)
  }
}
