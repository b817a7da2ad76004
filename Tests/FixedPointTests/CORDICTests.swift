import FixedPoint
import Foundation
import TestSupport
import Testing

struct CORDICTests {
  static let angles: [(y: Int64, x: Int64, microdegrees: Int64)] = [
    (0, 0, 0), (0, 1, 0), (1, 0, 90_000_000), (0, -1, 180_000_000), (-1, 0, -90_000_000),
    (1, 1, 45_000_000), (-1, -1, -135_000_000), (3, 4, 36_869_898), (-1, -1 << 62, 180_000_000),
    (.min, .min, -135_000_000), (.max, .min, 135_000_000),
  ]

  @Test(arguments: angles)
  func `known angles`(y: Int64, x: Int64, microdegrees: Int64) {
    #expect(CORDIC.atan2(y: y, x: x) == microdegrees)
  }

  static let lengths: [(y: Int64, x: Int64, length: Int64)] = [
    (0, 0, 0), (3, 4, 5), (-5, 12, 13), (1, 0, 1), (3_000_000, -4_000_000, 5_000_000),
    (-0x8000_0000, -0x8000_0000, 3_037_000_500), (.min, .min, .max),
  ]

  @Test(arguments: lengths)
  func `known lengths`(y: Int64, x: Int64, length: Int64) {
    #expect(CORDIC.magnitude(y: y, x: x) == length)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `angle and length stay within their documented errors`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var worst = 0.0
    for _ in 0..<5_000 {
      let y = generator.extreme() >> Int32(generator.next() % 31)
      let x = generator.extreme() >> Int32(generator.next() % 31)
      let (angle, length) = CORDIC.polar(y: Int64(y), x: Int64(x))
      let exact = atan2(Double(y), Double(x)) * 180 / .pi
      // An angle a hair above -180° rounds to 180°: the same direction.
      worst = max(worst, abs((Double(angle) - exact * 1e6).remainder(dividingBy: 360e6)))
      let hypotenuse = (Double(x) * Double(x) + Double(y) * Double(y)).squareRoot()
      #expect(abs(Double(length) - hypotenuse) <= max(0.51, 2e-9 * hypotenuse))
    }
    #expect(worst <= 1)
  }

  @Test
  func `turning a vector round turns its angle by as much`() {
    for degrees in stride(from: -179.9, through: 180, by: 0.1) {
      let angle = degrees * .pi / 180
      let y = Int64((sin(angle) * 0x1p59).rounded())
      let x = Int64((cos(angle) * 0x1p59).rounded())
      #expect(abs(CORDIC.atan2(y: y, x: x) - Int64((degrees * 1e6).rounded())) <= 1)
    }
  }
}
