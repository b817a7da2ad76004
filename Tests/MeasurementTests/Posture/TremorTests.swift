import Foundation
import Measurement
import Motion
import Testing

@testable import TestSupport

struct TremorTests {
  @Test(arguments: [50.0, 62.5, 200], [3.3, 4.37, 5.125, 6.9, 8.61, 11.4])
  func `frequency and amplitudes are those of the movement`(
    rate: Double, frequency: Double
  ) throws {
    for seed in 0..<2 as Range<UInt64> {
      let amplitude = [0.02, 0.5][Int(seed)]
      let hand = SyntheticTremor(
        frequency: frequency, amplitude: amplitude, noise: amplitude / 10, rate: rate,
        seconds: 8, seed: seed)
      let tremor = try Tremor.measure(hand.samples)
      let peak = try #require(tremor.peak)
      #expect(abs(Double(peak.frequency) / 1e3 - frequency) < 0.01)
      let truth = amplitude * 1e6 / 2.0.squareRoot()
      #expect(abs(Double(peak.acceleration) / truth - 1) < 0.04)
      let moved = amplitude * 9.80665e9 / pow(2 * .pi * frequency, 2)
      #expect(abs(Double(peak.displacement) / moved - 1) < 0.04)
      #expect(tremor.quality.verdict == .good)
    }
  }

  @Test(arguments: Rounds.seeds(30, gate: 9))
  func `noise and slow movement are no tremor`(seed: UInt64) throws {
    let hand = SyntheticTremor(
      amplitude: 0, sway: 0.1, rate: [50, 100, 200][Int(seed % 3)],
      seconds: [6, 10, 30][Int(seed / 3 % 3)], seed: seed)
    let tremor = try Tremor.measure(hand.samples)
    #expect(tremor.peak == nil)
    #expect(tremor.acceleration > 0)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a tremor hardly stronger than the noise is found`(seed: UInt64) throws {
    // 5.7 milli-g of tremor amid 8.7 of noise, over all axes and frequencies.
    let hand = SyntheticTremor(
      frequency: 5.4, amplitude: 0.008, noise: 0.005, rate: 50, seconds: 10, seed: seed)
    let peak = try #require(Tremor.measure(hand.samples).peak)
    #expect(abs(peak.frequency - 5_400) <= 50)
  }

  @Test
  func `a sensor that lies still has no tremor and no acceleration`() throws {
    let still = (0..<1_000).map {
      MotionSample(time: Int64($0) * 10_000, acceleration: .g(0, 0.6, 0.8))
    }
    let tremor = try Tremor.measure(still)
    #expect(tremor.peak == nil)
    #expect(tremor.acceleration == 0)
    #expect(tremor.bandShare == 0)
  }

  @Test
  func `lost samples leave the tremor where it is`() throws {
    let hand = SyntheticTremor(loss: 0.05, seconds: 20)
    let tremor = try Tremor.measure(hand.samples)
    #expect(abs((tremor.peak?.frequency ?? 0) - 5_200) < 50)
  }

  @Test(arguments: 0..<6)
  func `the mounting does not matter`(mounting: Int) throws {
    let samples = SyntheticTremor().samples
    let remounted = samples.map {
      MotionSample(time: $0.time, acceleration: $0.acceleration.remounted(mounting))
    }
    let plain = try #require(Tremor.measure(samples).peak)
    let turned = try #require(Tremor.measure(remounted).peak)
    #expect(abs(plain.frequency - turned.frequency) <= 1)
    #expect(abs(plain.acceleration - turned.acceleration) <= 2)
  }

  @Test
  func `stillness around a tremor leaves its frequency`() throws {
    let samples = SyntheticTremor(noise: 0).samples
    let last = try #require(samples.last)
    let after = (1...1_000).map {
      MotionSample(time: last.time + Int64($0) * 10_000, acceleration: last.acceleration)
    }
    let peak = try #require(Tremor.measure(samples + after).peak)
    #expect(abs(peak.frequency - 5_200) < 50)
  }

  @Test
  func `a recording that cannot show a tremor is a refusal`() {
    #expect(throws: TremorRefusal.stream(.noSamples)) { try Tremor.measure([]) }
    let slow = #expect(throws: TremorRefusal.self) {
      try Tremor.measure(SyntheticTremor(rate: 40).samples)
    }
    #expect(slow?.code == "rateBelow50")
    #expect(throws: TremorRefusal.tooShort(seconds: 4)) {
      try Tremor.measure(SyntheticTremor(seconds: 5).samples)
    }
    // Holes every three seconds leave no window whole.
    let holed = SyntheticTremor(seconds: 20).samples.filter { $0.time % 3_000_000 > 200_000 }
    let error = #expect(throws: TremorRefusal.self) { try Tremor.measure(holed) }
    #expect(error?.code == "tooShort")
  }

  static let reasons: [(TremorRefusal, String)] = [
    (.stream(.noSamples), "noSamples"),
    (.rateBelow50(rate: 25_300), "rateBelow50"),
    (.tooShort(seconds: 3), "tooShort"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: TremorRefusal, code: String
  ) {
    #expect(refusal.code == code)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<25_000 { samples.append(generator.wildSample(after: samples.last?.time ?? 0)) }
    #expect(throws: TremorRefusal.self) { try Tremor.measure(samples) }
    // The same readings at the times of a sound stream.
    let timed = samples.prefix(2_000).enumerated().map { index, sample in
      MotionSample(time: Int64(index) * 10_000, acceleration: sample.acceleration)
    }
    #expect(try Tremor.measure(timed).acceleration > 0)
  }
}
