import Foundation
import Motion
import TestSupport
import Testing

@testable @_spi(Tuning) import Measurement

struct GaitCorrelationTests {
  /// The last frame of a signal.
  private func frame(of values: [Int16]) -> GaitFrame {
    var correlation = GaitCorrelation(tuning: .standard)
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
    #expect(frame.isMoving)
  }

  @Test
  func `the period is finer than a lag`() {
    for period in [10.2, 11.6, 13.9] {
      let frame = frame(of: (0..<400).map { Int16(800 * sin(2 * .pi * Double($0) / period)) })
      let state = Int((2 * period).rounded()) - GaitLags.shortestStride
      #expect(abs(Double(frame.period(state)) / 64 - period) < 0.1)
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
    #expect(!frame(of: values).isMoving)
  }
}
