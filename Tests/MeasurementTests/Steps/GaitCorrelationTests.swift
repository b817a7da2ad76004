import Foundation
import Motion
import TestSupport
import Testing

@testable @_spi(Tuning) import Measurement

struct GaitCorrelationTests {
  /// The last frame of a signal.
  private func frame(of values: [Int16], _ tuning: GaitTuning = .standard) -> GaitFrame {
    var correlation = GaitCorrelation(tuning: tuning)
    var frame = GaitFrame(centre: 0)
    for value in values where correlation.add(value) { correlation.describe(in: &frame) }
    return frame
  }

  @Test(arguments: [12.0, 15.0, 18.5, 25.0, 40.0])
  func `what repeats itself is alike after its period and unlike after half of it`(
    period: Double
  ) {
    let frame = frame(of: (0..<400).map { Int16(500 * sin(2 * .pi * Double($0) / period)) })
    for lag in 7...56 {
      let truth = cos(2 * .pi * Double(lag) / period)
      #expect(abs(Double(frame[lag]) / Double(GaitFrame.one) - truth) < 0.12)
    }
    #expect(frame.movement == .steady)
  }

  @Test
  func `the period is finer than a lag`() {
    for period in [10.2, 11.6, 13.9] {
      let frame = frame(of: (0..<400).map { Int16(800 * sin(2 * .pi * Double($0) / period)) })
      let stride = Int((2 * period).rounded())
      #expect(abs(Double(frame.period(stride)) / 64 - period) < 0.1)
    }
  }

  @Test
  func `noise is like nothing, and neither is what is too weak`() {
    var generator = SeededGenerator(seed: 3)
    let noise = frame(of: (0..<400).map { _ in Int16.random(in: -500...500, using: &generator) })
    let weak = frame(of: (0..<400).map { Int16(5 * sin(Double($0) / 2)) })
    for lag in 7...56 {
      #expect(abs(noise[lag]) < GaitFrame.one / 2)
      #expect(abs(weak[lag]) < GaitFrame.one / 20)
    }
  }

  @Test
  func `the strongest signal there is fits`() {
    for lag in 7...56 {
      let limit = Int16(GaitBand.limit)
      let frame = frame(of: (0..<800).map { $0 / lag % 2 == 0 ? limit : -limit })
      #expect(frame[lag] < -GaitFrame.one * 9 / 10)
    }
  }

  @Test
  func `rest between two movements is no movement`() {
    var values = [Int16](repeating: 0, count: 400)
    for index in values.indices where index < 310 || index > 360 {
      values[index] = Int16(500 * sin(Double(index) / 2))
    }
    // The moment lies some sixty samples before the newest.
    #expect(frame(of: values).movement == .still)
  }

  @Test
  func `a softer stretch of a walk is slack for a trunk, which turns, and rest for a hand`() {
    var values = (0..<400).map { Int16(500 * sin(Double($0) / 2)) }
    for index in 304...342 { values[index] = values[index] * 9 / 25 }
    #expect(frame(of: values, .trunk).movement == .slack)
    #expect(frame(of: values).movement == .still)
  }

  @Test
  func `missing samples change a correlation little`() {
    let values = (0..<400).map { Int16(500 * sin(2 * .pi * Double($0) / 15)) }
    var correlation = GaitCorrelation(tuning: .standard)
    var frame = GaitFrame(centre: 0)
    for (index, value) in values.enumerated() {
      let isMissing = index % 50 < 12
      if correlation.add(value, isMissing ? .bridged : .present) {
        correlation.describe(in: &frame)
      }
    }
    let whole = self.frame(of: values)
    for lag in 7...56 {
      #expect(abs(frame[lag] - whole[lag]) < GaitFrame.one / 8)
    }
    #expect(frame.movement == .steady)
    #expect(frame.counted == 8)
  }

  @Test
  func `samples in a long hole are not counted`() {
    var correlation = GaitCorrelation(tuning: .standard)
    var frame = GaitFrame(centre: 0)
    for index in 0..<400 {
      let value = Int16(500 * sin(Double(index) / 2))
      let isLost = index > 310 && index < 360
      if correlation.add(value, isLost ? .lost : .present) { correlation.describe(in: &frame) }
    }
    #expect(frame.counted == 0)
  }
}

struct SampleMaskTests {
  @Test(arguments: [0, 7, 8, 100, 127])
  func `a slice begins at any age and reaches over both words`(age: Int) {
    var mask = SampleMask()
    #expect(mask.isEmpty)
    var bits: [Bool] = []
    for block in 0..<32 {
      let eight = UInt64(block * 37 & 255)
      for bit in (0..<8).reversed() { bits.append(eight >> UInt64(bit) & 1 == 1) }
      mask.append(eight)
    }
    for length in [1, 9, 96, 128] {
      let end = bits.count - age
      let truth = bits[(end - length)..<end].count { $0 }
      #expect(mask.count(from: age, length: length) == truth)
      #expect(mask.slice(from: age, length: length) & 1 == (bits[end - 1] ? 1 : 0))
    }
  }

  @Test
  func `a bit is forgotten after 256 samples`() {
    var mask = SampleMask()
    mask.append(1)
    for _ in 0..<31 { mask.append(0) }
    #expect(!mask.isEmpty)
    mask.append(0)
    #expect(mask.isEmpty)
  }
}
