import FixedPoint
import TestSupport
import Testing

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
