import FixedPoint
import TestSupport
import Testing

struct QTests {
  @Test(arguments: [
    (Q<16>(3) + Q<16>(4), 7.0), (Q<16>(3) - Q<16>(4), -1.0), (Q<16>(1, over: 4) * Q<16>(6), 1.5),
    (-Q<16>(2), -2.0), (Q<16>(-5).magnitude, 5.0), (Q<16>(0.125), 0.125),
  ])
  func `plain sums and products`(number: Q<16>, expected: Double) {
    #expect(number.double == expected)
  }

  @Test
  func `what leaves the range is held at its end`() {
    let top = Q<30>(raw: .max)
    let bottom = Q<30>(raw: .min)
    #expect(top + Q.step == top)
    #expect(bottom - Q.step == bottom)
    #expect(-bottom == top)
    #expect(bottom * bottom == top)
    #expect(bottom * top == bottom)
    #expect(Q<30>(7) == top)
    #expect(Q<30>(-7.0).raw == .min)
    #expect(Q<30>(Double.nan) == .zero)
    #expect(Q<30>(1, over: 0) == top)
    #expect(Q<30>(0, over: 0) == .zero)
  }

  @Test
  func `the reporting forms wrap and say so`() {
    let top = Q<30>(raw: .max)
    #expect(top.addingReportingOverflow(.step) == (Q(raw: .min), true))
    #expect(Q<30>.step.addingReportingOverflow(.step) == (Q(raw: 2), false))
    #expect(top.multipliedReportingOverflow(by: top).overflow)
    #expect(Q<30>(1, over: 2).multipliedReportingOverflow(by: Q(1, over: 2)) == (Q(0.25), false))
  }

  @Test(arguments: [(1, 0), (2, 1), (3, 1), (-3, -1), (65_536, 16_384)] as [(Int32, Int32)])
  func `fewer fractional bits round to nearest`(from: Int32, raw: Int32) {
    #expect(Q<16>(raw: from).converted(to: Q<14>.self).raw == raw)
    #expect(Q<14>(raw: raw).converted(to: Q<16>.self).raw == raw * 4)
  }

  @Test
  func `more fractional bits saturate`() {
    #expect(Q<16>(3).converted(to: Q<30>.self).raw == .max)
    #expect(Q<31>(raw: .min).converted(to: Q<0>.self).raw == -1)
  }

  @Test
  func `numbers are ordered and described by value`() {
    #expect(Q<16>(-1) < Q<16>(1, over: 2))
    #expect(Q<2>(3, over: 4).description == "0.75 (Q2)")
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a product is off by half a step at most`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let a = Q<20>(raw: .random(in: -46_000_000...46_000_000, using: &generator))
      let b = Q<20>(raw: .random(in: -46_000_000...46_000_000, using: &generator))
      let exact = a.double * b.double
      guard abs(exact) < 2_047 else { continue }
      #expect(abs((a * b).double - exact) <= Q<20>.step.double / 2)
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `no pair of numbers traps`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let a = Q<31>(raw: generator.extreme())
      let b = Q<31>(raw: generator.extreme())
      let product = a.double * b.double
      #expect(abs((a * b).double - min(product, Q<31>(raw: .max).double)) <= Q<31>.step.double)
      #expect((a + b) - b == a || abs(a.double + b.double) >= Q<31>(raw: .max).double)
      #expect(Q<31>(a.raw, over: b.raw).magnitude >= .zero)
    }
  }
}
