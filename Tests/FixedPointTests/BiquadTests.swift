import FixedPoint
import Foundation
import TestSupport
import Testing

/// The same filter in float64, designed with libm.
private struct FloatBiquad {
  let b0, b1, a1, a2: Double
  var x1 = 0.0
  var x2 = 0.0
  var y1 = 0.0
  var y2 = 0.0

  init(cutoff: Double, rate: Double, isLowPass: Bool) {
    let k = tan(.pi * cutoff / rate)
    let n = 1 + 2.0.squareRoot() * k + k * k
    b0 = (isLowPass ? k * k : 1) / n
    b1 = isLowPass ? 2 * b0 : -2 * b0
    a1 = 2 * (k * k - 1) / n
    a2 = (1 - 2.0.squareRoot() * k + k * k) / n
  }

  mutating func filter(_ x: Double) -> Double {
    let y = b0 * (x + x2) + b1 * x1 - a1 * y1 - a2 * y2
    (x2, x1, y2, y1) = (x1, x, y1, y)
    return y
  }
}

struct BiquadTests {
  /// Cutoff and rate in mHz: slow, usual and fast filters, at the rates of real sensors.
  static let designs: [(cutoff: Int64, rate: Int64)] = [
    (250, 200_000), (1_000, 200_000), (5_000, 200_000), (2_000, 25_000), (900, 25_000),
    (2_000, 285_714), (2_000, 400_000), (4_000, 25_000), (4_100, 25_000),
  ]

  @Test(arguments: designs)
  func `coefficients are those of libm, rounded`(cutoff: Int64, rate: Int64) throws {
    let low = try #require(BiquadCoefficients.lowPass(cutoff: cutoff, rate: rate))
    let high = try #require(BiquadCoefficients.highPass(cutoff: cutoff, rate: rate))
    let float = FloatBiquad(cutoff: Double(cutoff), rate: Double(rate), isLowPass: true)
    let floatHigh = FloatBiquad(cutoff: Double(cutoff), rate: Double(rate), isLowPass: false)
    #expect(abs(Double(low.b0) - float.b0 * 0x1p30) <= 0.51)
    #expect(abs(Double(high.b0) - floatHigh.b0 * 0x1p30) <= 0.51)
    for design in [low, high] {
      #expect(abs(Double(design.a2) - float.a2 * 0x1p30) <= 0.51)
      #expect(abs(Double(design.a1) - float.a1 * 0x1p30) <= 3)
    }
  }

  static let refused: [(cutoff: Int64, rate: Int64)] = [
    (0, 100), (-1, 100), (50, 100), (51, 100), (1, 0), (1, 50_000), (1, .max), (.max, .max),
  ]

  @Test(arguments: refused)
  func `a cutoff without a filter is refused`(cutoff: Int64, rate: Int64) {
    #expect(BiquadCoefficients.lowPass(cutoff: cutoff, rate: rate) == nil)
    #expect(BiquadCoefficients.highPass(cutoff: cutoff, rate: rate) == nil)
  }

  @Test(arguments: designs)
  func `a constant is reached exactly and held`(cutoff: Int64, rate: Int64) throws {
    var low = Biquad(try #require(.lowPass(cutoff: cutoff, rate: rate)))
    var high = Biquad(try #require(.highPass(cutoff: cutoff, rate: rate)))
    for level: Int32 in [1, -1, 16_384, -999_999, 1_000_000, 1 << 29] {
      for _ in 0..<60 * Int(rate / cutoff) {
        _ = low.filter(level)
        _ = high.filter(level)
      }
      for _ in 0..<1_000 {
        #expect(low.filter(level) == level)
        #expect(high.filter(level) == 0)
      }
    }
  }

  @Test(arguments: designs)
  func `the output stays within the documented error of float64`(cutoff: Int64, rate: Int64) throws
  {
    for isLowPass in [true, false] {
      var filter = Biquad(
        try #require(
          isLowPass
            ? .lowPass(cutoff: cutoff, rate: rate) : .highPass(cutoff: cutoff, rate: rate)))
      var float = FloatBiquad(
        cutoff: Double(cutoff), rate: Double(rate), isLowPass: isLowPass)
      var generator = SeededGenerator(seed: 7)
      var worst = 0.0
      for _ in 0..<20_000 {
        let input = Int32.random(in: -16_384...16_384, using: &generator)
        worst = max(worst, abs(Double(filter.filter(input)) - float.filter(Double(input))))
      }
      #expect(worst <= 2 + Double(rate) / Double(cutoff) / 20)
    }
  }

  /// A limb that swings by ±60° at 0.3 Hz, in micro-g: the tilt from the filtered components.
  @Test(arguments: [250, 1_000, 5_000] as [Int64])
  func `tilt stays within a thousandth of a degree of float64`(cutoff: Int64) throws {
    let coefficients = try #require(BiquadCoefficients.lowPass(cutoff: cutoff, rate: 200_000))
    var x = Biquad(coefficients)
    var z = Biquad(coefficients)
    var floatX = FloatBiquad(cutoff: Double(cutoff), rate: 200_000, isLowPass: true)
    var floatZ = floatX
    var worst = 0.0
    for index in 0..<12_000 {
      let angle = sin(Double(index) * 0.3 * 2 * .pi / 200) * .pi / 3
      let ax = Int32(sin(angle) * 1e6)
      let az = Int32(cos(angle) * 1e6)
      let tilt = CORDIC.atan2(y: Int64(x.filter(ax)), x: Int64(z.filter(az)))
      let exact = atan2(floatX.filter(Double(ax)), floatZ.filter(Double(az))) * 180 / .pi
      if index > 400 { worst = max(worst, abs(Double(tilt) / 1e6 - exact)) }
    }
    #expect(worst <= 0.001)
  }

  @Test
  func `settling leaves no transient`() throws {
    var low = Biquad(try #require(.lowPass(cutoff: 1, rate: 100)))
    var high = Biquad(try #require(.highPass(cutoff: 1, rate: 100)))
    low.settle(at: -123_456)
    high.settle(at: -123_456)
    for _ in 0..<100 {
      #expect(low.filter(-123_456) == -123_456)
      #expect(high.filter(-123_456) == 0)
    }
  }

  @Test(arguments: designs)
  func `no input traps, and the output is in range`(cutoff: Int64, rate: Int64) throws {
    var filter = Biquad(try #require(.lowPass(cutoff: cutoff, rate: rate)))
    var generator = SeededGenerator(seed: 99)
    for _ in 0..<20_000 {
      #expect(filter.filter(generator.extreme()).magnitude <= 1 << 30)
    }
  }
}
