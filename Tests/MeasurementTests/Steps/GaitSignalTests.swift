import FixedPoint
import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct UniformMagnitudeTests {
  /// The cells of a course of magnitudes (micro-g) at times (microseconds), the first at 0.
  private func cells(_ course: [(time: Int64, value: Int32)]) -> [Int32] {
    var uniform = UniformMagnitude()
    _ = uniform.start(Vector3(x: course[0].value, y: 0, z: 0))
    var result: [Int32] = []
    for (before, now) in zip(course, course.dropFirst()) {
      let completes = uniform.add(
        Vector3(x: now.value, y: 0, z: 0), interval: now.time - before.time)
      let known = result.count
      while let mean = uniform.next() { result.append(mean) }
      #expect(completes == (result.count > known))
    }
    return result
  }

  @Test
  func `a ramp keeps its slope at any rate`() {
    for interval: Int64 in [2_500, 7_000, 40_000, 55_000, 100_000, 1_000_000] {
      let ramp = (0...(2_000_000 / interval)).map {
        (time: $0 * interval, value: Int32($0 * interval))
      }
      let means = cells(ramp)
      #expect(means.count == Int(Int64(ramp.count - 1) * interval / 40_000))
      for (index, mean) in means.enumerated() {
        #expect(abs(Int(mean) - (index * 40_000 + 20_000)) <= 2)
      }
    }
  }

  @Test
  func `what is faster than half the new rate is taken away`() {
    // 25 Hz at 400 Hz: a whole period in every cell.
    let square = (0..<400).map {
      (time: Int64($0) * 2_500, value: Int32($0 % 16 < 8 ? 2_000_000 : 0))
    }
    #expect(cells(square).allSatisfy { abs($0 - 1_000_000) < 70_000 })
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `any intervals fill as many cells as their time holds`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var course: [(time: Int64, value: Int32)] = [(0, 1_000_000)]
    var time: Int64 = 0
    for _ in 0..<500 {
      time += Int64.random(in: 1...1_000_000, using: &generator)
      course.append((time, generator.extreme()))
    }
    let means = cells(course)
    #expect(means.count == Int(time / 40_000))
    #expect(means.allSatisfy { (0...32_000_000).contains($0) })
  }
}

@testable @_spi(Tuning) import Measurement

struct GaitBandTests {
  @Test
  func `the sections are those that the designer makes`() {
    #expect(GaitBand.slow == .highPass(cutoff: 1_000, rate: 25_000))
    #expect(GaitBand.fast == .lowPass(cutoff: 4_500, rate: 25_000))
  }

  @Test(arguments: [(0.2, 0.0, 0.07), (1.0, 0.65, 0.75), (2.0, 0.90, 0.98), (10.0, 0.0, 0.1)])
  func `gait passes, posture and impacts do not`(frequency: Double, low: Double, high: Double) {
    var band = GaitBand(tuning: .standard)
    band.settle(at: 1_000_000)
    var peak: Int16 = 0
    for index in 0..<1_000 {
      let wave = sin(Double(index) * 0.04 * frequency * 2 * .pi + 0.3)
      let output = band.filter(1_000_000 + Int32(wave * 640_000))
      if index > 500 { peak = max(peak, abs(output)) }
    }
    #expect((low...high).contains(Double(peak) / 640))
  }

  @Test
  func `gravity leaves nothing`() {
    var band = GaitBand(tuning: .standard)
    band.settle(at: 987_654)
    for _ in 0..<100 { #expect(band.filter(987_654) == 0) }
  }

  @Test
  func `nothing is stronger than the limit`() {
    var band = GaitBand(tuning: .standard)
    band.settle(at: 0)
    for index in 0..<100 {
      let output = band.filter(index / 6 % 2 == 0 ? 32_000_000 : 0)
      #expect(abs(Int32(output)) <= GaitBand.limit)
    }
  }
}
