import FixedPoint
import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

/// A walk of known length, made up.
struct SyntheticStrides {
  var rate = 100.0
  /// Seconds and metres of a stride.
  var stride = 1.1
  var length = 1.2
  var count = 20
  /// Degrees a second about the vertical, and the seconds of the walk with that turn.
  var turn = 0.0
  var turning: Range<Double> = 0..<0
  var seed: UInt64 = 4

  /// The walk in microseconds: it begins after 6 s.
  var range: Range<Int64> { 6_000_000..<6_000_000 + Int64(Double(count) * stride * 1e6) }

  private func samples(
    seconds: Double, _ motion: (Double) -> (SIMD3<Double>, SIMD3<Double>)
  ) -> [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    return (0..<Int(seconds * rate)).map { index in
      let time = Double(index) / rate
      let (force, turn) = motion(time)
      let read = force + generator.noise(0.004)
      return MotionSample(
        time: Int64(time * 1e6), acceleration: .g(read.x, read.y, read.z),
        angularRate: .g(turn.x / 1_000, turn.y / 1_000, turn.z / 1_000))
    }
  }

  /// The trunk of a person with a leg of so many metres: the height of an inverted pendulum that is
  /// `1.25` times shorter than the step, between 6 s of standing, as everywhere here.
  func trunk(leg: Double) -> [MotionSample] {
    let half = length / 2 / 1.25 / 2
    let rise = leg - (leg * leg - half * half).squareRoot()
    let step = 2 * Double.pi / (stride / 2)
    let walk = 6..<6 + Double(count) * stride
    return samples(seconds: walk.upperBound + 6) { time in
      let bounce =
        walk.contains(time) ? rise / 2 * step * step * cos(step * (time - 6)) / 9.80665 : 0
      let isTurning = turning.contains(time - 6)
      return (SIMD3(0, 0, 1 + bounce), SIMD3(0, 0, isTurning ? turn : 0))
    }
  }

  /// A foot that stands for two fifths of each stride, and swings and pitches in the rest of it.
  func foot() -> [MotionSample] {
    let swing = stride * 0.6
    let walk = 6..<6 + Double(count) * stride
    return samples(seconds: walk.upperBound + 6) { time in
      let phase = (time - 6) - ((time - 6) / stride).rounded(.down) * stride
      guard walk.contains(time), phase > stride - swing else { return (SIMD3(0, 0, 1), .zero) }
      let angle = 2 * Double.pi * (phase - stride + swing) / swing
      // Ahead: the way is length·(τ - sin(2πτ)/2π), so that speed and acceleration begin at zero.
      let push = length * 2 * .pi / (swing * swing) * sin(angle) / 9.80665
      let pitch = 0.5 * (1 - cos(angle))
      let rate = 0.5 * sin(angle) * 2 * .pi / swing * 180 / .pi
      return (
        SIMD3(push * cos(pitch) - sin(pitch), 0, push * sin(pitch) + cos(pitch)), SIMD3(0, rate, 0)
      )
    }
  }
}

struct WalkingSpeedTests {
  @Test(arguments: [(1.0, 1.3), (1.1, 1.2), (1.25, 1.0)], [25.0, 52, 100, 200])
  func `the trunk of a pendulum shows its speed`(stride: (Double, Double), rate: Double) throws {
    let walk = SyntheticStrides(rate: rate, stride: stride.0, length: stride.1)
    let result = try WalkingSpeed.measure(
      walk.trunk(leg: 0.53 * 1.8), on: .pelvis, height: 1_800, in: walk.range)
    #expect(abs(Double(result.speed) / 1_000 - stride.1 / stride.0) < 0.05)
    #expect(abs(Double(result.strideLength) / 1_000 - stride.1) < 0.06)
    #expect(abs(Double(result.cadence) / 1_000 - 120 / stride.0) < 2)
    #expect(!result.assumesHeight)
  }

  @Test(arguments: [(1.0, 1.3), (1.2, 0.8), (1.6, 0.4)], [50.0, 100, 200])
  func `a foot's strides are as long as they are`(stride: (Double, Double), rate: Double) throws {
    let walk = SyntheticStrides(rate: rate, stride: stride.0, length: stride.1)
    let result = try WalkingSpeed.measure(walk.foot(), on: .foot, in: walk.range)
    #expect(abs(Double(result.strideLength) / 1_000 - stride.1) < 0.03 * stride.1)
    #expect(abs(Double(result.speed) / 1_000 - stride.1 / stride.0) < 0.03)
    #expect(abs(Double(result.cadence) / 1_000 - 120 / stride.0) < 2)
    #expect(!result.assumesHeight)
  }

  @Test(arguments: 0..<6)
  func `the mounting does not matter`(mounting: Int) throws {
    func remounted(_ samples: [MotionSample]) -> [MotionSample] {
      samples.map {
        MotionSample(
          time: $0.time, acceleration: $0.acceleration.remounted(mounting),
          angularRate: $0.angularRate?.remounted(mounting))
      }
    }
    let trunk = SyntheticStrides().trunk(leg: 0.9)
    let speed = try WalkingSpeed.measure(trunk, on: .trunk, height: 1_700)
    let turned = try WalkingSpeed.measure(remounted(trunk), on: .trunk, height: 1_700)
    #expect(abs(turned.speed - speed.speed) <= 2)
    let foot = SyntheticStrides().foot()
    let own = try WalkingSpeed.measure(foot, on: .foot)
    let other = try WalkingSpeed.measure(remounted(foot), on: .foot)
    #expect(abs(other.strideLength - own.strideLength) <= 5)
  }

  @Test
  func `steps in a turn are left out`() throws {
    var walk = SyntheticStrides()
    let whole = try WalkingSpeed.measure(walk.trunk(leg: 0.9), on: .pelvis, height: 1_700)
    walk.turn = 90
    walk.turning = 10..<12.2
    let turned = try WalkingSpeed.measure(walk.trunk(leg: 0.9), on: .pelvis, height: 1_700)
    #expect((3...6).contains(whole.steps - turned.steps))
    #expect(abs(turned.speed - whole.speed) < 15)
  }

  @Test
  func `an unknown height is the usual one, and said to be`() throws {
    let samples = SyntheticStrides().trunk(leg: 0.9)
    var usual = try WalkingSpeed.measure(samples, on: .pelvis, height: WalkingSpeed.usualHeight)
    let unknown = try WalkingSpeed.measure(samples, on: .pelvis)
    usual.assumesHeight = true
    #expect(unknown == usual)
    let tall = try WalkingSpeed.measure(samples, on: .pelvis, height: .max)
    #expect(tall.speed > unknown.speed)
  }

  @Test
  func `a stream gives the speed of a recording`() throws {
    let samples = SyntheticStrides().trunk(leg: 0.9)
    let range: Range<Int64> = 6_000_000..<28_000_000
    var meter = WalkingSpeedMeter()
    for sample in samples {
      meter.add(sample)
      meter.add(sample)
    }
    #expect(
      try meter.steps(in: range).speed(height: 1_700)
        == WalkingSpeed.measure(samples, on: .trunk, height: 1_700, in: range))
    meter.forget(before: 28_000_000)
    #expect(throws: WalkingSpeedRefusal.fewSteps(0)) {
      try meter.steps(in: range).speed(height: nil)
    }
  }

  @Test(
    arguments: [
      (.wrist, .place(.forearm)), (.shank, .place(.shank)), (.thigh, .place(.thigh)),
      (.nowhere, .place(nil)), (.blindFoot, .noGyroscope), (.still, .walk(.noWalk)),
      (.nothing, .walk(.stream(.noSamples))),
    ] as [(Refused, WalkingSpeedRefusal)])
  func `what has no method is refused with its reason`(
    sensor: Refused, refusal: WalkingSpeedRefusal
  ) {
    #expect(throws: refusal) {
      try WalkingSpeed.measure(sensor.samples, on: sensor.segment, height: 1_700)
    }
  }

  enum Refused: CaseIterable {
    case wrist, shank, thigh, nowhere, blindFoot, still, nothing

    var segment: Segment? {
      switch self {
      case .wrist: .forearm
      case .shank: .shank
      case .thigh: .thigh
      case .nowhere: nil
      case .blindFoot: .foot
      case .still, .nothing: .pelvis
      }
    }

    var samples: [MotionSample] {
      switch self {
      case .nothing: []
      case .still: SyntheticGait(bounce: 0).samples(steps: 20)
      case .blindFoot:
        SyntheticStrides().foot().map {
          MotionSample(time: $0.time, acceleration: $0.acceleration)
        }
      case .wrist, .shank, .thigh, .nowhere: SyntheticStrides().trunk(leg: 0.9)
      }
    }
  }

  @Test
  func `a slow walk is refused with what the trunk showed`() throws {
    let walk = SyntheticStrides(stride: 1.6, length: 0.7)
    let samples = walk.trunk(leg: 0.9)
    do {
      let speed = try WalkingSpeed.measure(
        samples, on: .pelvis, height: 1_700, in: walk.range)
      Issue.record("measured \(speed.speed)")
    } catch .slow(let speed) {
      #expect((350...550).contains(speed))
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<5_000 {
      samples.append(generator.wildSample(after: samples.last?.time ?? 0))
    }
    for range in [Int64.min..<Int64.max, 0..<60_000_000] {
      for segment in [Segment.trunk, .foot] {
        _ = try? WalkingSpeed.measure(samples, on: segment, height: nil, in: range)
      }
    }
    let rated = samples.map {
      MotionSample(
        time: $0.time, acceleration: $0.acceleration, angularRate: $0.acceleration)
    }
    _ = try? WalkingSpeed.measure(rated, on: .foot, in: Int64.min..<Int64.max)
    _ = try? BackAndForthWalk.measure(samples, on: .trunk)
  }
}

struct VerticalTests {
  @Test
  func `the coefficients are those of the design`() throws {
    let pairs = [
      (Vertical.slow, BiquadCoefficients.lowPass(cutoff: 300, rate: 25_000)),
      (Vertical.velocity, BiquadCoefficients.highPass(cutoff: 300, rate: 25_000)),
      (Vertical.height, BiquadCoefficients.highPass(cutoff: 500, rate: 25_000)),
    ]
    for (stored, design) in pairs { #expect(stored == design) }
  }

  @Test
  func `a constant leaves no integral, and a sine its own`() {
    var constant = IntegratingHighPass(Vertical.velocity)
    for _ in 0..<2_000 { _ = constant.filter(1_000_000) }
    #expect(abs(constant.filter(1_000_000)) < 200)
    var wave = IntegratingHighPass(Vertical.velocity)
    let step = 2 * Double.pi * 2 / 25
    let last = (0..<1_000).map { wave.filter(Int64(1e6 * sin(step * Double($0)))) }.suffix(100)
    let peak = Double(last.max() ?? 0)
    #expect(abs(peak * step / 1e6 - 1) < 0.05)
  }
}

/// Real people's walks with known speeds, and their begin and end.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct WalkingSpeedRecordingsTests {
  private struct Walk {
    let name: String
    let height: Int64
    let marks: Range<Double>
    let nominal: Double
    let feet: Double
    let stride: Double
    let cadence: Double

    static func all() throws -> [Self] {
      let text = try String(contentsOfFile: SharedData.path("walks/truth.csv"), encoding: .utf8)
      return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = fields.map { Double($0) ?? 0 }
        guard fields.count > 11, numbers[4] < numbers[7] else { return nil }
        return Self(
          name: String(fields[0]), height: Int64(numbers[1] * 1_000),
          marks: numbers[4]..<numbers[7], nominal: numbers[8], feet: numbers[9],
          stride: numbers[10], cadence: numbers[11])
      }
    }

    func samples(_ place: String) throws -> [MotionSample] {
      try MotionFile("walks/\(name)-\(place).csv").samples
    }
  }

  private func mean(_ values: [Double]) -> Double {
    values.map(abs).reduce(0, +) / Double(max(1, values.count))
  }

  @Test
  func `speed, stride and cadence, begin and end at the lower back stay within their bars`()
    throws
  {
    let walks = try Walk.all()
    var errors: [[Double]] = []
    for walk in walks {
      let samples = try walk.samples("lowback")
      let own = try WalkingSpeed.measure(samples, on: .pelvis, height: walk.height)
      let usual = try WalkingSpeed.measure(samples, on: .pelvis)
      let range = try WalkRecording(samples, on: .pelvis).walking()
      let (begin, end) = (Double(range.lowerBound) / 1e6, Double(range.upperBound) / 1e6)
      errors.append([
        Double(own.speed) / 1_000 - walk.feet, Double(own.speed) / 1_000 - walk.nominal,
        Double(usual.speed) / 1_000 - walk.feet, Double(usual.speed) / 1_000 - walk.nominal,
        Double(own.strideLength) / 1_000 - walk.stride, Double(own.cadence) / 1_000 - walk.cadence,
        begin - walk.marks.lowerBound, end - walk.marks.upperBound,
        end - begin - walk.marks.upperBound + walk.marks.lowerBound,
      ])
    }
    #expect(errors.count == 60)
    let bars = [0.075, 0.075, 0.08, 0.08, 0.1, 2, 0.25, 0.5, 0.55]
    for (index, bar) in bars.enumerated() {
      #expect(mean(errors.map { $0[index] }) <= bar, "figure \(index)")
    }
  }

  @Test
  func `both feet of a walk have one stride, and its path is its length`() throws {
    var differences: [Double] = []
    var paths: [Double] = []
    for walk in try Walk.all() {
      let range = Int64(walk.marks.lowerBound * 1e6)..<Int64(walk.marks.upperBound * 1e6)
      let feet = try ["leftfoot", "rightfoot"].map {
        try FootStrides(walk.samples($0), in: range)
      }
      let lengths = try feet.map { try Double($0.speed().strideLength) / 1_000 }
      differences.append(lengths[0] - lengths[1])
      paths += feet.map { Double($0.strides.map(\.length).reduce(0, +)) / 20_000 - 1 }
    }
    #expect(mean(differences) <= 0.02)
    #expect(mean(paths) <= 0.06)
  }
}
