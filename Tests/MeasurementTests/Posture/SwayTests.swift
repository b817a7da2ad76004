import Foundation
import Measurement
import Motion
import Testing

@testable import TestSupport

struct SwayTests {
  /// The figures that the definitions give for a course of acceleration in mm/s², 1 000 a second.
  struct Reference {
    let rms: Double
    let range: Double
    let path: Double
    let velocity: Double
    let frequency: Double
    let jerk: Double

    init(_ parts: [(frequency: Double, amplitude: Double)]) {
      let course = (0..<30_000).map { 9_806.65 * SyntheticStance.sum(parts, Double($0) / 1e3) }
      let mean = course.reduce(0, +) / 30_000
      rms = (course.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 30_000).squareRoot()
      range = (course.max() ?? 0) - (course.min() ?? 0)
      let steps = zip(course, course.dropFirst()).map { $1 - $0 }
      path = steps.reduce(0) { $0 + abs($1) }
      jerk = steps.reduce(0) { $0 + $1 * $1 } * 1_000 / 2
      frequency = path / 30 / (4 * 2.0.squareRoot() * rms)
      var speed = 0.0
      let speeds = course.map { value in
        speed += (value - mean) / 1e3
        return speed
      }
      let middle = speeds.reduce(0, +) / 30_000
      let times = (0..<30_000).map { Double($0) - 14_999.5 }
      let slope =
        zip(times, speeds).reduce(0) { $0 + $1.0 * $1.1 } / times.reduce(0) { $0 + $1 * $1 }
      velocity = zip(times, speeds).reduce(0) { $0 + abs($1.1 - middle - slope * $1.0) } / 30_000
    }
  }

  private func compare(_ found: Sway.Direction, _ truth: Reference, within share: Double) {
    let pairs = [
      (Double(found.rms) / 1e3, truth.rms), (Double(found.range) / 1e3, truth.range),
      (Double(found.path) / 1e3, truth.path), (Double(found.meanVelocity) / 1e3, truth.velocity),
      (Double(found.meanFrequency) / 1e3, truth.frequency), (Double(found.jerk), truth.jerk),
    ]
    for (found, truth) in pairs { #expect(abs(found / truth - 1) < share) }
  }

  @Test(arguments: [25.0, 50, 100, 200])
  func `every figure is that of its definition`(rate: Double) throws {
    let person = SyntheticStance(noise: 0, rate: rate)
    let sway = try Sway.measure(person.samples)
    compare(sway.anteroposterior, Reference(person.front), within: 0.02)
    compare(sway.mediolateral, Reference(person.side), within: 0.02)
    #expect(sway.quality.verdict == .good)
    #expect(abs(sway.duration - 30_000_000) <= 40_000)
  }

  @Test(arguments: [50.0, 100, 200], 0..<3 as Range<UInt64>)
  func `a sensor's noise moves the figures little`(rate: Double, seed: UInt64) throws {
    let person = SyntheticStance(rate: rate, seed: seed)
    let sway = try Sway.measure(person.samples)
    let truth = Reference(person.front)
    #expect(abs(Double(sway.anteroposterior.rms) / 1e3 / truth.rms - 1) < 0.05)
    #expect(abs(Double(sway.anteroposterior.range) / 1e3 / truth.range - 1) < 0.15)
    #expect(abs(Double(sway.anteroposterior.path) / 1e3 / truth.path - 1) < 0.1)
  }

  @Test
  func `the ellipse is that of the covariance`() throws {
    let person = SyntheticStance(noise: 0)
    let sway = try Sway.measure(person.samples)
    let (front, side) = (Reference(person.front).rms, Reference(person.side).rms)
    // Different frequencies over many turns: the directions hardly covary.
    let area = 5.991 * .pi * front * side
    #expect(abs(Double(sway.ellipseArea) / area - 1) < 0.03)
    let line = SyntheticStance(side: [], noise: 0)
    #expect(try Sway.measure(line.samples).ellipseArea < Int64(area / 100))
  }

  @Test(arguments: [-35.0, 90, 180], [0.0, 25])
  func `how the sensor is turned and leans changes nothing`(roll: Double, lean: Double) throws {
    let plain = try Sway.measure(SyntheticStance(noise: 0).samples)
    let turned = try Sway.measure(SyntheticStance(lean: lean, roll: roll, noise: 0).samples)
    #expect(abs(turned.anteroposterior.rms - plain.anteroposterior.rms) < 300)
    #expect(abs(turned.mediolateral.rms - plain.mediolateral.rms) < 300)
    #expect(abs(turned.ellipseArea - plain.ellipseArea) * 100 < plain.ellipseArea)
  }

  @Test
  func `the axis to the front may be any`() throws {
    let samples = SyntheticStance().samples
    let plain = try Sway.measure(samples)
    let remounted = samples.map { sample in
      let a = sample.acceleration
      return MotionSample(time: sample.time, acceleration: Vector3(x: a.z, y: a.x, z: a.y))
    }
    let turned = try Sway.measure(remounted, axis: .x)
    #expect(abs(turned.anteroposterior.rms - plain.anteroposterior.rms) <= 2)
    #expect(abs(turned.mediolateral.rms - plain.mediolateral.rms) <= 2)
    #expect(throws: SwayRefusal.axisUpright(.y)) { try Sway.measure(samples, axis: .y) }
  }

  @Test
  func `of a longer recording the middle counts`() throws {
    let samples = SyntheticStance(seconds: 40).samples
    let middle = samples.filter { (10_000_000...40_000_000).contains($0.time) }
    let whole = try Sway.measure(samples)
    let part = try Sway.measure(middle)
    #expect(whole.duration == 30_000_000)
    #expect(abs(whole.anteroposterior.rms - part.anteroposterior.rms) < 1_000)
  }

  @Test
  func `a sensor that lies still does not sway`() throws {
    let still = (0...3_000).map {
      MotionSample(time: Int64($0) * 10_000, acceleration: .g(0, 0.8, 0.6))
    }
    let sway = try Sway.measure(still)
    #expect(sway.anteroposterior.rms == 0)
    #expect(sway.mediolateral.meanFrequency == 0)
    #expect(sway.ellipseArea == 0)
    #expect(sway.jerk == 0)
  }

  @Test
  func `what is no quiet standing is a refusal`() {
    #expect(throws: SwayRefusal.stream(.noSamples)) { try Sway.measure([]) }
    #expect(throws: SwayRefusal.tooShort(seconds: 20)) {
      try Sway.measure(SyntheticStance(jitter: 0, seconds: 20).samples)
    }
    #expect(throws: SwayRefusal.moved) {
      try Sway.measure(SyntheticStance(front: [(0.5, 0.15)]).samples)
    }
    let broken = SyntheticStance(jitter: 0).samples
      .filter { !(20_000_001..<20_700_000).contains($0.time) }
    #expect(throws: SwayRefusal.dropout(milliseconds: 700)) { try Sway.measure(broken) }
  }

  static let reasons: [(SwayRefusal, String)] = [
    (.stream(.rateTooLow), "rateTooLow"),
    (.dropout(milliseconds: 640), "dropout"), (.tooShort(seconds: 12), "tooShort"),
    (.axisUpright(.x), "axisUpright"), (.moved, "moved"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: SwayRefusal, code: String
  ) {
    #expect(refusal.code == code)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<25_000 { samples.append(generator.wildSample(after: samples.last?.time ?? 0)) }
    #expect(throws: SwayRefusal.self) { try Sway.measure(samples) }
    // The same readings at the times of a sound stream.
    let timed = samples.prefix(3_100).enumerated().map { index, sample in
      MotionSample(time: Int64(index) * 10_000, acceleration: sample.acceleration)
    }
    for axis in Axis.allCases {
      #expect(throws: SwayRefusal.self) { try Sway.measure(timed, axis: axis) }
    }
  }
}
