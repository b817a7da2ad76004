import FixedPoint
import Foundation
import TestSupport
import Testing

struct BinaryLogarithmTests {
  @Test func `the logarithm is within its error`() {
    var draws = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let value = max(1, draws.next() >> UInt64.random(in: 0...63, using: &draws))
      let error = Foundation.log2(Double(value)) * 65_536 - Double(BinaryLogarithm.log2(value))
      #expect((-0.01...1.01).contains(error), "\(value)")
    }
    #expect(BinaryLogarithm.log2(0) == 0)
    #expect(BinaryLogarithm.log2(1) == 0)
    #expect(BinaryLogarithm.log2(1 << 63) == 63 << 16)
    #expect(BinaryLogarithm.log2(.max) == (64 << 16) - 1)
  }

  @Test func `the power is within its error`() {
    for exponent in stride(from: Int64(0), through: 31 << 16, by: 997) {
      let exact = exp2(-Double(exponent) / 65_536) * 1_073_741_824
      #expect(abs(Double(BinaryLogarithm.power(minus: exponent)) - exact) < 16, "\(exponent)")
    }
    #expect(BinaryLogarithm.power(minus: -5) == 1 << 30)
    #expect(BinaryLogarithm.power(minus: 1 << 16) == 1 << 29)
    #expect(BinaryLogarithm.power(minus: .max) == 0)
  }

  @Test func `the sum is that of the powers`() {
    for difference in stride(from: Int64(0), through: 21 << 16, by: 4_999) {
      let exact = Foundation.log2(1 + exp2(-Double(difference) / 65_536)) * 65_536
      let sum = BinaryLogarithm.sum(-difference - 1_000, -1_000)
      #expect(abs(Double(sum + 1_000) - exact) < 2, "\(difference)")
      #expect(sum == BinaryLogarithm.sum(-1_000, -difference - 1_000))
    }
  }
}
